/** The reconciler of a user module's kind, as the engine takes it. */
import { idOfModuleKind } from "../contract/user-module.ts";
import type { UserModuleKind } from "../contract/user-module.ts";
import type { Reconciler } from "../engine/reconciler.ts";

/**
 * The given object may be an instance of a class with methods, getters and private fields. Its
 * methods are called on it. Its options are read once, with the values that were checked.
 */
export function reconcilerOf(entry: Pick<UserModuleKind, "kind" | "reconciler">): Reconciler {
  const { reconciler: given } = entry;
  const { version, resyncMs, timeoutMs, concurrency, retry } = given;
  return {
    kind: idOfModuleKind(entry),
    reconcile: given.reconcile.bind(given),
    ...(given.remove === undefined ? {} : { remove: given.remove.bind(given) }),
    ...(given.observe === undefined ? {} : { observe: given.observe.bind(given) }),
    ...(version === undefined ? {} : { version }),
    ...(resyncMs === undefined ? {} : { resyncMs }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(retry === undefined ? {} : { retry }),
  };
}
