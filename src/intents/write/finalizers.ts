// A deletion is asked for first and happens when nothing holds the resource any more. What holds
// it are its finalizers, the three of garbage collection among them, and for a namespace also
// its content.

import { nestedFinalizer } from "../../kernel/engine-finalizers.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { ServedKind } from "../kinds/served-kind.ts";

export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

/** The names that need no domain in front. */
export const standardFinalizers: ReadonlySet<string> = new Set([
  orphanFinalizer,
  foregroundFinalizer,
  "kubernetes",
]);

/** Those of Kubernetes, and "Nested": first goes what is inside, see engine-finalizers.ts. */
export type Propagation = "Orphan" | "Background" | "Foreground" | "Nested";

export function isHeld(served: ServedKind, resource: Resource): boolean {
  if ((resource.metadata.finalizers ?? []).length > 0) return true;
  return served.rules?.isHeld?.(resource) ?? false;
}

/** The write that lets go of the last finalizer of a deleted resource removes it. */
export function isReadyToGo(served: ServedKind, resource: Resource): boolean {
  return resource.metadata.deletionTimestamp !== undefined && !isHeld(served, resource);
}

/** The finalizers a resource has once its deletion was asked for in this way. */
export function finalizersFor(
  finalizers: readonly string[],
  propagation: Propagation | undefined,
): readonly string[] {
  if (propagation === undefined) return finalizers;
  if (propagation === "Nested") {
    return finalizers.includes(nestedFinalizer) ? finalizers : [...finalizers, nestedFinalizer];
  }
  const others = finalizers.filter(
    (finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer,
  );
  const order = finalizers.filter((finalizer) => !others.includes(finalizer));
  const wanted =
    propagation === "Orphan"
      ? orphanFinalizer
      : propagation === "Foreground"
        ? foregroundFinalizer
        : undefined;
  if (wanted === undefined) return others;
  return order.includes(wanted) && order.length === 1 ? finalizers : [...others, wanted];
}
