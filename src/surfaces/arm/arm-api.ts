// The way in for the Resource Manager: who asks, whether they may, what is meant, and then the
// handler for it. All of that is known before a body is read; whatever goes wrong on the way is
// told in the envelope of the protocol, under the id of the request.

import type { Auditor, AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { Authentication } from "../../intents/auth/authentication.ts";
import { anonymousName, mastersGroup } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { textAt } from "../../kernel/json-read.ts";
import type { Timers } from "../../kernel/timers.ts";
import { auditedExchange, auditRequest } from "../http/audited-exchange.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import type { Fairness } from "../http/fairness.ts";
import { actionOf, findAction, performAction } from "./actions.ts";
import { addressed } from "./addressed.ts";
import { withinDeadline } from "./arm-deadline.ts";
import { askedBy, auditedFacts, factsOf } from "./arm-facts.ts";
import type { ArmFacts, Asked } from "./arm-facts.ts";
import { armErrorAnswer, armRefusal } from "./arm-error.ts";
import { namespaceOf } from "./arm-names.ts";
import { isDocumentPath, parentOf, typeOfPlace } from "./arm-path.ts";
import type { ArmPath, ArmPlace } from "./arm-path.ts";
import { baseUrl, idHeader, traceOf } from "./arm-request.ts";
import type { ArmAnswer, ArmRequest, ArmSurface, RequestIds } from "./arm-request.ts";
import { askedForAction, authorise, nowhere } from "./authorise.ts";
import { deleteOne } from "./deletions.ts";
import { armSurfaceName } from "./envelope-guard.ts";
import { operationKind, subscriptionKind } from "./face.ts";
import { located } from "./located.ts";
import { operationResult, operationStatus } from "./operation-answers.ts";
import { moveResources } from "./move.ts";
import { preflight } from "./preflight.ts";
import { checkName, providerOperations } from "./provider.ts";
import { getResource, listResources } from "./reads.ts";
import { patchResource, putResource } from "./resources.ts";
import type { SwaggerDocuments } from "./swagger/swagger.ts";
import {
  getSubscription,
  passSubscription,
  putSubscription,
  subscriptionVersion,
} from "./subscriptions.ts";

export { isArmPath } from "./arm-path.ts";

export interface ArmApiInput {
  readonly surface: ArmSurface;
  /** What describes the surface, under /swagger. */
  readonly documents: SwaggerDocuments;
  readonly authentication: Authentication;
  readonly fairness: Fairness;
  readonly timers: Timers;
  /** Common names of the certificates of the resource manager. */
  readonly managers: ReadonlySet<string>;
  /** Records requests; absent when nobody wants a record. */
  readonly audit?: Auditor | undefined;
  /** Told of each request when it comes, and by the returned function when it is answered. */
  readonly onRequest?: () => (answered: ArmFacts & { readonly status: number }) => void;
  /** Told of each answer, under the ids of its request. */
  readonly onAnswer: (answered: ArmAnswered) => void;
  readonly onError: (error: unknown, answered: ArmAnswered) => void;
}

export interface ArmAnswered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ids: RequestIds;
}

export type ArmApi = (exchange: Exchange) => Promise<void>;

export function armApi(input: ArmApiInput): ArmApi {
  return async (exchange) => {
    const finished = input.onRequest?.();
    const asked = askedBy(exchange);
    const facts = factsOf(input.surface, asked);
    const ids = idsOf(input, exchange);
    const arrival = new Arrival(exchange, asked, facts, ids);
    const told = (status: number): ArmAnswered => {
      const [path = ""] = exchange.url.split("?", 1);
      return { method: exchange.method, path, status, ids };
    };
    const late = (error: unknown): void => input.onError(error, told(504));
    try {
      const answer = await withinDeadline(input.timers, answerTo(input, arrival), late);
      send(arrival.exchange, ids, answer);
    } catch (error) {
      const answer = armErrorAnswer(error);
      if (answer.status >= 500 && !isExpected(error)) input.onError(error, told(answer.status));
      const headers = errorHeaders(answer.status, error);
      try {
        send(arrival.exchange, ids, { ...answer, headers });
      } catch (tooMuch) {
        // Whatever cannot be said, nobody is left without an answer.
        input.onError(tooMuch, told(500));
        send(arrival.exchange, ids, armErrorAnswer(tooMuch));
      }
    } finally {
      finished?.({ ...facts, status: exchange.status });
      input.onAnswer(told(exchange.status));
    }
  };
}

