// A request may be on its way while its subscription is deleted: it was let in, and the resources
// were cleared away before it added one more. So whoever has created a resource looks once again,
// at what this process knows as of the creation, like confirmPlace does with namespaces: what came
// before is known by then, and who clears away later finds the creation. The commit itself does not
// look, since then all writes of a subscription would wait for each other.

import { systemCaller } from "../../../intents/bootstrap.ts";
import { keyOfTarget } from "../../../intents/request.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { subscriptionKind } from "../../../modules/resource-provider/face.ts";
import type { Located } from "./located.ts";
import { passSubscription } from "../request/subscription-gate.ts";

/** Takes the resource back and refuses when its subscription is deleted by now. */
export async function checkNotTooLate(
  surface: ArmSurface,
  { place: { subscription }, target }: Pick<Located, "place" | "target">,
): Promise<void> {
  const { intents } = surface;
  const name = subscription.toLowerCase();
  const known = intents.live.get({ kind: subscriptionKind, namespace: "", name });
  if (textAt(known?.resource, "spec", "state") !== "Deleted") return;
  const record = await intents.store.get(keyOfTarget(target));
  if (record !== undefined) {
    const options = { isDryRun: false, propagation: undefined, raw: {} };
    const preconditions = { uid: record.uid };
    const deletion = { caller: systemCaller, target, options: { ...options, preconditions } };
    await deleteResource(intents, deletion).catch(unlessGone);
  }
  try {
    await passSubscription(surface, subscription, "write");
  } catch (error) {
    if (error instanceof Error) takenBack.add(error);
    throw error;
  }
}

const takenBack = new WeakSet<Error>();

/** Whether it says why a creation was taken back, which is no reason to look what is there. */
export function wasTakenBack(error: unknown): boolean {
  return error instanceof Error && takenBack.has(error);
}

/** Who clears away, too, may have been faster. */
function unlessGone(error: unknown): void {
  const isGone =
    isSetpointError(error, "resource.not_found") || isSetpointError(error, "resource.conflict");
  if (!isGone) throw error;
}
