// Actions that a template runs by itself: after a deployment, and before a destruction.

import type { Member } from "../environment/members.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import type { ActionPoint } from "../templates/actions.ts";
import { performAction, templatesOf } from "./action.ts";
import { hasEnded } from "./operation.ts";
import { createOperation, startOperation } from "./records.ts";
import type { OperationRecord } from "./records.ts";

async function actionsAt(run: EnvironmentRun, point: ActionPoint): Promise<readonly string[]> {
  const templates = await templatesOf(run);
  return templates.flatMap(({ compiled }) =>
    [...compiled.actions.values()]
      .filter(({ points }) => points.includes(point))
      .map(({ name }) => name),
  );
}

/** Queues the actions of a deployment that succeeds: before it ends, so that none is lost. */
export async function beginAfterDeploy(
  run: EnvironmentRun,
  deployed: OperationRecord,
): Promise<void> {
  for (const action of await actionsAt(run, "AfterDeploy")) {
    await createOperation(run, `${deployed.name}.${action}`, { type: "Action", action });
  }
}

/** Whether the actions before a destruction have ended, one after the other. */
export async function beforeDestroyDone(
  run: EnvironmentRun,
  destruction: OperationRecord,
  operations: readonly OperationRecord[],
  members: readonly Member[],
): Promise<boolean> {
  const isOver = destruction.name === "" || hasEnded(destruction.phase);
  if (isOver || members.every(({ isDeleting }) => isDeleting)) return true;
  // An action that hangs is cancelled by itself: the destruction goes on without it.
  for (const action of await actionsAt(run, "BeforeDestroy")) {
    const name = `${destruction.name}.${action}`;
    let operation = operations.find((each) => each.name === name);
    operation ??= await createOperation(run, name, { type: "Action", action });
    if (hasEnded(operation.phase)) continue;
    if (operation.phase !== "Running") operation = await startOperation(run, operation);
    operation = await performAction(run, operation);
    if (!hasEnded(operation.phase)) return false;
  }
  return true;
}
