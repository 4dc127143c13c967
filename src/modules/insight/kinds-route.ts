// GET /api/v1/kinds: the served kinds, with what the caller may do with them. One answer instead of
// a discovery document for each group and a review for each kind.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../contract/route.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { kindId } from "../../kernel/kind.ts";
import { objectSchema, onlyNamespaceField } from "./schemas.ts";

const text = { type: "string" };
const texts = { type: "array", items: text };

const kindSchema = objectSchema(
  {
    kind: { ...text, description: "Plural and group, as in the paths of this API." },
    name: { ...text, description: "As in the field `kind` of a resource." },
    plural: text,
    group: text,
    version: { ...text, description: "The preferred version." },
    versions: texts,
    shortNames: texts,
    categories: texts,
    scope: { type: "string", enum: ["Namespaced", "Cluster"] },
    isBuiltIn: { type: "boolean" },
    isReconciled: { type: "boolean", description: "A reconciler of a module handles it." },
    verbs: { ...texts, description: "The verbs that the kind has." },
    may: { ...texts, description: "Those of them that the caller may use." },
  },
  ["kind", "name", "plural", "group", "version", "scope", "verbs", "may"],
);

export function kindsRoute(ports: RoutePorts): Route {
  return {
    method: "GET",
    path: "/api/v1/kinds",
    summary: "List the served kinds, and what you may do with them.",
    description:
      "`may` is about the namespace of the query; without one, about all namespaces together. " +
      "Subresources, such as `status`, are not included: see SelfSubjectRulesReview.",
    tag: "State",
    access: { kind: "authenticated" },
    query: objectSchema({ namespace: onlyNamespaceField }),
    answers: {
      200: {
        description: "The kinds, sorted.",
        schema: objectSchema({ kinds: { type: "array", items: kindSchema } }, ["kinds"]),
      },
    },
    errors: [400],
    isList: true,
    handle: (request) => listKinds(ports, request),
  };
}

async function listKinds(ports: RoutePorts, { query, caller }: RouteRequest): Promise<RouteAnswer> {
  const namespace = textAt(query, "namespace");
  const kinds = ports.kinds
    .all()
    .filter(({ verbs }) => verbs.includes("list"))
    .map((served) => kindJson(served, (verb) => may(ports, caller, served, verb, namespace)))
    .toSorted((one, other) => (textAt(one, "kind") < textAt(other, "kind") ? -1 : 1));
  return {
    kind: "document",
    status: 200,
    document: { kinds },
    headers: { "cache-control": "no-store" },
  };
}

function may(
  { authorizer }: RoutePorts,
  { user }: RouteRequest["caller"],
  { kind }: ServedKind,
  verb: string,
  namespace: string,
): boolean {
  const place = kind.scope === "Namespaced" ? namespace : "";
  const what = { group: kind.group, resource: kind.names.plural, subresource: "", name: "" };
  const access = { kind: "resource", verb, ...what, namespace: place } as const;
  return authorizer.authorize(user, access).allowed;
}

function kindJson(served: ServedKind, isAllowed: (verb: string) => boolean): JsonObject {
  const { kind, preferred, isReconciled, verbs } = served;
  const { names, group, scope, origin } = kind;
  const { plural, shortNames, categories } = names;
  return {
    kind: kindId(kind),
    name: names.kind,
    plural,
    group,
    version: preferred.name,
    versions: kind.versions.filter((each) => each.served).map(({ name }) => name),
    shortNames: [...shortNames],
    categories: [...categories],
    scope,
    isBuiltIn: origin === "built-in",
    isReconciled,
    verbs: [...verbs],
    may: verbs.filter((verb) => isAllowed(verb)),
  };
}
