// The REST API as a surface of the request pipeline. A request is read in a fixed order: route,
// then query, access and body (route-call.ts), then the handler of the route. The answer is sent
// with its ETag.

import type { Route, RouteAnswer } from "../../contract/route.ts";
import type { Caller } from "../../intents/request.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import type { OutcomePorts } from "../../intents/idempotency/outcome-records.ts";
import { causeOf } from "../../intents/write/cause-of.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { readCost } from "../http/admit.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import { challengeHeaders } from "../http/identify.ts";
import { noResource } from "../http/metrics.ts";
import { streamedPages } from "../http/page-memory.ts";
import type { HttpSurface, ParsedRequest, SurfaceRequest } from "../http/surface.ts";
import { tenantOfRequest } from "../http/tenant.ts";
import { ExchangeIds } from "../http/trace.ts";
import type { AccessPorts } from "./access.ts";
import { commandsOf } from "./commands.ts";
import { ifMatchOf } from "./conditions.ts";
import { idempotencyHeader, runKeyed } from "./idempotent-run.ts";
import { invalidRequest } from "./field-problem.ts";
import { problemOf } from "./problem.ts";
import { bodyTooLarge } from "./request-body.ts";
import { checkedCall, readersOf } from "./route-call.ts";
import type { RouteReaders } from "./route-call.ts";
import { costOfRoute } from "./route-cost.ts";
import { prefixesOf } from "./route-prefix.ts";
import { createRouter } from "./router.ts";
import type { RouteMatch } from "./router.ts";
import { sendAnswer, warningHeaders } from "./send-answer.ts";
import type { WordedError } from "./worded-error.ts";

export interface RestSurfaceInput extends AccessPorts, OutcomePorts {
  readonly routes: readonly Route[];
  readonly impersonation: Authorizer;
  readonly ids: Ids;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Called for an error that ends a stream; other errors are reported by the pipeline. */
  readonly onStreamError: (error: unknown) => void;
}

interface RestRequest extends ParsedRequest {
  readonly path: string;
  readonly search: string;
  readonly match: RouteMatch<Route>;
}

const surfaceName = "rest";

type Call = SurfaceRequest<RestRequest>;

export function restSurface(input: RestSurfaceInput): HttpSurface<RestRequest> {
  const router = createRouter(input.routes);
  commandsOf(input.routes);
  const readers = new Map(input.routes.map((route) => [route, readersOf(route)]));
  return {
    name: surfaceName,
    prefixes: prefixesOf(input.routes).map((path) => ({ path })),
    answerWithinMs: limits.requestTimeoutMs,
    impersonation: input.impersonation,
    parse: (exchange) => {
      const [path, search] = split(exchange.url);
      const match = router.find(exchange.method, path);
      const isOpen = isPublicRoute(match) && match.route.method === "GET";
      return { ids: new ExchangeIds(exchange, input.ids.uid()), isOpen, path, search, match };
    },
    // A body is memory of the server: it needs a place.
    isPublic: ({ match }) => isPublicRoute(match),
    auditFacts: ({ parsed, exchange }) => ({
      verb: exchange.method.toLowerCase(),
      isResource: false,
      path: parsed.path,
      ...noResource,
      namespace: "",
      name: "",
      // A text may contain secrets, such as a state of Terraform.
      hasHidden: parsed.match.kind === "found" && parsed.match.route.textBytes !== undefined,
    }),
    namespaceOf: ({ parsed: { match, search } }) => {
      const inPath = match.kind === "found" ? match.path["namespace"] : undefined;
      return inPath ?? new URLSearchParams(search).get("namespace") ?? "";
    },
    costOf: ({ parsed: { match } }) =>
      match.kind === "found" ? costOfRoute(match.route) : readCost,
    handle: async (call) => {
      const { match } = call.parsed;
      if (match.kind === "none") throw noRoute(call.parsed.path);
      if (match.kind === "other-method") throw otherMethod(match.allowed);
      const own = readers.get(match.route);
      if (own !== undefined) await serve(input, call, match, own);
    },
    envelope: (error, { exchange, parsed }) => {
      const { status, contentType, headers, document } = problemOf(error, parsed.ids.trace);
      const own = { ...ownHeaders(parsed), "content-type": contentType };
      const all = { ...own, ...challengeHeaders(error), ...headers };
      exchange.send(status, all, JSON.stringify(document));
    },
    isFault: (error) => !isSetpointError(error) || error.code === "internal",
    labels: ({ exchange, parsed: { match } }) => ({
      ...noResource,
      surface: surfaceName,
      verb: exchange.method.toLowerCase(),
      route: match.kind === "found" ? match.route.path : "",
    }),
  };
}

