// A deployment that failed or was cancelled is completed later: by a Retry, or because a resource
// succeeded when it was tried again. What follows a deployment then follows it as well.

import { timeText } from "../../../kernel/clock.ts";
import { hasObject, textAt } from "../../../kernel/json-read.ts";
import { writeGroups } from "../environment/groups.ts";
import type { Member } from "../environment/members.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import { beginAfterDeploy } from "./action-points.ts";
import { newestChange } from "./choose.ts";
import { hasEnded } from "./operation.ts";
import { patchOperation } from "./records.ts";
import type { OperationRecord } from "./records.ts";

/** The deployment that is complete now; undefined when there is none. */
export async function completeDeployment(
  run: EnvironmentRun,
  operations: readonly OperationRecord[],
  members: readonly Member[],
): Promise<OperationRecord | undefined> {
  const deployment = newestChange(operations);
  if (deployment === undefined || !isIncomplete(deployment)) return undefined;
  const isIdle = operations.every(({ phase }) => hasEnded(phase));
  if (!isIdle || !members.every(({ state }) => state === "Ready")) return undefined;
  await writeGroups(run, members);
  await beginAfterDeploy(run, deployment);
  const completedAt = timeText(run.context.clock.nowMs());
  return await patchOperation(run, deployment, { completedAt });
}

/** All its resources were written, and not all of them were ready at its end. */
function isIncomplete({ type, phase, status }: OperationRecord): boolean {
  const isOver = type === "Deploy" && (phase === "Failed" || phase === "Cancelled");
  return isOver && hasObject(status, "changes") && textAt(status, "completedAt") === "";
}
