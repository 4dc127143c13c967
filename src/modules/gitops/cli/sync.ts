// `setpoint gitops sync`.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { gitopsVersion } from "../names.ts";
import { listPath, objectOf, optionOf, readDeployment, sessionOf, shortCommit } from "./session.ts";
import type { Session } from "./session.ts";
import { isCurrent, isIn, waitFor } from "./wait.ts";
import type { Reached } from "./wait.ts";

export const runSync: RunCommand = async (call) => {
  const session = sessionOf(call);
  const deployment = await readDeployment(session);
  const revision = optionOf(call, "revision");
  const isPruned = call.options["prune"] === true;
  if (textAt(deployment, "spec", "type") === "manual") {
    await runOnce(call, session, { revision, isPruned });
    return;
  }
  if (revision !== "" || isPruned) {
    throw new SetpointError(
      "config.invalid",
      `${session.name} is automated: it applies targetRevision and prunes by its syncPolicy`,
      { suggestion: "use setpoint gitops rollback to apply another commit" },
    );
  }
  await follow(call, session);
};

/** An automated deployment applies the newest commit by itself, once it is known. */
export async function follow(call: CommandCall, session: Session): Promise<void> {
  const answer = objectOf(await session.server.post(session.route("refresh"), {}));
  const revision = textAt(answer, "revision");
  if (call.options["wait"] === false) {
    call.print(`${session.name} compares ${shortCommit(revision)} now`);
    return;
  }
  await waitFor(call, session, reachedAt(revision));
}

export function reachedAt(revision: string): Reached {
  return (deployment) => {
    if (!isCurrent(deployment)) return "no";
    const isCompared = textAt(deployment, "status", "sync", "revision") === revision;
    if (isCompared && isIn(deployment, "healthy")) return "reached";
    return hasFailed(deployment, revision) ? "failed" : "no";
  };
}

/** A failed sync is tried again, but the caller waits for this one. */
function hasFailed(deployment: JsonObject, revision: string): boolean {
  const state = ["status", "operationState"];
  const phase = textAt(deployment, ...state, "phase");
  const isOfRevision = textAt(deployment, ...state, "operation", "revision") === revision;
  return isOfRevision && (phase === "Failed" || phase === "Error");
}

interface RunOptions {
  readonly revision: string;
  readonly isPruned: boolean;
}

/** A SyncRun of a manual deployment. */
export async function runOnce(
  call: CommandCall,
  session: Session,
  { revision, isPruned }: RunOptions,
): Promise<void> {
  const { server, namespace, name } = session;
  const created = await server.post(listPath(namespace, "gitopsdeploymentsyncruns"), {
    apiVersion: gitopsVersion,
    kind: "GitOpsDeploymentSyncRun",
    metadata: { generateName: `${name.slice(0, 200)}-` },
    spec: {
      gitopsDeploymentName: name,
      ...(revision === "" ? {} : { revisionID: revision }),
      ...(isPruned ? { prune: true } : {}),
    },
  });
  const run = textAt(created, "metadata", "name");
  call.printError(`created GitOpsDeploymentSyncRun ${run}`);
  if (call.options["wait"] === false) {
    call.print(run);
    return;
  }
  const path = `${listPath(namespace, "gitopsdeploymentsyncruns")}/${run}`;
  let ended: JsonObject = {};
  const reached: Reached = async () => {
    ended = objectOf(await server.get(path));
    const phase = textAt(ended, "status", "phase");
    if (phase === "Succeeded") return "reached";
    return phase === "Failed" || phase === "Terminated" ? "failed" : "no";
  };
  await waitFor(call, session, reached, run);
  const error = objectsAt(ended, "status", "conditions").find(
    (each) => textAt(each, "type") === "ErrorOccurred" && textAt(each, "status") === "True",
  );
  if (error !== undefined) call.printError(`${run}: ${textAt(error, "message")}`);
}
