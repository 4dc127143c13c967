// The mark of a new operation, which the envelope of its resource holds.

import { timeText } from "../../../kernel/clock.ts";
import type { ArmOperationMark } from "../../../modules/resource-provider/face.ts";
import type { ArmSurface } from "../request/surface-state.ts";

export function newMark(
  { intents }: ArmSurface,
  verb: ArmOperationMark["verb"],
  isAsync: boolean,
): ArmOperationMark {
  const nowMs = intents.clock.nowMs();
  return {
    id: orderedId(intents.ids.uid(), nowMs),
    verb,
    startedAt: timeText(nowMs),
    ...(isAsync ? { isAsync } : {}),
  };
}

/**
 * A version 7 UUID: records that are written together are then beside each other in the indexes of
 * the store, so that one commit changes few of their pages.
 */
function orderedId(random: string, nowMs: number): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, "0").slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
