// A ResourceQuota as far as it counts objects: "count/KIND.GROUP" for any kind, and the old names
// of some built-in ones. Each limit is a counter of the store, held by the objects themselves and
// bounded by the quota, so that two servers can never both use the last place.

import { createHash } from "node:crypto";
import { objectAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { kindId } from "../../../kernel/kind.ts";
import type { Kind } from "../../../kernel/kind.ts";
import { limits } from "../../../kernel/limits.ts";
import { quantitiesOf } from "../../builtin/resource-names.ts";

export const quotasKind = "resourcequotas";

export interface Quota {
  readonly namespace: string;
  readonly name: string;
  /** The limits on numbers of objects, by the name that the quota gives the resource. */
  readonly hard: ReadonlyMap<string, number>;
}

const nanosPerUnit = 1_000_000_000n;
const aliased = new Set(["configmaps", "secrets", "services", "resourcequotas"]);

export function quotaOf({ metadata, spec }: Resource): Quota {
  const hard = new Map<string, number>();
  // Scopes are about pods, so a quota with one says nothing about numbers of other objects.
  const isScoped =
    textsAt(spec, "scopes").length > 0 || valueAt(spec, "scopeSelector") !== undefined;
  for (const [resource, { nanos }] of isScoped ? [] : quantitiesOf(objectAt(spec, "hard"))) {
    if (countedKind(resource) === undefined) continue;
    const max = Number(nanos / nanosPerUnit);
    hard.set(resource, Math.min(max, limits.maxCounterAmount));
  }
  return { namespace: metadata.namespace ?? "", name: metadata.name, hard };
}

/** The kind that a resource of a quota counts; undefined when it is not a number of objects. */
export function countedKind(resource: string): string | undefined {
  if (resource.startsWith("count/")) return resource.slice("count/".length);
  return aliased.has(resource) ? resource : undefined;
}

/** The names under which quotas may limit a kind. */
export function quotaNamesOf(kind: Kind): readonly string[] {
  const id = kindId(kind);
  return aliased.has(id) ? [id, `count/${id}`] : [`count/${id}`];
}

/** What objects hold, and what the quota bounds. */
export function counterOf({ namespace, name }: Quota, resource: string): string {
  return bounded(`quota:${namespace}/${name}/${resource}`);
}

/** How many objects the quota itself holds a place for: those that are older than it. */
export function olderCounterOf({ namespace, name }: Quota, resource: string): string {
  return bounded(`older:${namespace}/${name}/${resource}`);
}

const maxCounterBytes = 512;

function bounded(counter: string): string {
  if (Buffer.byteLength(counter) <= maxCounterBytes) return counter;
  return `quota:${createHash("sha256").update(counter).digest("hex")}`;
}
