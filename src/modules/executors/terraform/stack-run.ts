// One run of a TerraformStack or TerraformPlan from its policy to its end: recovers what an earlier
// server left, writes the folder, and gives the commands to the caller.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ReconcileFailure, again, failed, waiting } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { RunEnded } from "../../../engine/run/run-ended.ts";
import { isFileMissing } from "../runs/missing-file.ts";
import type { Intents } from "../../../intents/request.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { requirement } from "../../../kernel/selector.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { Execution } from "../runs/execution.ts";
import type { ExecutionPorts } from "../runs/execution.ts";
import { HandedOver } from "../runs/handed-over.ts";
import { userFor } from "../runs/os-user.ts";
import { recoverRun } from "../runs/recover-run.ts";
import { logsKind, runLabel } from "../runs/run-kinds.ts";
import { removeRunFolder } from "../runs/run-folder.ts";
import { beginRun } from "../runs/run-record.ts";
import { runHider, textsWithin } from "../runs/run-secrets.ts";
import { policyFor } from "../policy/policy-for.ts";
import { configMapFiles, filesProblem, specFiles } from "./source-files.ts";
import type { SourceFiles } from "./source-files.ts";
import { importCandidates } from "./import-candidates.ts";
import { sensitiveTexts } from "./state-file.ts";
import type { StackState } from "./state-store.ts";
import { TerraformCancelled, TerraformCommands } from "./terraform-commands.ts";
import { environmentOf, stateFile, writeWork } from "./work-folder.ts";

export interface TerraformPorts {
  readonly execution: ExecutionPorts;
  readonly intents: Intents;
  readonly live: LiveView;
}

export interface StackRun {
  readonly commands: TerraformCommands;
  readonly execution: Execution;
  /**
   * Stores the state file of the folder if it is newer; at most twice a second unless it is last.
   */
  readonly harvest: (isLast?: boolean) => Promise<void>;
}

export interface StackRunInput {
  readonly ports: TerraformPorts;
  readonly context: Context;
  readonly owner: Resource;
  /** Of the stack, or of the plan. */
  readonly spec: JsonObject;
  readonly action: string;
  /** Undefined: the state is only read. */
  readonly state: StackState | undefined;
  readonly stateText: string | undefined;
}

/** Runs the work, ends the record, and words what happened. */
export async function withStackRun(
  input: StackRunInput,
  work: (run: StackRun) => Promise<Outcome>,
): Promise<Outcome> {
  let run: StackRun | undefined;
  try {
    run = await begin(input);
    const outcome = await work(run);
    await run.harvest(true);
    await input.state?.prune();
    await run.execution.finish("Succeeded");
    return outcome;
  } catch (error) {
    if (error instanceof HandedOver) {
      return again(100, { reason: "HandedOver", message: error.message, ready: "keep" });
    }
    if (!(error instanceof ReconcileFailure)) {
      await run?.execution.abandon();
      throw error;
    }
    const { reason, message } = error.outcome;
    await run?.harvest(true);
    const phase = error instanceof TerraformCancelled ? "Cancelled" : "Failed";
    await run?.execution.finish(phase, { reason, message });
    if (error instanceof TerraformCancelled) {
      const { how, value } = error.request;
      const both = how === "force" ? { graceful: value, force: value } : { graceful: value };
      return { ...error.outcome, status: { cancelled: both } };
    }
    throw error;
  }
}

/** Undefined: nothing was left behind, or it was stored. */
export async function recoverStack({
  ports,
  context,
  owner,
  spec,
  state,
}: StackRunInput): Promise<Outcome | undefined> {
  const recovered = await recoverRun(ports.execution, context, owner, graceMsOf(spec));
  if (recovered.kind === "none") return undefined;
  if (recovered.kind === "wait") return recovered.outcome;
  const { run, folder } = recovered;
  const record = await beginRun(ports.execution, context, owner, {
    executor: "terraform",
    action: run.action,
    hide: runHider([]),
    name: run.name,
  });
  if (folder !== undefined) {
    const text = await readState(folder.work);
    const facts = text === undefined ? undefined : await state?.commit(text, { run: run.name });
    if (facts !== undefined) record.line(`state with the serial ${facts.serial} was recovered`);
    await removeRunFolder(folder);
  }
  const lost = folder === undefined ? await lostObjects(ports, owner, run.name, state) : {};
  const message =
    folder === undefined
      ? "the machine of the run is lost; objects that it created last may not be in the state"
      : "the server stopped during the run; its state was recovered";
  await record.end("Interrupted", { reason: "ServerLost", message });
  context.event("Warning", "RunInterrupted", message);
  await context.status.patch({ run: null, ...lost });
  return undefined;
}

