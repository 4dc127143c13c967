// Whether a Plan still describes what would happen. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { environmentLimits } from "../limits.ts";

/** The generations that a Plan saw: of the Environment, and of its resources by name. */
export function baseOf(environment: Resource, members: readonly Resource[]): JsonObject {
  const base: { [name: string]: number } = { environment: environment.metadata.generation ?? 0 };
  for (const { metadata } of members) base[metadata.name] = metadata.generation ?? 0;
  return base;
}

/** What has changed since, in words; empty when nothing has. */
export function changesSince(
  plan: Resource,
  environment: Resource,
  members: readonly Resource[],
): readonly string[] {
  const before = objectAt(plan.status, "base");
  const now = baseOf(environment, members);
  const changes: string[] = [];
  const planned = numberAt(before, "environment") ?? 0;
  if (numberAt(now, "environment") !== planned) {
    const is = numberAt(now, "environment") ?? 0;
    changes.push(`the Environment has changed since (generation ${is}, planned ${planned})`);
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (name === "environment") continue;
    const was = numberAt(before, name);
    const is = numberAt(now, name);
    if (was === is) continue;
    if (was === undefined) changes.push(`${name} was added`);
    else if (is === undefined) changes.push(`${name} was removed`);
    else changes.push(`${name} has changed since (generation ${is}, planned ${was})`);
  }
  return changes.slice(0, environmentLimits.maxNamed);
}
