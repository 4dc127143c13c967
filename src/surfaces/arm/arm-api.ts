// The Resource Manager as a surface of the request pipeline: authorises the user, finds the
// resource that is meant and calls the handler. All of that happens before a body is read. An error
// is sent in the envelope of the protocol, under the id of the request.

import type { Caller } from "../../intents/request.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { listCost, readCost, writeCost } from "../http/admit.ts";
import type { RequestCost } from "../http/admit.ts";
import type { HttpSurface, SurfaceRequest } from "../http/surface.ts";
import { tenantOfRequest } from "../http/tenant.ts";
import { performAction } from "./action/actions.ts";
import { actionOf, findAction } from "./request/find-action.ts";
import { addressed, rightInVersion } from "./request/addressed.ts";
import { isFault, sendAnswer, sendError } from "./protocol/arm-answer.ts";
import { armRefusal } from "./protocol/arm-error.ts";
import { auditFactsOf, labelsOf } from "./request/request-facts.ts";
import { namespaceOf } from "../../modules/resource-provider/arm-names.ts";
import { parentOf, typeOfPlace } from "../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../modules/resource-provider/resource-id.ts";
import { armPrefixes, isDocumentPath } from "./protocol/arm-path.ts";
import type { ArmPath } from "./protocol/arm-path.ts";
import { parseArmRequest } from "./request/parsed-request.ts";
import type { ArmParsed, ParseInput } from "./request/parsed-request.ts";
import { baseUrl } from "./request/arm-request.ts";
import type { ArmAnswer } from "./protocol/arm-answer.ts";
import type { ArmRequest } from "./request/arm-request.ts";
import type { ArmSurface } from "./request/surface-state.ts";
import { ParsedUrls } from "./request/parsed-urls.ts";
import { rightForAction, authorise, nowhere } from "./request/authorise.ts";
import { deleteOne } from "./resource/deletions.ts";
import { armSurfaceName } from "../../modules/resource-provider/envelope-guard.ts";
import { operationKind, subscriptionKind } from "../../modules/resource-provider/face.ts";
import { assumed, located } from "./resource/located.ts";
import type { Located } from "./resource/located.ts";
import { operationResult } from "./poll/operation-result.ts";
import { operationStatus } from "./poll/operation-status.ts";
import { checkPolledVersion } from "./poll/polled-operation.ts";
import { moveResources } from "./subscription/move.ts";
import { preflight } from "./subscription/preflight.ts";
import { checkManagerVersion, checkProviderVersion } from "./request/provider-version.ts";
import { checkName, providerOperations } from "./subscription/provider.ts";
import { getResource, listResources } from "./resource/reads.ts";
import type { Reauthorize } from "./resource/sent-body.ts";
import { patchResource, putResource } from "./resource/writes.ts";
import type { SwaggerDocuments } from "./swagger/swagger.ts";
import { getSubscription, putSubscription } from "./subscription/subscriptions.ts";
import { passSubscription, subscriptionVersion } from "./request/subscription-gate.ts";

export interface ArmApiInput extends ParseInput {
  /** What describes the surface, under /swagger. */
  readonly documents: SwaggerDocuments;
}

/** The Resource Manager gives up after 60 s, and the answer needs time to arrive. */
export const answerWithinMs = 55_000;

type ArmCall = SurfaceRequest<ArmParsed>;

export function armApi(input: ArmApiInput): HttpSurface<ArmParsed> {
  const urls = new ParsedUrls();
  return {
    name: "arm",
    prefixes: armPrefixes,
    answerWithinMs,
    parse: (exchange) => parseArmRequest(input, urls, exchange),
    auditFacts: ({ parsed }) => auditFactsOf(parsed.facts, parsed.parsedUrl),
    namespaceOf: ({ parsed: { parsedUrl } }) => {
      const { path } = parsedUrl;
      const isOfOne = path !== undefined && "subscription" in path;
      return isOfOne ? namespaceOf(path.subscription) : "";
    },
    costOf,
    handle: async (call) => {
      const { parsed } = call;
      const answer = await answerTo(input, call);
      if (!call.exchange.isAnswered) sendAnswer(call.exchange, parsed.ids, answer);
      if (parsed.parsedUrl.memory.isOver === true) urls.forget(parsed.parsedUrl);
    },
    envelope: (error, { exchange, parsed }) => sendError(exchange, parsed.ids, error),
    isFault,
    labels: ({ parsed }) => labelsOf(parsed.facts),
    isLogged: ({ exchange }) => !isRead(exchange.method),
  };
}

