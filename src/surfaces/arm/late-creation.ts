// A request may be on its way while its subscription is deleted: it was let in, and the resources
// were cleared away before it added one more. So whoever has created a resource looks once again.
// The commit itself does not, since then all writes of a subscription would wait for each other.

import { systemCaller } from "../../intents/bootstrap.ts";
import { keyOfTarget } from "../../intents/request.ts";
import { deleteResource } from "../../intents/write/delete.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { ArmSurface } from "./arm-request.ts";
import type { Located } from "./located.ts";
import { passSubscription, stateOf } from "./subscriptions.ts";

/** Takes the resource back and refuses when its subscription is deleted by now. */
export async function checkNotTooLate(
  surface: ArmSurface,
  { place: { subscription }, target }: Pick<Located, "place" | "target">,
): Promise<void> {
  if ((await stateOf(surface, subscription)) !== "Deleted") return;
  const { intents } = surface;
  const record = await intents.store.get(keyOfTarget(target));
  if (record !== undefined) {
    const options = { isDryRun: false, propagation: undefined, raw: {} };
    const preconditions = { uid: record.uid };
    const deletion = { caller: systemCaller, target, options: { ...options, preconditions } };
    await deleteResource(intents, deletion).catch(unlessGone);
  }
  await passSubscription(surface, subscription, "write");
}

/** Who clears away, too, may have been faster. */
function unlessGone(error: unknown): void {
  const isGone =
    isSetpointError(error, "resource.not_found") || isSetpointError(error, "resource.conflict");
  if (!isGone) throw error;
}