/** A request on its way, under the eyes of the audit log once it is known who asks. */
class Arrival {
  exchange: Exchange;
  trail: AuditTrail | undefined;
  readonly asked: Asked;
  readonly facts: ArmFacts;
  readonly ids: RequestIds;

  constructor(exchange: Exchange, asked: Asked, facts: ArmFacts, ids: RequestIds) {
    this.exchange = exchange;
    this.asked = asked;
    this.facts = facts;
    this.ids = ids;
  }

  audit(auditor: Auditor | undefined, user: UserInfo): void {
    if (auditor === undefined) return;
    const { asked, facts, ids } = this;
    const info = auditedFacts(facts, asked);
    const request = { info, id: ids.request, hasHidden: facts.hasHidden };
    this.trail = auditor.begin(auditRequest(this.exchange, request), user);
    if (this.trail !== undefined) this.exchange = auditedExchange(this.exchange, this.trail);
  }
}

function isExpected(error: unknown): boolean {
  return isSetpointError(error) && error.status !== 500;
}

function errorHeaders(status: number, error: unknown): Headers {
  const allow = isSetpointError(error) ? textAt(error.details, "allow") : "";
  if (allow !== "") return { allow };
  return status === 429 || status === 503 ? { "retry-after": 10 } : {};
}

function idsOf({ surface }: ArmApiInput, exchange: Exchange): RequestIds {
  const request = surface.intents.ids.uid();
  const correlation = idHeader(exchange, "x-ms-correlation-request-id") ?? request;
  return {
    request,
    correlation,
    client: idHeader(exchange, "x-ms-client-request-id"),
    trace: traceOf(exchange, correlation),
  };
}

function send(exchange: Exchange, ids: RequestIds, answer: ArmAnswer): void {
  const wantsEcho = exchange.headers["x-ms-return-client-request-id"];
  const isEchoed = typeof wantsEcho === "string" && wantsEcho.toLowerCase() === "true";
  const { status, headers = {}, body } = answer;
  const text = answer.text ?? (body === undefined ? "" : JSON.stringify(body));
  if (text.length > maxAnswerBytes / 3 && Buffer.byteLength(text) > maxAnswerBytes) {
    throw new Error(`an answer of ${text.length} characters is too large`);
  }
  const all = {
    "x-ms-request-id": ids.request,
    "x-ms-correlation-request-id": ids.correlation,
    ...(isEchoed && ids.client !== undefined ? { "x-ms-client-request-id": ids.client } : {}),
    "cache-control": "no-cache",
    ...(text === "" ? {} : contentHeaders),
    ...headers,
  };
  // As bytes it leaves together with the other answers of this turn.
  exchange.send(status, all, text === "" ? "" : Buffer.from(text));
}

/** Messages are in English, whichever languages a client accepts. */
const contentHeaders = {
  "content-type": "application/json; charset=utf-8",
  "content-language": "en",
};

/** The Resource Manager takes no larger ones. Lists end before; an action may have much to say. */
const maxAnswerBytes = 8_000_000;

