// Actions that a template runs by itself: after a deployment, and before a destruction.

import { presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Member } from "../environment/members.ts";
import type { EnvironmentRun } from "../environment/run.ts";
import type { ActionPoint } from "../templates/actions.ts";
import { failAction, holdAction, performAction, templatesOf } from "./action.ts";
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

export interface BeforeDestroy {
  readonly isDone: boolean;
  /** The action that holds the destruction, and the reason; undefined while none fails. */
  readonly problem: { readonly resource: string; readonly reason: string } | undefined;
}

/**
 * The actions before a destruction, one after the other. One that fails, such as a backup, holds
 * the destruction of an Environment that was deployed.
 */
export async function performBeforeDestroy(
  run: EnvironmentRun,
  destruction: OperationRecord,
  operations: readonly OperationRecord[],
  members: readonly Member[],
): Promise<BeforeDestroy> {
  const isDone = { isDone: true, problem: undefined };
  const isOver = destruction.name === "" || hasEnded(destruction.phase);
  if (isOver || members.every(({ isDeleting }) => isDeleting)) return isDone;
  const fail = isHeld(run) ? holdAction : failAction;
  // The Operation of an action is cancelled by itself: the destruction goes on without it.
  for (const action of await actionsAt(run, "BeforeDestroy")) {
    const name = `${destruction.name}.${action}`;
    let operation = operations.find((each) => each.name === name);
    operation ??= await createOperation(run, name, { type: "Action", action });
    if (hasEnded(operation.phase)) continue;
    if (operation.phase !== "Running") operation = await startOperation(run, operation);
    operation = await performAction(run, operation, fail);
    if (!hasEnded(operation.phase)) return { isDone: false, problem: problemOf(operation) };
  }
  return isDone;
}

/** In a namespace that is being deleted, nothing new can be created. */
function isHeld({ resource, intents }: EnvironmentRun): boolean {
  const name = resource.metadata.namespace ?? "";
  const namespace = intents.live.get({ kind: "namespaces", namespace: "", name })?.resource;
  const isEnding = namespace?.metadata.deletionTimestamp !== undefined;
  return !isEnding && presentObjectAt(resource.status, "deployed") !== undefined;
}

function problemOf({ name, spec, status }: OperationRecord): BeforeDestroy["problem"] {
  const reason = textAt(status, "message");
  if (reason === "") return undefined;
  const command = `setpoint env cancel ${textAt(spec, "environment")} ${name}`;
  const advice = `to go on without it, cancel the Operation ${name}: ${command}`;
  return { resource: name, reason: `${reason}; ${advice}` };
}
