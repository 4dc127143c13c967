// The APIs of all Offerings as one surface of the request pipeline. A request is read here in a
// fixed order: Offering, access, route, rate, query, guard, body, then the handler of the route.

import type { FleetRequest } from "../../modules/fleet/api/fleet-route.ts";
import type { FleetState } from "../../modules/fleet/fleet-state.ts";
import { adminThrough, publicThrough } from "../../modules/fleet/names.ts";
import type { ModuleLog } from "../../contract/ports.ts";
import type { Caller } from "../../intents/request.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import type { Ids } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { shortText } from "../../kernel/short-text.ts";
import { readCost } from "../http/admit.ts";
import type { RequestCost } from "../http/admit.ts";
import type { Headers } from "../http/exchange.ts";
import { noResource } from "../http/metrics.ts";
import { collectedPages } from "../http/page-memory.ts";
import type { HttpSurface, ParsedRequest, SurfaceRequest } from "../http/surface.ts";
import { tenantOfRequest } from "../http/tenant.ts";
import { ExchangeIds } from "../http/trace.ts";
import { bodyReader, bodyTooLarge } from "../rest/request-body.ts";
import type { BodyReader } from "../rest/request-body.ts";
import { costOfRoute } from "../rest/route-cost.ts";
import type { RouteMatch } from "../rest/router.ts";
import { sendAnswer, warningHeaders } from "../rest/send-answer.ts";
import { authorise, authoriseClass, hiddenCause, namespaceOfCaller } from "./authorise.ts";
import type { Asking } from "./authorise.ts";
import { fleetErrorOf } from "./fleet-error.ts";
import { parseFleetPath } from "./fleet-path.ts";
import type { FleetPath } from "./fleet-path.ts";
import { readQuery } from "./fleet-query.ts";
import type { TakeRequest } from "./request-rates.ts";
import type { MountedRoute, ServedOffering, ServedOfferings } from "./served-offerings.ts";

