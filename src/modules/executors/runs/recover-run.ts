// What an earlier server left behind: a program that still runs, or a folder with its results. The
// next run of the owner begins only when no process of the earlier one can be left.
//
//   same machine     A detached program may finish. Any other is ended in order.
//   another machine  Its supervisor ends the program after the last beat and the grace period, or
//                    at the end of its time if it is detached. This server waits for that time.

import type { Context } from "../../../engine/reconciler.ts";
import { again } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { activeRunOf } from "./active-run.ts";
import type { ActiveRun } from "./active-run.ts";
import { cancelRequestOf } from "./cancel-request.ts";
import type { ExecutionPorts } from "./execution.ts";
import { HandedOver } from "./handed-over.ts";
import { runFolderAt } from "./run-folder.ts";
import type { RunFolder } from "./run-folder.ts";

export type Recovered =
  | { readonly kind: "none" }
  /** No process is left. The folder is undefined if it is on another machine. */
  | { readonly kind: "left"; readonly run: ActiveRun; readonly folder: RunFolder | undefined }
  | { readonly kind: "wait"; readonly outcome: Outcome };

export async function recoverRun(
  ports: ExecutionPorts,
  context: Context,
  owner: Resource,
  graceMs: number,
): Promise<Recovered> {
  const run = activeRunOf(owner);
  if (run === undefined) return { kind: "none" };
  const supervisors = await ports.supervisors();
  if (run.host !== supervisors.host) return await waitForOther(context, run, graceMs);
  const folder = runFolderAt(run.folder);
  if (run.phase === "Detached" && (await waitForEnd(ports, context, owner, folder)) === "stop") {
    const { message } = new HandedOver();
    const ready = "keep";
    return { kind: "wait", outcome: again(100, { reason: "HandedOver", message, ready }) };
  }
  await supervisors.end(folder.control, graceMs);
  return { kind: "left", run, folder };
}

/** Until the program has ended or a user asks to cancel it. "stop": this server stops as well. */
async function waitForEnd(
  ports: ExecutionPorts,
  { signal, clock }: Context,
  owner: Resource,
  { control }: RunFolder,
): Promise<"end" | "stop"> {
  const supervisors = await ports.supervisors();
  let nextCancelMs = 0;
  while (await supervisors.isRunning(control)) {
    signal.throwIfAborted();
    if (ports.stopping.aborted) return "stop";
    if (clock.nowMs() >= nextCancelMs) {
      nextCancelMs = clock.nowMs() + executorLimits.cancelPollMs;
      const newest = await ports.newest(owner);
      if (newest !== undefined && cancelRequestOf(newest) !== undefined) return "end";
    }
    await ports.timers.sleep(executorLimits.outputPollMs, signal);
  }
  return "end";
}

async function waitForOther(
  { clock, status }: Context,
  run: ActiveRun,
  graceMs: number,
): Promise<Recovered> {
  const nowMs = clock.nowMs();
  const seenMs = run.seenMs ?? nowMs;
  const endMs = graceMs + limits.programSecondGraceMs + limits.programForceMs;
  const lastMs = Math.max(seenMs + limits.supervisorBeatMs, run.untilMs ?? 0) + endMs;
  if (nowMs >= lastMs) return { kind: "left", run, folder: undefined };
  if (run.seenMs === undefined) await status.patch({ run: { seenMs } });
  const message =
    `a run on another machine (${run.host.split(" ")[0] ?? ""}) may still have a program; ` +
    `waiting until ${new Date(lastMs).toISOString()}`;
  const outcome = again(executorLimits.takeOverPollMs, { reason: "WaitingForOtherHost", message });
  return { kind: "wait", outcome };
}
