/** Runs the program of a CommandRun once for each generation, and the one of its deletion. */
import { ReconcileFailure, again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { annotations } from "../../../kernel/annotations.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { policyFor } from "../policy/policy-for.ts";
import { Execution } from "../runs/execution.ts";
import type { ExecutionPorts, ProgramResult } from "../runs/execution.ts";
import { HandedOver } from "../runs/handed-over.ts";
import { userFor } from "../runs/os-user.ts";
import { recoverRun } from "../runs/recover-run.ts";
import { removeRunFolder } from "../runs/run-folder.ts";
import { shortName } from "../runs/run-labels.ts";
import { beginRun } from "../runs/run-record.ts";
import { runHider, textsWithin, withoutSecrets } from "../runs/run-secrets.ts";
import { tailFile } from "../runs/tail-file.ts";
import { commandsKind } from "./command-kind.ts";
import { outputReader, splitOutputs } from "./command-outputs.ts";

export interface CommandPorts {
  readonly execution: ExecutionPorts;
  readonly live: LiveView;
}

interface Work {
  readonly ports: CommandPorts;
  readonly context: Context;
  readonly owner: Resource;
  readonly action: "run" | "destroy";
}

interface Finished {
  readonly result: Pick<ProgramResult, "reason" | "code">;
  readonly outputs: JsonObject;
}

const programId = "1-program";

export function commandReconciler(ports: CommandPorts): Reconciler {
  return {
    kind: commandsKind,
    concurrency: executorLimits.commandRuns,
    timeoutMs: executorLimits.longestRunMs,
    reconcile: (owner, context) => reconcile({ ports, context, owner, action: "run" }),
    remove: (owner, context) => remove({ ports, context, owner, action: "destroy" }),
  };
}

async function reconcile(work: Work): Promise<Outcome> {
  const { owner } = work;
  const left = await recover(work);
  if (left?.kind === "wait") return left.outcome;
  if (left?.kind === "finished") return await succeeded(work, left.finished);
  const asked = owner.metadata.annotations?.[annotations.request] ?? "";
  const isAsked = asked !== "" && asked !== textAt(owner, "status", "requests", "reconcile");
  const isDone = numberAt(owner, "status", "ranGeneration") === owner.metadata.generation;
  if (isDone && !isAsked) return done();
  return await run(work, textAt(owner, "spec", "program"), textsAt(owner, "spec", "args"));
}

async function remove(work: Work): Promise<Outcome> {
  const left = await recover(work);
  if (left?.kind === "wait") return left.outcome;
  const command = presentObjectAt(work.owner, "spec", "onDestroy");
  if (command === undefined || left?.kind === "finished") return done();
  return await run(work, textAt(command, "program"), textsAt(command, "args"));
}

type Left =
  | { readonly kind: "wait"; readonly outcome: Outcome }
  /** The program of the same action ended by itself after the server had stopped. */
  | { readonly kind: "finished"; readonly finished: Finished };

async function recover(work: Work): Promise<Left | undefined> {
  const { ports, context, owner, action } = work;
  const graceMs = graceMsOf(owner);
  const recovered = await recoverRun(ports.execution, context, owner, graceMs);
  if (recovered.kind === "none") return undefined;
  if (recovered.kind === "wait") return recovered;
  const { run: earlier, folder } = recovered;
  const hide = hiderOf(owner);
  const continued = { executor: "command", action, hide, name: earlier.name };
  const record = await beginRun(ports.execution, context, owner, continued);
  const supervisors = await ports.execution.supervisors();
  const end = folder === undefined ? undefined : await supervisors.endOf(folder.control, programId);
  const isFinished =
    end?.reason === "exited" && end.code === 0 && earlier.action === actionOf(work);
  const reader = outputReader();
  if (folder !== undefined) {
    const tail = tailFile(`${folder.control}/${programId}.stdout`);
    for (const line of await tail.lines(true)) reader.line(line);
    await removeRunFolder(folder);
  }
  await record.end(isFinished ? "Succeeded" : "Interrupted", { reason: "ServerLost" });
  await context.status.patch({ run: null });
  if (!isFinished || end === undefined) return undefined;
  return { kind: "finished", finished: { result: end, outputs: reader.outputs() } };
}

/** The action of a record contains the generation: a finished program counts for that one only. */
function actionOf({ action, owner }: Work): string {
  return `${action} ${owner.metadata.generation ?? 0}`;
}

async function run(work: Work, program: string, args: readonly string[]): Promise<Outcome> {
  let execution: Execution | undefined;
  try {
    const begun = await begin(work, program);
    ({ execution } = begun);
    const finished = await perform(work, begun, args);
    await execution.finish("Succeeded", { exitCode: finished.result.code });
    return work.action === "destroy" ? done() : await succeeded(work, finished);
  } catch (error) {
    if (error instanceof HandedOver) {
      return again(100, { reason: "HandedOver", message: error.message, ready: "keep" });
    }
    if (!(error instanceof ReconcileFailure)) {
      await execution?.abandon();
      throw error;
    }
    const { reason, message } = error.outcome;
    const phase = reason === "Cancelled" ? "Cancelled" : "Failed";
    await execution?.finish(phase, { reason, message });
    throw error;
  }
}

interface Begun {
  readonly execution: Execution;
  readonly path: string;
  readonly timeoutMs: number;
}

async function begin(work: Work, program: string): Promise<Begun> {
  const { ports, context, owner } = work;
  const { namespace = "" } = owner.metadata;
  const policy = policyFor(ports.live, namespace, { executor: "command", program });
  const path = await (await ports.execution.supervisors()).find(program);
  if (path === undefined) {
    const message = `the program ${program} is not installed`;
    throw new ReconcileFailure(failed("ProgramMissing", message, { retry: "slow" }));
  }
  const execution = await Execution.begin(ports.execution, context, owner, {
    executor: "command",
    action: actionOf(work),
    hide: hiderOf(owner),
    user: userFor(policy.user),
    graceMs: graceMsOf(owner),
  });
  const askedMs = (numberAt(owner, "spec", "timeoutSeconds") ?? 600) * 1_000;
  return { execution, path, timeoutMs: Math.min(askedMs, policy.maxTimeoutMs) };
}

async function perform(
  work: Work,
  { execution, path, timeoutMs }: Begun,
  args: readonly string[],
): Promise<Finished> {
  const { owner } = work;
  const reader = outputReader();
  const stdin = textAt(owner, "spec", "stdin");
  const secretNames = textsAt(owner, "spec", "secretOutputs");
  const result = await execution.run({
    id: programId,
    program: path,
    args,
    env: environmentOf(work, execution.folder.work),
    ...(stdin === "" ? {} : { stdin }),
    timeoutMs,
    isEffect: true,
    onLine: (line, stream) => {
      if (stream === "stdout") reader.line(line);
      // The line with the outputs may contain secret ones.
      const isOutputs = secretNames.length > 0 && line.trim().startsWith("{");
      execution.record.line(isOutputs ? "[outputs]" : line);
    },
  });
  check(result, timeoutMs);
  return { result, outputs: reader.outputs() };
}

function check({ reason, code, cancel }: ProgramResult, timeoutMs: number): void {
  if (cancel !== undefined && reason === "cancelled") {
    const message = `the run was cancelled by the request ${cancel.value}`;
    const both = {
      graceful: cancel.value,
      ...(cancel.how === "force" ? { force: cancel.value } : {}),
    };
    const status = { cancelled: both };
    throw new ReconcileFailure(failed("Cancelled", message, { retry: "never", status }));
  }
  if (reason === "exited" && code === 0) return;
  if (reason === "exited") {
    const message = `the program ended with the code ${code}; see its ExecutorLog`;
    throw new ReconcileFailure(failed("ProgramFailed", message, { retry: "slow" }));
  }
  const message =
    reason === "timedOut"
      ? `the program took longer than ${timeoutMs / 1_000} s`
      : `the program was ended (${reason})`;
  const retry = reason === "lost" || reason === "vanished" ? "soon" : "slow";
  throw new ReconcileFailure(
    failed(reason === "timedOut" ? "TimedOut" : "ProgramEnded", message, { retry }),
  );
}

async function succeeded(work: Work, { result, outputs }: Finished): Promise<Outcome> {
  const { context, owner } = work;
  const { plain: given, secret } = splitOutputs(outputs, textsAt(owner, "spec", "secretOutputs"));
  const plain = withoutSecrets(given, textsWithin(objectAt(owner, "spec", "secretEnv")));
  const name = `${shortName(owner.metadata.name)}-outputs`;
  const isSecret = Object.keys(secret).length > 0;
  if (isSecret) {
    const stringData = Object.fromEntries(
      Object.entries(secret).map(([key, value]) => [
        key,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    );
    const { labels = {} } = owner.metadata;
    const metadata = { name, labels };
    await context.children.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData });
  }
  return done({
    status: {
      outputs: makeMergePatch(objectAt(owner, "status", "outputs"), plain),
      secretOutputs: isSecret ? { name } : null,
      exitCode: result.code ?? 0,
      ranGeneration: owner.metadata.generation ?? 0,
      ranAt: new Date(context.clock.nowMs()).toISOString(),
      requests: { reconcile: owner.metadata.annotations?.[annotations.request] ?? null },
    },
  });
}

function environmentOf({ owner, context, action }: Work, folder: string): Record<string, string> {
  const spec = objectAt(owner, "spec");
  const traceparent = context.tracer.traceparent?.();
  const texts = (map: JsonObject): Record<string, string> =>
    Object.fromEntries(Object.keys(map).map((name) => [name, textAt(map, name)]));
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: folder,
    ...texts(objectAt(spec, "env")),
    ...texts(objectAt(spec, "secretEnv")),
    SETPOINT_IDEMPOTENCY_KEY: `${owner.metadata.uid}/${owner.metadata.generation ?? 0}/${action}`,
    ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }),
  };
}

function hiderOf(owner: Resource): ReturnType<typeof runHider> {
  return runHider(textsWithin(objectAt(owner, "spec", "secretEnv")));
}

function graceMsOf(owner: Resource): number {
  return (numberAt(owner, "spec", "cancelGraceSeconds") ?? 10) * 1_000;
}