export interface FleetSurfaceInput {
  readonly offerings: ServedOfferings;
  readonly state: Pick<FleetState, "directory" | "organisations">;
  readonly takeRequest: TakeRequest;
  readonly authorizer: Authorizer;
  readonly ids: Ids;
  readonly log: ModuleLog;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

type Match = RouteMatch<MountedRoute>;

interface FleetParsed extends ParsedRequest, FleetPath {
  /** Undefined when no Offering has the plural of the path. */
  readonly served: ServedOffering | undefined;
  readonly match: Match;
}

type Call = SurfaceRequest<FleetParsed>;

const surfaceName = "fleet";

export function fleetSurface(input: FleetSurfaceInput): HttpSurface<FleetParsed> {
  return {
    name: surfaceName,
    prefixes: [{ path: "/api/*_mgmt" }],
    impersonation: input.authorizer,
    answerWithinMs: limits.requestTimeoutMs,
    parse: (exchange) => {
      const path = parseFleetPath(exchange.url);
      const served = input.offerings.byPlural(path.plural);
      const match: Match = served?.router.find(exchange.method, path.path) ?? { kind: "none" };
      const ids = new ExchangeIds(exchange, input.ids.uid());
      return { ...path, ids, isOpen: false, served, match };
    },
    // Such as the document of the API, which is large.
    isPublic: ({ match }) => match.kind === "found" && match.route.route.access.kind === "public",
    auditFacts: ({ parsed, exchange }) => ({
      verb: exchange.method.toLowerCase(),
      isResource: false,
      path: parsed.path,
      ...noResource,
      namespace: "",
      name: "",
      hasHidden: false,
    }),
    namespaceOf: () => "",
    memberNamespaceOf: (call) => memberNamespace(input, call),
    costOf,
    handle: (call) => serve(input, call),
    envelope: (error, call) => {
      logHiddenCause(input, error, call);
      const { status, contentType, headers, document } = worded(error, call);
      const all = { ...ownHeaders(call), "content-type": contentType, ...headers };
      call.exchange.send(status, all, JSON.stringify(document));
    },
    isFault: (error) => !isSetpointError(error) || error.code === "internal",
    labels: ({ exchange, parsed: { match, plural } }) => ({
      ...noResource,
      surface: surfaceName,
      verb: exchange.method.toLowerCase(),
      route: match.kind === "found" ? `/api/${plural}_mgmt${match.route.path}` : "",
    }),
  };
}

async function serve(input: FleetSurfaceInput, call: Call): Promise<void> {
  const { parsed, exchange } = call;
  const { match, served } = parsed;
  if (served === undefined) throw notFound();
  if (match.kind !== "found") throw unrouted(input, call, served, match);
  const { route, apiClass } = match.route;
  const asking = askingOf(input, call, served, match.path["cluster"]);
  const caller = authorise(route.access.kind, { ...asking, role: route.access.role });
  if (route.access.kind !== "public") input.takeRequest(served.offering, apiClass, caller);
  const warnings: string[] = [];
  const request: FleetRequest = {
    offering: served.offering,
    fleetCaller: caller,
    caller: { ...callerOf(call, warnings), through: throughOf[apiClass] },
    path: match.path,
    query: readQuery(route, parsed.search),
    body: undefined,
    operationId: parsed.ids.request,
    userAgent: exchange.headers["user-agent"] ?? "",
    tenant: tenantOfRequest(call),
    signal: AbortSignal.any([call.signal(), input.stopping]),
    pages: collectedPages(exchange),
  };
  await route.guard?.(request);
  const body = route.body === undefined ? undefined : await readBody(call, route.body);
  const answer = await route.handle({ ...request, body });
  await sendAnswer(answer, {
    exchange,
    headers: { ...ownHeaders(call), ...warningHeaders(warnings) },
    signal: request.signal,
    errorName: "error",
    wordError: (error) => worded(error, call).document,
    onError: (error) =>
      input.log.info(
        { operation_id: parsed.ids.request, error: String(error) },
        "fleet stream ended",
      ),
  });
}

/** What to answer where no route matches. The APIs that are hidden stay so. */
function unrouted(
  input: FleetSurfaceInput,
  call: Call,
  served: ServedOffering,
  match: Exclude<Match, { readonly kind: "found" }>,
): SetpointError {
  const { apiClass } = call.parsed;
  if (apiClass !== "public") authoriseClass(apiClass, askingOf(input, call, served, undefined));
  if (match.kind === "none") return notFound();
  const allow = match.allowed.join(", ");
  return new SetpointError("request.method_not_allowed", `the path accepts ${allow}`, {
    details: { allow },
  });
}

async function readBody({ exchange }: Call, schema: JsonObject): Promise<JsonObject> {
  const read = bodyReaders.get(schema) ?? bodyReader(schema);
  bodyReaders.set(schema, read);
  const bytes = await exchange.readBody(limits.maxRestBodyBytes, bodyTooLarge);
  // A report without a body would be an empty report.
  if (bytes.length === 0) {
    throw new SetpointError("fleet.body_invalid", "the body is empty: send a JSON object");
  }
  return read(bytes, exchange.headers["content-type"]);
}

/** By the schema of a route, which lives as long as its Offering does not change. */
const bodyReaders = new WeakMap<JsonObject, BodyReader>();

function askingOf(
  { state }: FleetSurfaceInput,
  { user, exchange }: Call,
  { offering }: ServedOffering,
  cluster: string | undefined,
): Asking {
  return { offering, state, user, method: exchange.method, cluster };
}

function memberNamespace(input: FleetSurfaceInput, call: Call): string | undefined {
  const { served, apiClass } = call.parsed;
  if (served === undefined) return undefined;
  return namespaceOfCaller(apiClass, askingOf(input, call, served, undefined));
}

function costOf({ parsed: { match, search } }: Call): RequestCost {
  if (match.kind !== "found") return readCost;
  const { method, isList, isWatchable } = match.route.route;
  const isStream = isWatchable === true && new URLSearchParams(search).get("watch") === "true";
  return costOfRoute({
    method,
    ...(isStream ? { stream: true } : {}),
    ...(isList === true ? { isList } : {}),
  });
}

/** For the rules of admission that depend on the API. */
const throughOf = { public: publicThrough, admin: adminThrough, agent: "fleet-agent" } as const;

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

function worded(error: unknown, { parsed }: Call): ReturnType<typeof fleetErrorOf> {
  const instances = parsed.served?.offering.instances ?? unknownInstances(parsed.plural);
  return fleetErrorOf(error, { offering: { instances }, operationId: parsed.ids.request });
}

/** The errors of an Offering that does not exist have its name, as far as it could be one. */
function unknownInstances(plural: string): ServedOffering["offering"]["instances"] {
  const name = /^[a-z][a-z0-9]{0,55}$/.test(plural) ? plural : "fleet";
  const none = { singular: undefined, shortNames: [], parameters: undefined };
  return { group: "", kind: "", plural: name, ...none };
}

function ownHeaders({ parsed }: Call): Headers {
  return {
    "x-operation-id": parsed.ids.request,
    vary: "Authorization",
    "x-content-type-options": "nosniff",
  };
}

/** The caller learns "not found"; the operators of agents and admins need the cause. */
function logHiddenCause({ log }: FleetSurfaceInput, error: unknown, call: Call): void {
  if (!isSetpointError(error, "fleet.not_found")) return;
  const cause = textAt(error.details, hiddenCause);
  if (cause === "") return;
  const { parsed, user, exchange } = call;
  const fields = {
    operation_id: parsed.ids.request,
    user: user.name,
    method: exchange.method,
    path: shortText(parsed.path, limits.maxLoggedPathChars),
    cause,
  };
  log.warn(fields, "fleet request refused as not found");
}

function notFound(): SetpointError {
  return new SetpointError("fleet.not_found", "Resource not found");
}