/** Only the log of the run knows what the machine created last. */
async function lostObjects(
  { intents }: TerraformPorts,
  { metadata: { namespace = "" } }: Resource,
  run: string,
  state: StackState | undefined,
): Promise<JsonObject> {
  const labels = [requirement(runLabel, "in", [run])];
  const { records } = await intents.store.list({ kind: logsKind, namespace, labels });
  const texts = records.map(({ body, revision }) =>
    textAt(decodeDocument(body, revision), "spec", "text"),
  );
  const found = importCandidates(texts.join(""), await state?.text());
  if (found.length === 0) return {};
  return {
    importCandidates: found
      .slice(0, executorLimits.maxDriftItems)
      .map(({ address, id }) => ({ address, id })),
  };
}

async function begin(input: StackRunInput): Promise<StackRun> {
  const { ports, context, owner, spec, action, state, stateText } = input;
  const { namespace = "", uid } = owner.metadata;
  const program = textAt(spec, "program") || undefined;
  const policy = policyFor(ports.live, namespace, { executor: "terraform", program });
  const user = userFor(policy.user);
  const files = await sourceOf(context, spec);
  const secrets = textsWithin(objectAt(spec, "secretVariables"));
  const hide = runHider([...secrets, ...sensitiveTexts(stateText ?? "")]);
  const supervisors = await ports.execution.supervisors();
  const path = await supervisors.find(policy.program);
  if (path === undefined) {
    const { program: missing, policy: name } = policy;
    const message = `the program ${missing} of the ExecutorPolicy ${name} is not installed`;
    throw new ReconcileFailure(failed("ProgramMissing", message, { retry: "slow" }));
  }
  const graceMs = graceMsOf(spec);
  const execution = await Execution.begin(ports.execution, context, owner, {
    executor: "terraform",
    action,
    hide,
    user,
    graceMs,
  });
  const folder = execution.folder.work;
  const { providerMirror, env } = policy;
  await writeWork({ folder, user: execution.user, files, spec, state: stateText, providerMirror });
  const traceparent = context.tracer.traceparent?.();
  const idempotencyKey = `${uid}/${owner.metadata.generation}`;
  const askedMs = (numberAt(spec, "timeoutSeconds") ?? 3_600) * 1_000;
  const commands = new TerraformCommands({
    execution,
    program: path,
    env: environmentOf({ folder, spec, env, traceparent, idempotencyKey }),
    timeoutMs: Math.min(askedMs, policy.maxTimeoutMs),
    hide,
  });
  return { commands, execution, harvest: harvester(execution, state, context) };
}

function harvester(
  execution: Execution,
  state: StackState | undefined,
  { clock }: Context,
): StackRun["harvest"] {
  let last = "";
  let nextMs = 0;
  return async (isLast = false) => {
    if (state === undefined || (!isLast && clock.nowMs() < nextMs)) return;
    nextMs = clock.nowMs() + executorLimits.stateUploadMs;
    const text = await readState(execution.folder.work);
    if (text === undefined || text === last) return;
    const facts = await state.commit(text, { run: execution.record.name });
    if (facts !== undefined) last = text;
  };
}

/** Undefined: there is no state file. It may be empty or cut while Terraform writes it. */
export async function readState(work: string): Promise<string | undefined> {
  try {
    return await readFile(join(work, stateFile), "utf8");
  } catch (error) {
    if (isFileMissing(error)) return undefined;
    throw error;
  }
}

async function sourceOf(context: Context, spec: JsonObject): Promise<SourceFiles> {
  const name = textAt(spec, "source", "configMap", "name");
  let files = specFiles(spec);
  if (name !== "") {
    const blocker = { kind: "configmaps", name };
    const found = await context.references.get(blocker);
    if (found === undefined) {
      throw new RunEnded(waiting(blocker, { message: `the ConfigMap ${name} does not exist` }));
    }
    files = new Map([...configMapFiles(found as unknown as JsonObject), ...files]);
  }
  const problem = filesProblem(files);
  if (problem === undefined) return files;
  throw new ReconcileFailure(failed("SourceInvalid", problem, { retry: "never" }));
}

function graceMsOf(spec: JsonObject): number {
  return (numberAt(spec, "cancelGraceSeconds") ?? executorLimits.graceSeconds) * 1_000;
}
