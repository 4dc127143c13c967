// What the engine writes into a status is held against the schema of its kind, like what anybody
// writes: a status that breaks it would stand in the way of every later edit. Unknown fields are
// taken out, wrong ones are refused with their names, and the run is then settled as refused. The
// engine's own fields always survive: without them it would not know what it has done.

import { readyType, syncedType } from "../engine/run/status.ts";
import type { ServedKind } from "../intents/kinds/served-kind.ts";
import { invalid } from "../intents/refusals.ts";
import type { FieldError } from "../kernel/field-error.ts";
import { getOwn, isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";

const ownFields = ["observedGeneration", "conditions", "reconcile"] as const;
const ownPath = new RegExp(`^(?:${ownFields.join("|")})(?:[.[]|$)`);

/** `before` is what is stored: what was wrong there already is let pass. */
export function checkedStatus(
  served: ServedKind,
  resource: Resource,
  before: Resource | undefined,
  reportDropped: (fields: readonly string[]) => void = () => undefined,
): Resource {
  const given = getOwn(resource, "status");
  if (!isJsonObject(given)) return resource;
  if (before !== undefined && getOwn(before, "status") === given) return resource;
  if (resource.apiVersion !== served.storage.apiVersion) return resource;
  const judged = served.storage.type.judgeStatus?.(resource, before);
  if (judged === undefined) return resource;
  const errors = judged.errors.filter((error) => !isForgiven(error, given));
  if (errors.length > 0) {
    throw invalid(served.kind, resource.metadata.name, errors);
  }
  if (judged.status === given) return resource;
  const dropped = judged.unknown.filter((path) => !ownPath.test(path));
  if (dropped.length > 0) reportDropped(dropped.map((path) => `status.${path}`));
  return { ...resource, status: withOwnFields(judged.status, given) };
}

/** A schema that says little of `reconcile`, or nothing of the rest, takes nothing away. */
function withOwnFields(pruned: Json, given: JsonObject): JsonObject {
  const status: MutableJsonObject = isJsonObject(pruned) ? { ...pruned } : {};
  for (const key of ownFields) {
    const own = getOwn(given, key);
    if (own === undefined) continue;
    if (key === "reconcile" || getOwn(status, key) === undefined) status[key] = own;
  }
  return status;
}

/**
 * What the engine says is never wrong; and it has to say something before the author has had a
 * chance to fill in what the schema requires of a status.
 */
function isForgiven({ kind, path }: FieldError, given: JsonObject): boolean {
  if (kind === "required" && /^status\.[^.[]+$/.test(path)) return true;
  if (path === "status.conditions") return true;
  if (/^status\.(?:observedGeneration|reconcile)(?:[.[]|$)/.test(path)) return true;
  const [, index] = /^status\.conditions\[(\d+)\]/.exec(path) ?? [];
  const conditions = getOwn(given, "conditions");
  if (index === undefined || !isJsonArray(conditions)) return false;
  const condition = conditions[Number(index)] ?? null;
  const name = isJsonObject(condition) ? getOwn(condition, "type") : undefined;
  return name === readyType || name === syncedType;
}
