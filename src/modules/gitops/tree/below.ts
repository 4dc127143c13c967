// What was read below the managed objects of a deployment.

import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { referenceOf } from "../object-reference.ts";
import type { Health, HealthRules } from "../status/health.ts";
import type { TreeObject } from "./object-tree.ts";

export interface Below {
  readonly objects: readonly TreeObject[];
  /** Objects that the caller may not read. */
  readonly hidden: number;
  /** Further objects that were not read. */
  readonly omitted: number;
  /** What is not known, and why. */
  readonly notes: readonly string[];
}

export function nothingBelow(...notes: readonly string[]): Below {
  return { objects: [], hidden: 0, omitted: 0, notes };
}

export function treeObjectOf(object: JsonObject, rules: HealthRules): TreeObject {
  const at = referenceOf(object, textAt(object, "metadata", "namespace"));
  const health = rules.assess(at, object);
  return {
    at,
    uid: textAt(object, "metadata", "uid"),
    owners: ownersOf(object),
    shown: health === undefined ? {} : { health: healthDocument(health) },
  };
}

export function ownersOf(object: JsonObject): readonly string[] {
  const references = objectsAt(object, "metadata", "ownerReferences");
  return references.map((reference) => textAt(reference, "uid"));
}

function healthDocument({ status, message }: Health): JsonObject {
  return { status, ...(message === "" ? {} : { message }) };
}
