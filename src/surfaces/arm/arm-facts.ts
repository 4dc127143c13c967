// What the audit log and the metrics say of a request, known from its method and path: the kind
// that stands behind the type, and where the resource is stored, so that policies and dashboards
// for the Kubernetes API fit this one, too. What nobody serves has no name here, since clients
// could make up any number of them.

import type { AuditedFacts } from "../http/audited-exchange.ts";
import type { Exchange } from "../http/exchange.ts";
import { findAction } from "./actions.ts";
import { isSameText, namespaceOf, storedName } from "./arm-names.ts";
import { armQuery, isDocumentPath, parseArmPath, typeOfPlace } from "./arm-path.ts";
import type { ArmPath, ArmPlace } from "./arm-path.ts";
import type { ArmSurface } from "./arm-request.ts";
import { bodySchema } from "./body-schema.ts";
import { operationKind, subscriptionKind } from "./face.ts";
import type { ArmAction, ArmFace } from "./face.ts";

/** A request as its URL says, read once. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly path: ArmPath | undefined;
  readonly query: ReadonlyMap<string, string>;
}

export interface ArmFacts extends Omit<AuditedFacts, "path" | "name"> {
  /** Which of the few kinds of paths it is. */
  readonly route: string;
  /** Made only for those who want it, since it takes a digest. */
  readonly nameOf: () => string;
  /** Whether bodies may hold what is never shown. */
  readonly hasHidden: boolean;
}

export function askedBy({ method, url }: Pick<Exchange, "method" | "url">): Asked {
  return { method, url, path: parseArmPath(url), query: armQuery(url) };
}

export function factsOf(surface: ArmSurface, { method, url, path, query }: Asked): ArmFacts {
  const other = { ...nothing, verb: method.toLowerCase() };
  if (isDocumentPath(url)) return { ...other, route: "documents" };
  if (path === undefined) return { ...other, route: "unknown" };
  const version = query.get("api-version") ?? "";
  return { ...other, route: path.kind, ...factsOfPath(surface, path, { method, version }) };
}

/** What the audit log wants to know besides. */
export function auditedFacts(facts: ArmFacts, { url }: Asked): AuditedFacts {
  const [path = ""] = url.split("?", 1);
  return { ...facts, path, name: facts.nameOf() };
}

const nothing = {
  isResource: false,
  group: "",
  version: "",
  resource: "",
  subresource: "",
  namespace: "",
  nameOf: () => "",
  hasHidden: false,
};

interface Call {
  readonly method: string;
  readonly version: string;
}

function factsOfPath(surface: ArmSurface, path: ArmPath, call: Call): Partial<ArmFacts> {
  switch (path.kind) {
    case "resource":
    case "collection":
      return factsOfPlace(surface, path, call);
    case "subscription": {
      const nameOf = (): string => path.subscription.toLowerCase();
      return ofKind(surface, subscriptionKind, { nameOf, verb: verbOf(call.method) });
    }
    case "operationStatus":
    case "operationResult": {
      return ofKind(surface, operationKind, {
        namespace: namespaceOf(path.subscription),
        nameOf: () => path.id.toLowerCase(),
        verb: verbOf(call.method),
        // A result may be what an action shows.
        hasHidden: path.kind === "operationResult",
      });
    }
    case "preflight":
      return { hasHidden: true };
    default:
      return {};
  }
}

function factsOfPlace(
  surface: ArmSurface,
  place: ArmPlace & { readonly kind: "resource" | "collection" },
  { method, version }: Call,
): Partial<ArmFacts> {
  const { provider, types } = place;
  const own = surface.faces.find(provider, typeOfPlace(place));
  const holder =
    own === undefined ? surface.faces.find(provider, types.slice(0, -1).join("/")) : undefined;
  const action = holder && findAction(holder, types.at(-1) ?? "");
  const face = action === undefined ? own : holder;
  if (face === undefined) return { hasHidden: true };
  const isOne = place.kind === "resource" || action !== undefined;
  const at = action === undefined ? place : { ...place, types: types.slice(0, -1) };
  return {
    ...ofKind(surface, face.kind, {
      namespace: namespaceOf(place.subscription),
      nameOf: () => (isOne ? storedName(at) : ""),
      verb: isOne ? verbOf(method, action) : method === "GET" ? "list" : verbOf(method),
    }),
    version: face.versions.find((each) => isSameText(each.apiVersion, version))?.apiVersion ?? "",
    ...(action === undefined ? {} : { route: "action", subresource: action.name.toLowerCase() }),
    hasHidden: action !== undefined || hidesAny(surface, face),
  };
}

function hidesAny({ intents }: ArmSurface, { kind, versions }: ArmFace): boolean {
  if (intents.kinds.byId(kind)?.hasHidden === true) return true;
  return versions.some((version) => bodySchema(version).hasHidden);
}

function ofKind({ intents }: ArmSurface, id: string, facts: Partial<ArmFacts>): Partial<ArmFacts> {
  const served = intents.kinds.byId(id);
  if (served === undefined) return {};
  const { group, names } = served.kind;
  return { isResource: true, group, resource: names.plural, ...facts };
}

function verbOf(method: string, action?: ArmAction): string {
  if (action !== undefined) return "create";
  switch (method) {
    case "GET":
    case "HEAD":
      return "get";
    case "PUT":
      return "update";
    case "POST":
      return "create";
    default:
      return method.toLowerCase();
  }
}