/** Documents and unknown paths cost nothing, and the resource manager limits its own clients. */
function costOf({ exchange, parsed }: ArmCall): RequestCost | undefined {
  if (parsed.isManager || parsed.parsedUrl.path === undefined) return undefined;
  if (!isRead(exchange.method)) return writeCost;
  return parsed.parsedUrl.path.kind === "collection" ? listCost : readCost;
}

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Not async, because one promise less for each request can be measured. */
function answerTo(input: ArmApiInput, call: ArmCall): ArmAnswer | Promise<ArmAnswer> {
  const { exchange, trail, user } = call;
  const { parsedUrl, ids, isManager } = call.parsed;
  const { path, query } = parsedUrl;
  if (isDocumentPath(exchange.url)) return documentCall(input, call);
  if (path === undefined) throw nowhere(exchange);
  const caller = callerOf(call);
  const request: ArmRequest = { exchange, parsedUrl, query, user, isManager, caller, ids, trail };
  // Answers contain URLs: an unusable host is refused before anything is changed.
  baseUrl(request);
  return dispatch(input.surface, request, path);
}

function callerOf(call: ArmCall): Caller {
  const { user, trail, exchange } = call;
  const { ids } = call.parsed;
  const caller: Caller = {
    user,
    tenant: tenantOfRequest(call),
    surface: armSurfaceName,
    correlationId: ids.correlation,
    get traceId() {
      return ids.trace;
    },
    through: armSurfaceName,
    warn,
    reserveDocument: (bytes) => exchange.reserveDocument(bytes),
  };
  if (trail === undefined) return caller;
  return { ...caller, annotate: (key, value) => trail.annotate(key, value) };
}

/** There is no place for warnings in the protocol. */
function warn(): void {}

/** Versions for operators are shown to those who may read them, and never to customers. */
function documentCall(
  { surface, documents }: ArmApiInput,
  { exchange, user, parsed: { isManager } }: ArmCall,
): ArmAnswer {
  const [path = ""] = exchange.url.replace(/^\/+/, "/").split("?", 1);
  const isOperator =
    !isManager &&
    surface.authorizer.authorize(user, { kind: "path", verb: "get", path: "/swagger/admin" })
      .allowed;
  const body = documents.find(path, isOperator);
  if (body === undefined) throw nowhere(exchange);
  return { status: 200, body };
}

async function dispatch(
  surface: ArmSurface,
  request: ArmRequest,
  path: ArmPath,
): Promise<ArmAnswer> {
  switch (path.kind) {
    case "resource":
      return await resourceCall(surface, request, path);
    case "subscription":
      return await subscriptionCall(surface, request, path.subscription);
    case "collection":
      return await collectionCall(surface, request, path);
    case "operationStatus":
    case "operationResult": {
      allowMethods(request, "GET", "HEAD");
      const namespace = namespaceOf(path.subscription);
      authorise(surface, request, operationKind, { verb: "get", namespace, name: path.id });
      await checkPolledVersion(surface, request, path);
      if (path.kind === "operationStatus") return await operationStatus(surface, request, path);
      return await operationResult(surface, request, path);
    }
    case "operations":
      allowMethods(request, "GET", "HEAD");
      return providerOperations(surface, request, path.provider);
    default:
      return await postCall(surface, request, path);
  }
}

type PostPath = Extract<ArmPath, { readonly kind: "nameCheck" | "preflight" | "move" }>;

/** What is asked about names and deployments is for those who may read the subscription. */
async function postCall(
  surface: ArmSurface,
  request: ArmRequest,
  path: PostPath,
): Promise<ArmAnswer> {
  allowMethods(request, "POST");
  const name = path.subscription.toLowerCase();
  authorise(surface, request, subscriptionKind, { verb: "get", namespace: "", name });
  if (path.kind === "nameCheck") checkProviderVersion(surface, request, path.provider);
  else checkManagerVersion(request);
  await passSubscription(surface, path.subscription, "write");
  switch (path.kind) {
    case "nameCheck":
      return await checkName(surface, request, path);
    case "preflight":
      return await preflight(surface, request, path);
    default: {
      const namespace = namespaceOf(path.subscription);
      return await moveResources(surface, request, path, (kind, stored) =>
        authorise(surface, request, kind, { verb: "update", namespace, name: stored }),
      );
    }
  }
}

async function subscriptionCall(
  surface: ArmSurface,
  request: ArmRequest,
  subscription: string,
): Promise<ArmAnswer> {
  const method = allowMethods(request, "GET", "HEAD", "PUT");
  const verb = method === "PUT" ? "update" : "get";
  const name = subscription.toLowerCase();
  authorise(surface, request, subscriptionKind, { verb, namespace: "", name });
  const asked = request.query.get("api-version") ?? "";
  if (asked !== subscriptionVersion) {
    const message = `The api-version '${asked}' is invalid: it must be '${subscriptionVersion}'.`;
    throw armRefusal(400, { code: "InvalidApiVersionParameter", message });
  }
  if (verb === "get") return await getSubscription(surface, subscription);
  return await putSubscription(surface, request, subscription);
}