function isPublicRoute(match: RestRequest["match"]): match is FoundRoute {
  return match.kind === "found" && match.route.access.kind === "public";
}

type FoundRoute = Extract<RestRequest["match"], { readonly kind: "found" }>;

async function serve(
  input: RestSurfaceInput,
  call: Call,
  { route, path }: FoundRoute,
  readers: RouteReaders,
): Promise<void> {
  const { exchange, parsed, user } = call;
  const { headers } = exchange;
  const traceId = parsed.ids.trace;
  const warnings: string[] = [];
  const caller = callerOf(call, warnings);
  const ifMatch = ifMatchOf(headers["if-match"]);
  const signal = AbortSignal.any([call.signal(), input.stopping]);
  const { request, bytes } = await checkedCall(input, route, readers, {
    path,
    search: parsed.search,
    completeQuery: (query) => withResumption(route, query, exchange),
    readBody: (maxBytes) => exchange.readBody(maxBytes, () => bodyTooLarge(maxBytes)),
    contentType: headers["content-type"],
    headerText: (name) => headerText(exchange, name),
    caller,
    ifMatch,
    traceId,
    signal,
    pages: streamedPages(exchange),
  });
  const perform = (): Promise<RouteAnswer> => route.handle(request);
  const key = route.idempotency === undefined ? undefined : headerText(exchange, idempotencyHeader);
  const { method, url } = exchange;
  const cause = causeOf(caller);
  const wordError = (error: unknown): WordedError => problemOf(error, traceId);
  const run = { user: user.name, cause, key, method, url, body: bytes, ifMatch, wordError };
  const answer = await runKeyed(input, run, perform);
  await sendAnswer(answer, {
    exchange,
    headers: { ...ownHeaders(parsed), ...warningHeaders(warnings) },
    signal,
    errorName: "problem",
    wordError: (error) => wordError(error).document,
    onError: input.onStreamError,
  });
}

function callerOf(call: Call, warnings: string[]): Caller {
  const { user, trail, parsed, impersonator, exchange } = call;
  const { ids } = parsed;
  return {
    user,
    tenant: tenantOfRequest(call),
    surface: surfaceName,
    impersonator,
    traceId: ids.trace,
    correlationId: ids.correlation,
    warn: (text) => warnings.push(text),
    reserveDocument: (bytes) => exchange.reserveDocument(bytes),
    annotate: (key, value) => trail?.annotate(key, value),
  };
}

/** A client of server-sent events resumes with Last-Event-ID. */
function withResumption(route: Route, query: JsonObject, exchange: Exchange): JsonObject {
  const last = route.stream === true ? headerText(exchange, "last-event-id") : undefined;
  if (last === undefined) return query;
  if (!/^\d{1,15}$/.test(last)) {
    const detail = "must be the id of an item of this stream, which is a revision";
    throw invalidRequest([{ field: "Last-Event-ID", detail }]);
  }
  return { ...query, after: Number(last) };
}

function headerText({ headers }: Exchange, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function ownHeaders({ ids }: ParsedRequest): Headers {
  return { "x-request-id": ids.request, "x-content-type-options": "nosniff" };
}

function split(url: string): readonly [string, string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

function noRoute(path: string): SetpointError {
  return new SetpointError("route.not_found", `the REST API has no path ${path.slice(0, 200)}`);
}

function otherMethod(allowed: readonly string[]): SetpointError {
  const allow = allowed.join(", ");
  return new SetpointError("request.method_not_allowed", `the path accepts ${allow}`, {
    details: { allow },
    suggestion: `use ${allow}`,
  });
}
