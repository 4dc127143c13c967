// The names by which people steer the engine and by which it keeps its own records. They are part
// of the product's interface: docs/reference/engine.md explains each.

export { annotations } from "../kernel/annotations.ts";

export { nestedFinalizer, pausedFinalizer } from "../kernel/engine-finalizers.ts";
export { reconcilerFinalizer as finalizer } from "../kernel/engine-finalizers.ts";

/** Kinds of the engine's own records in the store; no surface serves them. */
export const journalKind = "journals.setpoint.dev";
export const cursorKind = "cursors.setpoint.dev";
export const adoptionKind = "adoptions.setpoint.dev";