async function resourceCall(
  surface: ArmSurface,
  given: ArmRequest,
  place: ArmPlace,
): Promise<ArmAnswer> {
  const method = allowMethods(given, "GET", "HEAD", "PUT", "PATCH", "DELETE");
  if (place.group === undefined) throw nowhere(given.exchange);
  const meant = addressed(surface, given, place);
  const passed = method in writes ? passes(surface, place, writes[method] ?? "write") : undefined;
  // Roles may name single resources by what they are called in the store.
  const found = await (method === "PUT" ? assumed : located)(surface, meant);
  const mayDo = (at: Located, verb: string): void =>
    authorise(surface, given, at.served.id, rightInVersion(given, at, verb));
  mayDo(found, verbs[method] ?? "get");
  if (passed === undefined) return await getResource(surface, given, found);
  await passed();
  const requestFor = (at: Located): ArmRequest => {
    return { ...given, caller: { ...given.caller, mayCreate: () => mayDo(at, "create") } };
  };
  // Another resource may come to the path before it is written to.
  const reauthorize: Reauthorize = (at) => {
    mayDo(at, verbs[method] ?? "get");
    return requestFor(at);
  };
  const request = requestFor(found);
  switch (method) {
    case "PUT":
      return await putResource(surface, request, found, reauthorize);
    case "PATCH":
      return await patchResource(surface, request, found, reauthorize);
    default:
      return await deleteOne(surface, request, found, reauthorize);
  }
}

const writes: Readonly<Record<string, "write" | "delete">> = {
  PUT: "write",
  PATCH: "write",
  DELETE: "delete",
};

/** Asks for the state of the subscription at once, and tells of it once the caller is known. */
function passes(
  surface: ArmSurface,
  { subscription }: ArmPlace,
  what: "write" | "delete",
): () => Promise<unknown> {
  const passing = passSubscription(surface, subscription, what);
  passing.catch(() => undefined);
  return () => passing;
}

const verbs: Readonly<Record<string, string>> = { PUT: "update", PATCH: "patch", DELETE: "delete" };

async function collectionCall(
  surface: ArmSurface,
  request: ArmRequest,
  place: ArmPlace,
): Promise<ArmAnswer> {
  if (isActionPlace(surface, request, place)) {
    allowMethods(request, "POST");
    return await actionCall(surface, request, place);
  }
  allowMethods(request, "GET", "HEAD");
  // What is inside of a resource is listed there, and a resource is in a group.
  if (place.group === undefined && place.names.length > 0) throw nowhere(request.exchange);
  const found = addressed(surface, request, place);
  authorise(surface, request, found.served.id, rightInVersion(request, found, "list"));
  return await listResources(surface, request, found);
}

/** Where no type is, a POST is about an action, and the name of an action can be nothing else. */
function isActionPlace({ faces }: ArmSurface, { exchange }: ArmRequest, place: ArmPlace): boolean {
  const { provider, types } = place;
  if (types.length < 2 || faces.find(provider, typeOfPlace(place)) !== undefined) return false;
  if (exchange.method === "POST") return true;
  const holder = faces.find(provider, types.slice(0, -1).join("/"));
  return holder !== undefined && findAction(holder, types.at(-1) ?? "") !== undefined;
}

async function actionCall(
  surface: ArmSurface,
  request: ArmRequest,
  place: ArmPlace,
): Promise<ArmAnswer> {
  const name = place.types.at(-1) ?? "";
  const holder = parentOf({ ...place, names: [...place.names, ""] });
  if (holder === undefined || holder.group === undefined) throw nowhere(request.exchange);
  const found = await located(surface, addressed(surface, request, holder));
  const { served, version } = found;
  if (version.isAdmin === true) {
    authorise(surface, request, served.id, rightInVersion(request, found, "create"));
  }
  const action = actionOf(found.face, name);
  const reauthorize: Reauthorize = (at) => {
    authorise(surface, request, served.id, rightForAction(action, at.target));
    return request;
  };
  reauthorize(found);
  await passSubscription(surface, place.subscription, "write");
  return await performAction(surface, request, found, { action, reauthorize });
}

function allowMethods({ exchange }: ArmRequest, ...methods: readonly string[]): string {
  const { method } = exchange;
  if (methods.includes(method)) return method;
  const allow = methods.join(", ");
  const message = `The method '${method}' is not allowed; use one of ${allow}.`;
  const refused = armRefusal(405, { code: "MethodNotAllowed", message });
  const details = { ...refused.details, allow };
  throw new SetpointError(refused.code, message, { details });
}
