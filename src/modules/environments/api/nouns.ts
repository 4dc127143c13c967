// The collections of the REST API and the kind behind each. A document has the spec and the status
// of the resource as the Kubernetes API has them, so that one reference describes both APIs.

import type { KindInput } from "../../../kernel/kind.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { environmentKind } from "../kinds/environment-kind.ts";
import { externalKind, groupKind } from "../kinds/group-kind.ts";
import { operationKind } from "../kinds/operation-kind.ts";
import { planKind } from "../kinds/plan-kind.ts";
import { resourceKind } from "../kinds/resource-kind.ts";
import { rolloutKind } from "../kinds/rollout-kind.ts";
import { templateKind } from "../kinds/template-kind.ts";
import { environmentsGroup } from "../names.ts";

export interface Noun {
  /** In paths and in the names of commands. */
  readonly word: string;
  /** For people, in the singular, with its article. */
  readonly one: string;
  readonly many: string;
  readonly kind: KindInput;
}

export const environmentNoun: Noun = {
  word: "environments",
  one: "an environment",
  many: "environments",
  kind: environmentKind,
};

export const templateNoun: Noun = {
  word: "templates",
  one: "a template",
  many: "templates",
  kind: templateKind,
};

export const resourceNoun: Noun = {
  word: "resources",
  one: "a resource of an environment",
  many: "resources of environments",
  kind: resourceKind,
};

export const groupNoun: Noun = {
  word: "resource-groups",
  one: "a resource group",
  many: "resource groups",
  kind: groupKind,
};

export const externalNoun: Noun = {
  word: "external-resources",
  one: "an external resource",
  many: "external resources",
  kind: externalKind,
};

export const operationNoun: Noun = {
  word: "operations",
  one: "an operation",
  many: "operations",
  kind: operationKind,
};

export const planNoun: Noun = { word: "plans", one: "a plan", many: "plans", kind: planKind };

export const rolloutNoun: Noun = {
  word: "template-rollouts",
  one: "a rollout of a template",
  many: "rollouts of templates",
  kind: rolloutKind,
};

export function kindIdOf({ kind }: Noun): string {
  return `${kind.names.plural}.${environmentsGroup}`;
}

/** The schema of a part of the kind, such as its spec. */
export function partSchema({ kind }: Noun, part: "spec" | "status"): JsonObject {
  return objectAt(kind.versions[0]?.schema, "properties", part);
}

/** The document of one resource. */
export function documentSchema(noun: Noun): JsonObject {
  return {
    type: "object",
    required: ["id", "namespace", "uid", "revision", "createdAt", "spec"],
    properties: {
      id: { type: "string" },
      namespace: { type: "string" },
      uid: { type: "string" },
      revision: { type: "integer" },
      generation: { type: "integer", description: "Counts the changes of the spec." },
      createdAt: { type: "string", format: "date-time" },
      deletedAt: {
        type: "string",
        format: "date-time",
        description: "When its deletion began; absent for a resource that is not being deleted.",
      },
      labels: { type: "object", additionalProperties: { type: "string" } },
      spec: partSchema(noun, "spec"),
      status: partSchema(noun, "status"),
    },
  };
}
