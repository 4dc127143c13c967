// The console at /console/: a page that uses the same HTTP APIs as every other client. Its files
// need no credentials, because they contain no data.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import { readCost } from "../http/admit.ts";
import type { Exchange } from "../http/exchange.ts";
import { challengeHeaders } from "../http/identify.ts";
import { noResource } from "../http/metrics.ts";
import type { HttpSurface, ParsedRequest, SurfaceRequest } from "../http/surface.ts";
import { ExchangeIds } from "../http/trace.ts";
import { problemOf } from "../rest/problem.ts";
import { consoleRoot, consoleTarget, isAssetPath } from "./console-path.ts";
import type { ConsoleTarget } from "./console-path.ts";
import { pageHeaders } from "./page-headers.ts";
import { sendFile } from "./send-file.ts";
import type { ConsoleSite } from "./site.ts";
import { sendStatePage, sendStateStyle, stateStylePath } from "./state-page.ts";

export interface ConsoleSurfaceInput {
  readonly site: ConsoleSite;
  readonly ids: Ids;
}

interface ConsoleRequest extends ParsedRequest {
  readonly target: ConsoleTarget;
}

type Call = SurfaceRequest<ConsoleRequest>;

const surfaceName = "console";

export function consoleSurface(input: ConsoleSurfaceInput): HttpSurface<ConsoleRequest> {
  return {
    name: surfaceName,
    prefixes: [{ path: consoleRoot }],
    parse: (exchange) => {
      const target = consoleTarget(exchange.url);
      const isOpen = target.kind === "root" || target.kind === "page";
      return { ids: new ExchangeIds(exchange, input.ids.uid()), isOpen, target };
    },
    auditFacts: ({ parsed: { target }, exchange }) => ({
      verb: exchange.method.toLowerCase(),
      isResource: false,
      path: routeOf(target),
      ...noResource,
      namespace: "",
      name: "",
      hasHidden: true,
    }),
    namespaceOf: () => "",
    costOf: () => readCost,
    handle: async ({ exchange, parsed: { target } }) => {
      if (target.kind === "root") return sendRedirect(exchange, `${consoleRoot}/`);
      if (target.kind === "page") return await sendPage(input.site, exchange, target.path);
      throw noSuchPath();
    },
    envelope: (error, { exchange, parsed }) => sendProblem(exchange, error, parsed.ids.trace),
    isFault: (error) => !isSetpointError(error) || error.code === "internal",
    labels: ({ exchange, parsed: { target } }: Call) => ({
      ...noResource,
      surface: surfaceName,
      verb: exchange.method.toLowerCase(),
      route: routeOf(target),
    }),
  };
}

/** Paths of pages contain names of resources, which would make labels without end. */
function routeOf(target: ConsoleTarget): string {
  switch (target.kind) {
    case "root":
    case "page":
      return `${consoleRoot}/`;
    case "api":
      return `${consoleRoot}/api`;
    case "sign-in":
      return `${consoleRoot}/${target.step}`;
    default:
      return target satisfies never;
  }
}

async function sendPage(site: ConsoleSite, exchange: Exchange, path: string): Promise<void> {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") throw otherMethod("GET, HEAD");
  if (path === stateStylePath) return sendStateStyle(exchange);
  const state = await site.state();
  if (state.kind !== "ready") return sendStatePage(exchange, state);
  const { files } = state;
  const found = files.get(path) ?? (isAssetPath(path) ? undefined : files.get("index.html"));
  if (found === undefined) throw noSuchPath();
  sendFile(exchange, found);
}

function sendRedirect(exchange: Exchange, location: string): void {
  exchange.send(308, { ...pageHeaders, location });
}

function sendProblem(exchange: Exchange, error: unknown, traceId: string): void {
  const { status, contentType, headers, document } = problemOf(error, traceId);
  const own = { ...pageHeaders, "content-type": contentType, "cache-control": "no-store" };
  const all = { ...own, ...challengeHeaders(error), ...headers };
  exchange.send(status, all, JSON.stringify(document));
}

function noSuchPath(): SetpointError {
  return new SetpointError("route.not_found", "the console has no such path");
}

function otherMethod(allow: string): SetpointError {
  return new SetpointError("request.method_not_allowed", `the path accepts ${allow}`, {
    details: { allow },
    suggestion: `use ${allow}`,
  });
}
