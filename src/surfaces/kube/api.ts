// The Kubernetes API: every request passes here. Who asks, whether they may, what is meant, and
// then the handler for it; whatever goes wrong on the way becomes a Status.

import type { Authentication } from "../../intents/auth/authentication.ts";
import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import { impersonate } from "../../intents/auth/impersonation.ts";
import type { Access, Authorizer } from "../../intents/auth/policy.ts";
import type { RequestHeaders } from "../../intents/auth/request-facts.ts";
import { anonymousUser, mastersGroup } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import { badRequest, methodNotAllowed } from "../../intents/refusals.ts";
import type { Caller } from "../../intents/request.ts";
import type { Auditor, AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { Exchange, Headers } from "../http/exchange.ts";
import { auditedExchange, auditRequest } from "../http/audited-exchange.ts";
import type { Fairness, RequestClass } from "../http/fairness.ts";
import { deleteObjects, listObjects, watchObjects } from "./collections.ts";
import type { ResourceRequest, Surface } from "./context.ts";
import type { Documents } from "./documents.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { createObject, deleteObject, getObject, patchObject, replaceObject } from "./objects.ts";
import { parseRequest } from "./request-info.ts";
import type { RequestInfo } from "./request-info.ts";
import { checkTimeout } from "./request-timeout.ts";
import { sendError } from "./respond.ts";
import { isPlaced, noSuchResource, routeOf, sendNowhere, unknownRoute } from "./routing.ts";
import { serveScale } from "./scale.ts";
import { warningHeaders } from "./warnings.ts";

/** Answers one plain path, such as /version, or says that it is not its own. */
export type PathHandler = (
  exchange: Exchange,
  info: RequestInfo,
  user: UserInfo,
) => boolean | Promise<boolean>;

/** Answers a resource whose requests are not about stored documents, such as reviews. */
export type SpecialHandler = (surface: Surface, request: ResourceRequest) => Promise<void>;

export interface KubeApiInput {
  readonly surface: Surface;
  readonly authentication: Authentication;
  readonly authorizer: Authorizer;
  readonly fairness: Fairness;
  readonly documents: Documents;
  readonly paths: readonly PathHandler[];
  /** By kind id, or kind id and subresource as in "serviceaccounts/token"; "*" is every kind. */
  readonly special: ReadonlyMap<string, SpecialHandler>;
  /** Paths that anybody may ask for without credentials, such as health checks. */
  readonly isOpen: (path: string) => boolean;
  readonly ids: Ids;
  /** Records requests; absent when nobody wants a record. */
  readonly audit?: Auditor | undefined;
  readonly onError: (error: unknown, exchange: Exchange) => void;
  /** Told of each request when it comes, and by the returned function when it is answered. */
  readonly onRequest?: () => (answered: Answered) => void;
}

export interface Answered {
  readonly status: number;
  /** Undefined when the request was not even understood. */
  readonly info: RequestInfo | undefined;
  /** Whether the resource that was asked for is one that is served. */
  readonly isKnown: boolean;
}

export type KubeApi = (exchange: Exchange) => Promise<void>;

export function kubeApi(input: KubeApiInput): KubeApi {
  return async (exchange) => {
    const headers = new AnswerHeaders(auditId(exchange, input.ids));
    const finished = input.onRequest?.();
    const info = parseRequest(exchange.method, exchange.url);
    try {
      await answer(input, exchange, headers, info);
    } catch (error) {
      if (!isSetpointError(error) || error.code === "internal") input.onError(error, exchange);
      const answered =
        headers.trail === undefined ? exchange : auditedExchange(exchange, headers.trail);
      if (!exchange.isAnswered) await sendError(answered, error, headers.all());
    } finally {
      const isKnown = info?.isResource === true && isServed(input, info);
      finished?.({ status: exchange.status, info, isKnown });
    }
  };
}

function isServed({ surface }: KubeApiInput, { group, version, resource }: RequestInfo): boolean {
  return surface.intents.kinds.find(group, version, resource) !== undefined;
}

/** What goes out with the answer besides its body. */
class AnswerHeaders {
  /** The record of the request, where one is made. */
  trail: AuditTrail | undefined;
  readonly #auditId: string;
  readonly #warnings = new Set<string>();

  constructor(id: string) {
    this.#auditId = id;
  }

  get auditId(): string {
    return this.#auditId;
  }

  warn(text: string): void {
    if (text !== "") this.#warnings.add(text);
  }

  all(): Headers {
    if (this.#warnings.size === 0) return { "audit-id": this.#auditId };
    return { "audit-id": this.#auditId, warning: warningHeaders(this.#warnings) };
  }
}

function auditId(exchange: Exchange, ids: Ids): string {
  const given = exchange.headers["audit-id"];
  return typeof given === "string" && /^[\w-]{1,64}$/.test(given) ? given : ids.uid();
}

async function answer(
  input: KubeApiInput,
  exchange: Exchange,
  headers: AnswerHeaders,
  info: RequestInfo | undefined,
): Promise<void> {
  if (info === undefined) throw badRequest("the URL of the request cannot be read");
  if (info.verb !== "watch") checkTimeout(info.query);
  if (!info.isResource && input.isOpen(info.path)) {
    await servePath(input, exchange, info, anonymousUser);
    return;
  }
  const user = await userOf(input, exchange, { info, headers });
  const kind = classOf(info);
  const place = isExempt(user) ? undefined : input.fairness.enter(kind, user.name);
  if (place !== undefined) await place;
  try {
    const { trail } = headers;
    const audited = trail === undefined ? exchange : auditedExchange(exchange, trail);
    await answerUser(input, audited, headers, { info, user });
    // Whoever does not read the answer keeps the place.
    await exchange.taken();
  } finally {
    if (!isExempt(user)) input.fairness.leave(kind, user.name);
  }
}

/** A place is taken for as long as a request runs; for a watch, that is until it ends. */
function classOf({ verb, isResource }: RequestInfo): RequestClass {
  if (verb === "watch") return "long";
  const isRead = !isResource || verb === "get" || verb === "list";
  return isRead ? "read" : "write";
}

/** Whoever may do everything must be able to repair an overloaded server. */
function isExempt({ groups }: UserInfo): boolean {
  return groups.includes(mastersGroup);
}

async function answerUser(
  input: KubeApiInput,
  exchange: Exchange,
  headers: AnswerHeaders,
  { info, user }: { readonly info: RequestInfo; readonly user: UserInfo },
): Promise<void> {
  authorise(input, user, info, headers.trail);
  if (!info.isResource) {
    await servePath(input, exchange, info, user);
    return;
  }
  const found = input.surface.intents.kinds.find(info.group, info.version, info.resource);
  if (found === undefined) {
    if (unknownRoute(input.surface.intents.kinds, info) === "nowhere") sendNowhere(exchange);
    return;
  }
  const { deprecationWarning } = found.version.definition;
  if (deprecationWarning !== undefined) headers.warn(deprecationWarning);
  const caller: Caller = {
    user,
    warn: (text) => headers.warn(text),
    mayCreate: () => authorise(input, user, { ...info, verb: "create" }, undefined),
    annotate: (key, value) => headers.trail?.annotate(key, value),
  };
  const request = { exchange, info, found, caller, headers: () => headers.all() };
  await serveResource(input, request);
}

interface Arrival {
  readonly info: RequestInfo;
  readonly headers: AnswerHeaders;
}

async function userOf(
  input: KubeApiInput,
  exchange: Exchange,
  arrival: Arrival,
): Promise<UserInfo> {
  const { authentication, authorizer } = input;
  const facts = { headers: exchange.headers, peerCertificate: exchange.certificate };
  let caller: UserInfo;
  try {
    caller = await authentication.authenticate(facts);
  } catch (error) {
    beginTrail(input, exchange, arrival, nobody);
    throw error;
  }
  const trail = beginTrail(input, exchange, arrival, caller);
  if (!hasImpersonation(exchange)) return caller;
  const impersonated = impersonate(caller, impersonationHeaders(exchange), authorizer);
  trail?.impersonate(impersonated);
  return impersonated;
}

/** Whose credentials were not good; the record of the attempt names no user. */
const nobody: UserInfo = { name: "", groups: [], extra: {} };

function beginTrail(
  { audit, surface }: KubeApiInput,
  exchange: Exchange,
  { info, headers }: Arrival,
  user: UserInfo,
): AuditTrail | undefined {
  if (audit === undefined) return undefined;
  const found = surface.intents.kinds.find(info.group, info.version, info.resource);
  const hasHidden = found?.served.hasHidden === true;
  const asked = { info, id: headers.auditId, hasHidden };
  headers.trail = audit.begin(auditRequest(exchange, asked), user);
  return headers.trail;
}

function hasImpersonation({ headers }: Exchange): boolean {
  for (const name in headers) if (name.startsWith("impersonate-")) return true;
  return false;
}

/** Groups and extras may come several times, each on a line of its own. */
function impersonationHeaders(exchange: Exchange): RequestHeaders {
  const names = Object.keys(exchange.headers).filter((name) => name.startsWith("impersonate-"));
  return Object.fromEntries(names.map((name) => [name, exchange.headerValues(name)]));
}

function authorise(
  { authorizer }: KubeApiInput,
  user: UserInfo,
  info: RequestInfo,
  trail: AuditTrail | undefined,
): void {
  const access = accessOf(info);
  const { allowed, reason } = authorizer.authorize(user, access);
  trail?.decide(allowed, reason);
  if (!allowed) throw forbiddenAccess(user, access, reason);
}

function accessOf(info: RequestInfo): Access {
  const { verb, path, group, resource, subresource, namespace, name } = info;
  if (!info.isResource) return { kind: "path", verb, path };
  const isMany = verb === "list" || verb === "watch" || verb === "deletecollection";
  const named = isMany && name === "" ? selectedName(info) : name;
  return { kind: "resource", verb, group, resource, subresource, namespace, name: named };
}

/** A list or watch of one name needs no more rights than reading that one. */
function selectedName({ query }: RequestInfo): string {
  const selector = query.get("fieldSelector");
  if (selector === null || !selector.includes("metadata.name")) return "";
  const [term, ...others] = parseFieldSelector(selector);
  const isName = term?.path === "metadata.name" && term.isEqual && others.length === 0;
  return isName ? term.value : "";
}

async function servePath(
  input: KubeApiInput,
  exchange: Exchange,
  info: RequestInfo,
  user: UserInfo,
): Promise<void> {
  for (const handler of input.paths) {
    if (await handler(exchange, info, user)) return;
  }
  const isRead = exchange.method === "GET" || exchange.method === "HEAD";
  if (isRead && input.documents.serve(exchange, info.path, info.query)) return;
  sendNowhere(exchange);
}

async function serveResource(input: KubeApiInput, request: ResourceRequest): Promise<void> {
  const { surface, special } = input;
  const { info, found } = request;
  const { id } = found.served;
  const { subresource } = info;
  const handler =
    subresource === ""
      ? special.get(id)
      : (special.get(`${id}/${subresource}`) ?? special.get(`*/${subresource}`));
  if (handler !== undefined) {
    if (!isPlaced(found.served, info) || info.rest.length > 0) throw noSuchResource();
    return await handler(surface, request);
  }
  if (routeOf(found, info) === "nowhere") {
    sendNowhere(request.exchange);
    return;
  }
  if (info.subresource === "scale") return await serveScale(surface, request);
  switch (info.verb) {
    case "get":
      return await getObject(surface, request);
    case "list":
      return await listObjects(surface, request);
    case "watch":
      return await watchObjects(surface, request);
    case "create":
      return await createObject(surface, request);
    case "update":
      return await replaceObject(surface, request);
    case "patch":
      return await patchObject(surface, request);
    case "delete":
      return await deleteObject(surface, request);
    case "deletecollection":
      return await deleteObjects(surface, request);
    default:
      throw methodNotAllowed(found.served.kind);
  }
}
