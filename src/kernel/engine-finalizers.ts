// The finalizers by which the engine and garbage collection hold what is being deleted. The write
// path adds the last two, the engine heeds all, so they have one home below.

import { isPaused } from "./paused.ts";
import type { Resource } from "./resource.ts";

/** Held while there is something in the outside to take back. */
export const reconcilerFinalizer = "setpoint.dev/reconciler";

/**
 * Of what was deleted while it was paused and had nothing to be taken back: it goes when work on it
 * goes on. Not the same as the other: `remove` is not run for what nothing was done for.
 */
export const pausedFinalizer = "setpoint.dev/paused";

/**
 * Of what others are inside of: these go first, and only then is it taken back itself. What it made
 * for its own use stays until then, other than in the foreground.
 */
export const nestedFinalizer = "setpoint.dev/nested";

export function isHeldByEngine({ metadata: { finalizers = [] } }: Resource): boolean {
  return finalizers.includes(reconcilerFinalizer) || finalizers.includes(pausedFinalizer);
}

/** Nothing is done about its deletion, to what it owns neither, until it is paused no more. */
export function isDeletionPaused(resource: Resource): boolean {
  return isPaused(resource) && isHeldByEngine(resource);
}

/** For a resource of a kind with a reconciler, in the write that marks it as deleted. */
export function heldWhilePaused(resource: Resource): Resource {
  if (!isPaused(resource) || isHeldByEngine(resource)) return resource;
  const { metadata } = resource;
  const finalizers = [...(metadata.finalizers ?? []), pausedFinalizer];
  return { ...resource, metadata: { ...metadata, finalizers } };
}
