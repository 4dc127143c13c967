// The parent of an object, by whose path the object is reached. It is looked at by every run, so
// that its changes wake the resource: where the parent was made anew, what was in the old one may
// be gone. What is still at its old path stays there; what is not is looked for under the parent
// as it is now, and only then made there.

import { ReconcileFailure, failed, waiting } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { isTrue } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import { objectsAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Binding, Management } from "../binding.ts";
import { unnamedParent } from "../plan/unnamed-parent.ts";
import { expandPath, parametersIn, templateNames } from "../plan/requests.ts";
import type { Parameters } from "../plan/requests.ts";
import { isSameAs } from "./lookalikes.ts";
import { observe } from "./observing.ts";
import { hasMoved } from "./placing.ts";
import { observeRenamed } from "./renamed.ts";
import type { Followed } from "./renamed.ts";
import type { Session } from "./session.ts";
import { holdersOf } from "./siblings.ts";

export type ParentFound =
  | { readonly kind: "found"; readonly parameters: Parameters }
  /** Nothing can be made in it now. */
  | { readonly kind: "ends"; readonly outcome: Outcome };

export const noParent: ParentFound = { kind: "found", parameters: {} };

/** A parent has to be ready before anything is made in it. */
export async function parentOf(
  binding: Binding,
  management: Management,
  context: Context,
): Promise<ParentFound> {
  const { parent } = binding;
  if (parent?.kind === undefined) return noParent;
  const name = management.parent?.name;
  if (name === undefined) {
    // Its parameters may be given instead, for a parent that nobody manages here.
    const problem = unnamedParent(binding, management);
    if (problem === undefined) return noParent;
    return { kind: "ends", outcome: failed("Invalid", problem, { retry: "never" }) };
  }
  const blocker = { kind: parent.kind, name, condition: "Ready" };
  const found = await context.references.get(blocker);
  const path = textAt(found, "status", "connect", "path");
  const conditions = objectsAt(found, "status", "conditions") as unknown as readonly Condition[];
  const parameters = path === "" ? undefined : parametersIn(parent.path, path);
  const isReplaced = presentObjectAt(found, "status", "connect", "replacing") !== undefined;
  const isGoing = found?.metadata.deletionTimestamp !== undefined || isReplaced;
  if (!isGoing && parameters !== undefined && isTrue(conditions, "Ready")) {
    return { kind: "found", parameters };
  }
  const message = `its parent ${parent.kind} ${name} ${stateOf(found, isReplaced)}`;
  return { kind: "ends", outcome: waiting(blocker, { message }) };
}

function stateOf(found: Resource | undefined, isReplaced: boolean): string {
  if (found === undefined) return "does not exist";
  if (found.metadata.deletionTimestamp !== undefined) return "is being deleted";
  return isReplaced ? "is being replaced" : "is not ready";
}

/** For what has its place: whatever is wrong with the parent counts once it is not there. */
export async function parentOfPlaced(
  binding: Binding,
  management: Management,
  context: Context,
): Promise<ParentFound> {
  try {
    return await parentOf(binding, management, context);
  } catch (error) {
    if (!(error instanceof ReconcileFailure)) throw error;
    return { kind: "ends", outcome: error.outcome };
  }
}

/** What is at the path; or, where that is gone and the parent is elsewhere, in the parent. */
export async function observeInParent(session: Session, path: string): Promise<Followed> {
  const looked = await observeRenamed(session, path);
  if (looked.kind === "ends" || looked.observed.kind === "present") return looked;
  const { book, compiled } = session;
  const { lastApplied } = book.pages;
  const other = pathInParent(session);
  // Under a name of ours anybody may have made one: only an id of the service tells that it is it.
  if (other === undefined || compiled.binding.identity.kind !== "server") return looked;
  if (lastApplied === undefined || hasMoved(session)) return looked;
  // A parent that was given another id has kept what is in it.
  book.set({ path: other });
  const observed = await observe(session, other);
  const isSame = observed.kind === "present" && isSameAs(session, observed.object, lastApplied);
  if (isSame && (await holdersOf(session, other)).length === 0) return { kind: "looked", observed };
  book.set({ path });
  return looked;
}

/** Where the object would be under its parent as it is now; undefined where that is its path. */
export function pathInParent({ book, compiled, parent }: Session): string | undefined {
  const { path } = book.pages;
  const { binding } = compiled;
  const known = path === undefined ? undefined : parametersIn(binding.item, path);
  if (known === undefined || parent.kind !== "found" || binding.parent === undefined) {
    return undefined;
  }
  const { parameters } = parent;
  const isOther = templateNames(binding.parent.path).some(
    (name) => Object.hasOwn(parameters, name) && parameters[name] !== known[name],
  );
  return isOther ? expandPath(binding.item, { ...known, ...parameters }) : undefined;
}
