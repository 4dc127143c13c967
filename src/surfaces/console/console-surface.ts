// The console at /console/: a page that uses the same HTTP APIs as every other client. Its files
// need no credentials, because they contain no data.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { readCost } from "../http/admit.ts";
import type { Exchange } from "../http/exchange.ts";
import { challengeHeaders } from "../http/identify.ts";
import { noResource } from "../http/metrics.ts";
import type { HttpSurface } from "../http/surface.ts";
import { ExchangeIds } from "../http/trace.ts";
import { problemOf } from "../rest/problem.ts";
import { surfaceName } from "./begin-session.ts";
import { consoleRoot, consoleTarget, isAssetPath } from "./console-path.ts";
import type { ConsoleTarget } from "./console-path.ts";
import type { ConsoleCall, ConsolePorts, ConsoleRequest } from "./console-ports.ts";
import { pageHeaders } from "./page-headers.ts";
import { sendFile } from "./send-file.ts";
import type { ConsoleSite } from "./site.ts";
import { handleApi, isSignIn, signInMethods } from "./session-api.ts";
import { handleStep } from "./sign-in-steps.ts";
import { sendStatePage, sendStateStyle, stateStylePath } from "./state-page.ts";

export function consoleSurface(ports: ConsolePorts): HttpSurface<ConsoleRequest> {
  return {
    name: surfaceName,
    prefixes: [{ path: consoleRoot }],
    parse: (exchange) => {
      const { method } = exchange;
      const target = consoleTarget(exchange.url);
      const isOpen = target.kind === "root" || target.kind === "page";
      const query = new URLSearchParams(exchange.url.split("?").slice(1).join("?"));
      return { ids: new ExchangeIds(exchange, ports.ids.uid()), isOpen, target, query, method };
    },
    isPublic: ({ target, method }) =>
      target.kind === "sign-in" || (target.kind === "api" && isSignIn(target.path, method)),
    auditFacts: ({ parsed: { target }, exchange }) => ({
      verb: exchange.method.toLowerCase(),
      isResource: false,
      path: routeOf(target),
      ...noResource,
      namespace: "",
      name: "",
      // Codes are in the query of a URL, and tokens in a body.
      uri: routeOf(target),
      hasHidden: true,
    }),
    namespaceOf: () => "",
    costOf: () => readCost,
    handle: async (call) => {
      const { exchange, parsed } = call;
      const { target } = parsed;
      switch (target.kind) {
        case "root":
          return sendRedirect(exchange, `${consoleRoot}/`);
        case "page":
          return await sendPage(ports.site, exchange, target.path);
        case "api":
          return await handleApi(ports, call, target.path);
        case "sign-in":
          return await handleStep(ports, call, target.step);
        default:
          return target satisfies never;
      }
    },
    envelope: (error, call) => sendProblem(call, error, signInMethods(ports)),
    isFault: (error) => !isSetpointError(error) || error.code === "internal",
    labels: ({ exchange, parsed: { target } }) => ({
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

/** A 401 states how to sign in. */
function sendProblem({ exchange, parsed }: ConsoleCall, error: unknown, signIn: JsonObject): void {
  const { status, contentType, headers, document } = problemOf(error, parsed.ids.trace);
  const own = { ...pageHeaders, "content-type": contentType, "cache-control": "no-store" };
  const all = { ...own, ...challengeHeaders(error), ...headers };
  const body = status === 401 ? { ...document, ...signIn } : document;
  exchange.send(status, all, JSON.stringify(body));
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