async function answerTo(input: ArmApiInput, arrival: Arrival): Promise<ArmAnswer> {
  const { surface, managers } = input;
  const user = await userOf(input, arrival);
  const { exchange, trail, ids } = arrival;
  const { certificate } = exchange;
  if (user.name === anonymousName) {
    const message = "The request has no credentials.";
    throw armRefusal(401, { code: "AuthenticationFailed", message });
  }
  const isManager = certificate !== undefined && managers.has(certificate.commonName);
  if (isDocumentPath(exchange.url)) return documentCall(input, exchange, user, isManager);
  const { path, query } = arrival.asked;
  if (path === undefined) throw nowhere(exchange);
  const request: ArmRequest = {
    exchange,
    query,
    user,
    isManager,
    caller: {
      user,
      through: armSurfaceName,
      warn: () => undefined,
      annotate: (key, value) => trail?.annotate(key, value),
    },
    ids,
    trail,
  };
  // Answers tell where to ask further: that this can be told is known before anything is changed.
  baseUrl(request);
  if (isManager || user.groups.includes(mastersGroup)) {
    return await dispatch(surface, request, path);
  }
  // One who floods the server slows down only themselves; who keeps it running is let in.
  const kind = exchange.method === "GET" || exchange.method === "HEAD" ? "read" : "write";
  const place = input.fairness.enter(kind, user.name);
  if (place !== undefined) await place;
  try {
    return await dispatch(surface, request, path);
  } finally {
    input.fairness.leave(kind, user.name);
  }
}

async function userOf({ authentication, audit }: ArmApiInput, arrival: Arrival): Promise<UserInfo> {
  const { headers, certificate } = arrival.exchange;
  try {
    const user = await authentication.authenticate({ headers, peerCertificate: certificate });
    arrival.audit(audit, user);
    return user;
  } catch (error) {
    // Whose credentials were not good; the record of the attempt names no user.
    arrival.audit(audit, { name: "", groups: [], extra: {} });
    throw error;
  }
}

/** Versions for operators are shown to those who may read them, and never to customers. */
function documentCall(
  { surface, documents }: ArmApiInput,
  exchange: Exchange,
  user: UserInfo,
  isManager: boolean,
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
    case "subscription":
      return await subscriptionCall(surface, request, path.subscription);
    case "resource":
      return await resourceCall(surface, request, path);
    case "collection":
      return await collectionCall(surface, request, path);
    case "operationStatus":
    case "operationResult": {
      allowMethods(request, "GET", "HEAD");
      const namespace = namespaceOf(path.subscription);
      authorise(surface, request, operationKind, { verb: "get", namespace, name: path.id });
      if (path.kind === "operationStatus") return await operationStatus(surface, path);
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
  const meant = addressed(surface, given, place);
  if (place.group === undefined) throw nowhere(given.exchange);
  const passed = method in writes ? passes(surface, place, writes[method] ?? "write") : undefined;
  // Roles may name single resources by what they are called in the store.
  const found = await located(surface, meant);
  const { target, served } = found;
  const { namespace, name } = target;
  const ask = (verb: string): void =>
    authorise(surface, given, served.id, { verb, namespace, name, isAdmin: found.version.isAdmin });
  const request = { ...given, caller: { ...given.caller, mayCreate: () => ask("create") } };
  ask(verbs[method] ?? "get");
  switch (method) {
    case "PUT":
      await passed?.();
      return await putResource(surface, request, found);
    case "PATCH":
      await passed?.();
      return await patchResource(surface, request, found);
    case "DELETE":
      await passed?.();
      return await deleteOne(surface, request, found);
    default:
      return await getResource(surface, request, found);
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
  const found = addressed(surface, request, place);
  const { namespace } = found.target;
  const { isAdmin } = found.version;
  authorise(surface, request, found.served.id, { verb: "list", namespace, name: "", isAdmin });
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
  const action = actionOf(found.face, name);
  authorise(surface, request, found.served.id, askedForAction(action, found.target));
  await passSubscription(surface, place.subscription, "write");
  return await performAction(surface, request, found, action);
}

function allowMethods({ exchange }: ArmRequest, ...methods: readonly string[]): string {
  const { method } = exchange;
  if (methods.includes(method)) return method;
  const allow = methods.join(", ");
  const message = `The method '${method}' is not allowed here; allowed are ${allow}.`;
  const refused = armRefusal(405, { code: "MethodNotAllowed", message });
  const details = { ...refused.details, allow };
  throw new SetpointError(refused.code, message, { details });
}
