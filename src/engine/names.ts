// The names by which people steer the engine and by which it keeps its own records. They are part
// of the product's interface: docs/reference/engine.md explains each.

/** Annotations of a resource. */
export const annotations = {
  /** "true": nothing runs, not even a deletion, until it is removed. */
  paused: "setpoint.dev/paused",
  /** "manage" (all), "skip" (look only, leave it on deletion), "detach-on-delete". */
  policy: "setpoint.dev/policy",
  /** Any new value asks for a run now; it is echoed in status.reconcile.handledRequest. */
  request: "setpoint.dev/reconcile",
  /** "true": a deletion is refused. */
  protected: "setpoint.dev/deletion-protection",
  /** On a namespace: how much more than others it may run at a time. */
  weight: "setpoint.dev/weight",
  /** On a definition: its resources have a reconciler, so every write of one makes it due. */
  reconciled: "setpoint.dev/reconciled",
} as const;

/** Held while there is something in the outside to take back. */
export const finalizer = "setpoint.dev/reconciler";

/** Kinds of the engine's own records in the store; no surface serves them. */
export const journalKind = "journals.setpoint.dev";
export const cursorKind = "cursors.setpoint.dev";
export const adoptionKind = "adoptions.setpoint.dev";
