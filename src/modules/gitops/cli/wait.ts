// `setpoint gitops wait`, and the progress that sync and rollback show as well.

import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { deploymentStates, optionOf, sessionOf, shortCommit, timeoutMs } from "./session.ts";
import type { Session } from "./session.ts";

export const runWait: RunCommand = async (call) => {
  const state = optionOf(call, "for") || "healthy";
  if (state !== "synced" && state !== "healthy") {
    throw new SetpointError("config.invalid", `--for ${state} is not synced or healthy`);
  }
  const revision = optionOf(call, "revision");
  const isAtRevision = (deployment: JsonObject): boolean =>
    textAt(deployment, "status", "sync", "revision").startsWith(revision);
  const isReached = (deployment: JsonObject): boolean =>
    isAtRevision(deployment) && isCurrent(deployment) && isIn(deployment, state);
  await waitFor(call, sessionOf(call), (deployment) => (isReached(deployment) ? "reached" : "no"));
};

/** `failed` ends the wait with exit code 1. */
export type Reached = (deployment: JsonObject) => ReachedState | Promise<ReachedState>;
type ReachedState = "no" | "reached" | "failed";

/**
 * Prints each step once, to standard error, and at the end the state of the deployment. It is read
 * again when it changes, or when the SyncRun does.
 */
export async function waitFor(
  call: CommandCall,
  session: Session,
  reached: Reached,
  syncRun = "",
): Promise<void> {
  const { timers, stopping } = call.daemon({ level: "error", form: "text" });
  const late = Promise.withResolvers<"late">();
  const cancel = timers.after(timeoutMs(call), () => late.resolve("late"));
  stopping.addEventListener("abort", () => late.resolve("late"), { once: true });
  const states = deploymentStates(session, syncRun);
  let shown = "";
  let last: JsonObject = {};
  try {
    for (;;) {
      const next = await Promise.race([states.next(), late.promise]);
      if (next === "late" || next.done === true) break;
      last = next.value;
      const line = progressLine(last);
      if (line !== shown && !call.isJson) call.printError(line);
      shown = line;
      const state = await reached(last);
      if (state === "no") continue;
      finish(call, last, state === "reached");
      return;
    }
  } finally {
    cancel();
    // The stream can hang in a read: its end is not waited for.
    void states.return().catch(() => undefined);
  }
  call.printError(`${session.name} did not get there in time`);
  finish(call, last, false);
}

function finish(call: CommandCall, deployment: JsonObject, isReached: boolean): void {
  if (call.isJson) call.printText(JSON.stringify(deployment, undefined, 2));
  else call.print(summaryLine(deployment));
  if (!isReached) call.setExitCode(1);
}

export function summaryLine(deployment: JsonObject): string {
  const status = objectAt(deployment, "status");
  const parts = [
    textAt(deployment, "metadata", "name"),
    textAt(status, "sync", "status") || "Unknown",
    textAt(status, "health", "status"),
    shortCommit(textAt(status, "sync", "revision")),
    problemText(deployment),
  ];
  return parts.filter((part) => part !== "").join("  ");
}

export function progressLine(deployment: JsonObject): string {
  const operation = objectAt(deployment, "status", "operationState");
  const phase = textAt(operation, "phase");
  const waiting = objectsAt(deployment, "status", "waitingFor").map((each) =>
    textAt(each, "message"),
  );
  if (waiting.length > 0 && phase !== "Running") return `waits: ${waiting.join("; ")}`;
  const revision = shortCommit(textAt(operation, "operation", "revision"));
  if (phase !== "Running") return summaryLine(deployment);
  const step = objectAt(operation, "step");
  const where = `${textAt(step, "phase") || "starts"} wave ${numberAt(step, "wave") ?? 0}`;
  const message = textAt(operation, "message");
  return [`syncs ${revision}`, where, message].filter((part) => part !== "").join(": ");
}

/** The first condition of a problem that lasts. */
export function problemText(deployment: JsonObject): string {
  const problem = objectsAt(deployment, "status", "conditions").find(
    (each) => textAt(each, "type") === "ErrorOccurred" && textAt(each, "status") === "True",
  );
  return problem === undefined ? "" : `${textAt(problem, "reason")}: ${textAt(problem, "message")}`;
}

/** The status is about the spec as it is now. */
export function isCurrent(deployment: JsonObject): boolean {
  const seen = numberAt(deployment, "status", "observedGeneration") ?? 0;
  return seen >= (numberAt(deployment, "metadata", "generation") ?? 0);
}

export function isIn(deployment: JsonObject, state: "synced" | "healthy"): boolean {
  const isSynced = textAt(deployment, "status", "sync", "status") === "Synced";
  const isRunning = textAt(deployment, "status", "operationState", "phase") === "Running";
  const health = textAt(deployment, "status", "health", "status");
  return isSynced && !isRunning && (state === "synced" || health === "" || health === "Healthy");
}
