// Keeps the number of updaters in managedFields bounded: beyond the limit the oldest ones of each
// version are folded into one entry called "ancient-changes". Appliers are never folded, since
// each of them must find its own fields again.

import { limits } from "../limits.ts";
import { union } from "./field-set.ts";
import { managerId, managerOrder, secondsOf, withFields } from "./managed-fields.ts";
import type { Manager, Managers } from "./managed-fields.ts";

export function cappedManagers(managers: Managers): Managers {
  if (managers.size <= limits.maxUpdateManagers) return managers;
  const updaters = [...managers.values()].filter(({ operation }) => operation === "Update");
  let excess = updaters.length - limits.maxUpdateManagers;
  if (excess <= 0) return managers;
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, Manager>();
  for (const manager of updaters.sort(olderFirst)) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, manager);
      continue;
    }
    const bucket: Manager = { ...manager, name: "ancient-changes", subresource: "" };
    const bucketId = managerId(bucket);
    let folded = capped.get(bucketId);
    if (folded === undefined) {
      capped.delete(managerId(first));
      folded = first;
    }
    const fields = union(manager.fields, folded.fields);
    capped.delete(managerId(manager));
    capped.set(bucketId, withFields({ ...bucket, entry: undefined }, fields));
    excess--;
  }
  return capped;
}

function olderFirst(a: Manager, b: Manager): number {
  const seconds = secondsOf(a.time) - secondsOf(b.time);
  if (seconds !== 0) return seconds;
  return managerOrder(a) < managerOrder(b) ? -1 : 1;
}
