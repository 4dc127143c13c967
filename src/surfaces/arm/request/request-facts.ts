// What the audit log and the metrics say of a request, known from its method and path: the kind
// that stands behind the type, and where the resource is stored, so that policies and dashboards
// for the Kubernetes API fit this one, too. What nobody serves has no name here, since clients
// could make up any number of them.

import type { AuditFacts } from "../../http/audit.ts";
import type { RequestLabels } from "../../http/metrics.ts";
import { findAction } from "./find-action.ts";
import {
  isSameText,
  namespaceOf,
  storedName,
} from "../../../modules/resource-provider/arm-names.ts";
import { isDocumentPath } from "../protocol/arm-path.ts";
import { typeOfPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmSurface } from "./surface-state.ts";
import type { ParsedUrl } from "./parsed-urls.ts";
import { bodySchema } from "../../../modules/resource-provider/faces/body-schema.ts";
import { operationKind, subscriptionKind } from "../../../modules/resource-provider/face.ts";
import type { ArmAction, ArmFace } from "../../../modules/resource-provider/face.ts";

export interface ArmFacts extends Omit<AuditFacts, "path" | "name" | "hasHidden"> {
  /** Which of the few kinds of paths it is. */
  readonly route: string;
  /** What only the audit log wants to know. */
  readonly hidden: () => HiddenFacts;
}

export interface HiddenFacts {
  /** Of the stored resource. */
  readonly name: string;
  /** Whether bodies may hold what is never shown. */
  readonly hasHidden: boolean;
}

export function factsOf(
  surface: ArmSurface,
  method: string,
  { url, path, query }: ParsedUrl,
): ArmFacts {
  const verb = method.toLowerCase();
  if (isDocumentPath(url)) return { ...nothing, verb, route: "documents" };
  if (path === undefined) return { ...nothing, verb, route: "unknown" };
  switch (path.kind) {
    case "resource":
    case "collection":
      return factsOfPlace(surface, path, { method, version: query.get("api-version") ?? "" });
    case "subscription":
      return ofKind(surface, subscriptionKind, {
        ...nothing,
        verb: verbOf(method),
        route: path.kind,
        hidden: () => ({ name: path.subscription.toLowerCase(), hasHidden: false }),
      });
    case "operationStatus":
    case "operationResult":
      return ofKind(surface, operationKind, {
        ...nothing,
        namespace: namespaceOf(path.subscription),
        verb: verbOf(method),
        route: path.kind,
        // A result may be what an action shows.
        hidden: () => ({ name: path.id.toLowerCase(), hasHidden: path.kind === "operationResult" }),
      });
    default: {
      const hasHidden = path.kind === "preflight";
      return { ...nothing, verb, route: path.kind, hidden: () => ({ name: "", hasHidden }) };
    }
  }
}

export function auditFactsOf(facts: ArmFacts, { url }: ParsedUrl): AuditFacts {
  const [path = ""] = url.split("?", 1);
  return { ...facts, path, ...facts.hidden() };
}

export function labelsOf(facts: ArmFacts): RequestLabels {
  const { group, version, resource, subresource, verb, route } = facts;
  return { group, version, resource, subresource, verb, route, surface: "arm" };
}

const nothing = {
  isResource: false,
  group: "",
  version: "",
  resource: "",
  subresource: "",
  namespace: "",
  hidden: (): HiddenFacts => ({ name: "", hasHidden: false }),
};

interface Call {
  readonly method: string;
  readonly version: string;
}

function factsOfPlace(
  surface: ArmSurface,
  place: ArmPlace & { readonly kind: "resource" | "collection" },
  { method, version }: Call,
): ArmFacts {
  const { provider, types } = place;
  const own = surface.faces.find(provider, typeOfPlace(place));
  const holder =
    own === undefined ? surface.faces.find(provider, types.slice(0, -1).join("/")) : undefined;
  const action = holder && findAction(holder, types.at(-1) ?? "");
  const face = action === undefined ? own : holder;
  if (face === undefined) {
    const hidden = (): HiddenFacts => ({ name: "", hasHidden: true });
    return { ...nothing, verb: method.toLowerCase(), route: place.kind, hidden };
  }
  const isOne = place.kind === "resource" || action !== undefined;
  return ofKind(surface, face.kind, {
    ...nothing,
    namespace: namespaceOf(place.subscription),
    verb: isOne ? verbOf(method, action) : method === "GET" ? "list" : verbOf(method),
    version: face.versions.find((each) => isSameText(each.apiVersion, version))?.apiVersion ?? "",
    route: action === undefined ? place.kind : "action",
    subresource: action?.name.toLowerCase() ?? "",
    hidden: () => {
      const at = action === undefined ? place : { ...place, types: types.slice(0, -1) };
      const hasHidden = action !== undefined || hidesAny(surface, face);
      return { name: isOne ? storedName(at) : "", hasHidden };
    },
  });
}

function hidesAny({ intents }: ArmSurface, { kind, versions }: ArmFace): boolean {
  if (intents.kinds.byId(kind)?.hasHidden === true) return true;
  return versions.some((version) => bodySchema(version).hasHidden);
}

/** What nobody serves is not named. */
function ofKind({ intents }: ArmSurface, id: string, facts: ArmFacts): ArmFacts {
  const served = intents.kinds.byId(id);
  if (served === undefined) {
    const { verb, route, hidden } = facts;
    return { ...nothing, verb, route, hidden: () => ({ ...hidden(), name: "" }) };
  }
  const { group, names } = served.kind;
  return { ...facts, isResource: true, group, resource: names.plural };
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
