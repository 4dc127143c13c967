// The Kubernetes API as a surface of the request pipeline: reads the URL, authorises the user,
// finds the kind and calls the handler. An error becomes a Status.

import { isSetpointError } from "../../kernel/errors.ts";
import type { Ids } from "../../kernel/ids.ts";
import { nextTurn } from "../../kernel/pauses.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { prepareKind } from "../../intents/kinds/served-kind.ts";
import { badRequest, methodNotAllowed } from "../../intents/refusals.ts";
import type { Caller } from "../../intents/request.ts";
import { listCost, longCost, readCost, writeCost } from "../http/admit.ts";
import type { RequestCost } from "../http/admit.ts";
import type { AuditFacts } from "../http/audit.ts";
import type { Exchange } from "../http/exchange.ts";
import { challengeHeaders } from "../http/identify.ts";
import { noResource } from "../http/metrics.ts";
import type { RequestLabels } from "../http/metrics.ts";
import type { HttpSurface, SurfaceRequest } from "../http/surface.ts";
import { tenantOfRequest } from "../http/tenant.ts";
import { authorise } from "./access.ts";
import { AnswerHeaders } from "./answer-headers.ts";
import { deleteObjects, listObjects, watchObjects } from "./collections.ts";
import type { RequestWork } from "./body.ts";
import type { ResourceRequest, Surface } from "./context.ts";
import type { Documents } from "./documents.ts";
import { createObject, deleteObject, getObject, patchObject, replaceObject } from "./objects.ts";
import { parseRequest } from "./request-info.ts";
import type { RequestInfo } from "./request-info.ts";
import { checkTimeout } from "./request-timeout.ts";
import { sendError } from "./respond.ts";
import { isPlaced, noSuchResource, routeOf, sendNowhere, unknownRoute } from "./routing.ts";
import { serveScale } from "./scale.ts";

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
  readonly authorizer: Authorizer;
  readonly documents: Documents;
  readonly paths: readonly PathHandler[];
  /** By kind id, or kind id and subresource as in "serviceaccounts/token"; "*" is every kind. */
  readonly special: ReadonlyMap<string, SpecialHandler>;
  /** Paths that need no credentials, such as health checks. */
  readonly isOpen: (path: string) => boolean;
  readonly ids: Ids;
}

/** What the URL of a request says, and the headers of its answer. */
export interface KubeParsed {
  readonly ids: AnswerHeaders["ids"];
  readonly isOpen: boolean;
  /** Undefined when the URL cannot be read. */
  readonly info: RequestInfo | undefined;
  readonly headers: AnswerHeaders;
}

const surfaceName = "kube";

type KubeRequest = SurfaceRequest<KubeParsed>;

export function kubeApi(input: KubeApiInput): HttpSurface<KubeParsed> {
  return {
    name: surfaceName,
    prefixes: [{ path: "/" }],
    allowsAnonymous: true,
    impersonation: input.authorizer,
    parse: (exchange) => {
      const info = parseRequest(exchange.method, exchange.url);
      const headers = new AnswerHeaders(exchange, input.ids);
      const isOpen = info !== undefined && !info.isResource && input.isOpen(info.path);
      return { ids: headers.ids, isOpen, info, headers };
    },
    check: ({ info }) => {
      if (info === undefined) throw badRequest("the URL of the request cannot be read");
      if (info.verb !== "watch") checkTimeout(info.query);
    },
    auditFacts: ({ parsed }) => auditFacts(input, readInfo(parsed)),
    namespaceOf: ({ parsed }) => readInfo(parsed).namespace,
    costOf: ({ parsed }) => costOf(readInfo(parsed)),
    handle: (request) => handle(input, request),
    envelope: (error, { exchange, parsed: { headers } }) =>
      sendError(exchange, error, { ...headers.all(), ...challengeHeaders(error) }),
    isFault: (error) => !isSetpointError(error) || error.code === "internal",
    labels: ({ parsed: { info } }) => labelsOf(input, info),
  };
}

/** `check` has refused every request without it. */
function readInfo({ info }: KubeParsed): RequestInfo {
  if (info === undefined) throw badRequest("the URL of the request cannot be read");
  return info;
}

function auditFacts({ surface }: KubeApiInput, info: RequestInfo): AuditFacts {
  const found = surface.intents.kinds.find(info.group, info.version, info.resource);
  return { ...info, hasHidden: found?.served.hasHidden === true };
}

/** What is not served has no name in the metrics: a client can invent any number of names. */
function labelsOf({ surface }: KubeApiInput, info: RequestInfo | undefined): RequestLabels {
  if (info === undefined) return { ...noResource, verb: "" };
  const { group, version, resource, subresource, verb } = info;
  const isServed =
    info.isResource && surface.intents.kinds.find(group, version, resource) !== undefined;
  return isServed ? { group, version, resource, subresource, verb } : { ...noResource, verb };
}

/** A place is taken for as long as a request runs; for a watch, that is until it ends. */
function costOf({ verb, isResource }: RequestInfo): RequestCost {
  if (!isResource || verb === "get") return readCost;
  if (verb === "list") return listCost;
  return verb === "watch" ? longCost : writeCost;
}

async function handle(input: KubeApiInput, request: KubeRequest): Promise<void> {
  const { exchange, user, trail, parsed } = request;
  const { headers, isOpen } = parsed;
  const info = readInfo(parsed);
  const { authorizer, surface } = input;
  if (!isOpen) authorise(authorizer, user, info, trail);
  if (!info.isResource) return await servePath(input, request, info);
  const found = surface.intents.kinds.find(info.group, info.version, info.resource);
  if (found === undefined) {
    if (unknownRoute(surface.intents.kinds, info) === "nowhere") sendNowhere(exchange);
    return;
  }
  const { deprecationWarning } = found.version.definition;
  if (deprecationWarning !== undefined) headers.warn(deprecationWarning);
  const { ids } = parsed;
  const tenant = tenantOfRequest(request);
  const caller: Caller = {
    user,
    tenant,
    surface: surfaceName,
    impersonator: request.impersonator,
    correlationId: ids.correlation,
    get traceId() {
      return ids.trace;
    },
    warn: (text) => headers.warn(text),
    mayCreate: () => authorise(authorizer, user, { ...info, verb: "create" }, undefined),
    reserveDocument: (bytes) => exchange.reserveDocument(bytes),
    annotate: (key, value) => trail?.annotate(key, value),
  };
  const work = workOf(input, tenant);
  const preparing = prepareKind(found, () => nextTurn(tenant));
  if (preparing !== undefined) await preparing;
  await serveResource(input, { exchange, info, found, caller, work, headers: () => headers.all() });
}

/** Heavy work for a tenant. */
function workOf({ surface }: KubeApiInput, tenant: string): RequestWork {
  return (job) => surface.heavy.run({ ...job, tenant });
}

async function servePath(
  input: KubeApiInput,
  request: KubeRequest,
  info: RequestInfo,
): Promise<void> {
  const { exchange, user } = request;
  const tenant = tenantOfRequest(request);
  for (const handler of input.paths) {
    if (await handler(exchange, info, user)) return;
  }
  const isRead = exchange.method === "GET" || exchange.method === "HEAD";
  const by = { run: workOf(input, tenant), pause: () => nextTurn(tenant) };
  const { path, query } = info;
  if (isRead && (await input.documents.serve({ exchange, path, query, by }))) return;
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
