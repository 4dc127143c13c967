/** Keeps the objects of a TerraformStack equal to its configuration. */
import { ReconcileFailure, again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { stackOutputs } from "./stack-outputs.ts";
import { planOptions } from "./plan-options.ts";
import type { StackAction } from "./plan-options.ts";
import { stacksKind } from "./stack-kind.ts";
import { recoverStack, withStackRun } from "./stack-run.ts";
import type { StackRun, StackRunInput, TerraformPorts } from "./stack-run.ts";
import { decideStackWork } from "./stack-work.ts";
import type { HandledRequests, StackWork } from "./stack-work.ts";
import { stateFacts, withSerial } from "./state-file.ts";
import { StackState, readVersion } from "./state-store.ts";
import type { PlanResult } from "./terraform-commands.ts";

export function stackReconciler(ports: TerraformPorts): Reconciler {
  return {
    kind: stacksKind,
    concurrency: executorLimits.terraformRuns,
    timeoutMs: executorLimits.longestRunMs,
    reconcile: (stack, context) => reconcile(ports, stack, context),
    remove: (stack, context) => remove(ports, stack, context),
  };
}

async function reconcile(
  ports: TerraformPorts,
  stack: Resource,
  context: Context,
): Promise<Outcome> {
  const state = await StackState.open(ports.intents, context, stack);
  const left = await recoverStack(await inputOf(ports, stack, context, state, "apply"));
  if (left !== undefined) return left;
  const work = decideStackWork(stack, context.clock.nowMs());
  switch (work.kind) {
    case "none":
      return done(work.nextMs === undefined ? {} : { resyncMs: Math.max(1_000, work.nextMs) });
    case "restore":
      return await restore(ports, state, work);
    case "checkDrift": {
      const input = await inputOf(ports, stack, context, state, "drift");
      return await withStackRun(input, async (run) => await checkDrift(run, input, work.handled));
    }
    default: {
      const input = await inputOf(ports, stack, context, state, "apply");
      return await withStackRun(input, async (run) => await apply(run, input, work.handled));
    }
  }
}

async function remove(ports: TerraformPorts, stack: Resource, context: Context): Promise<Outcome> {
  const state = await StackState.find(ports.intents, context, stack);
  if (state === undefined) return done();
  const left = await recoverStack(await inputOf(ports, stack, context, state, "destroy"));
  if (left !== undefined) return left;
  const text = await state.text();
  const isEmpty = text === undefined || stateFacts(text)?.resources === 0;
  if (isEmpty || textAt(stack, "spec", "deletion") === "Keep") return done();
  const input = await inputOf(ports, stack, context, state, "destroy");
  return await withStackRun(input, async (run) => {
    await change(run, input, "destroy");
    return done();
  });
}

async function inputOf(
  ports: TerraformPorts,
  owner: Resource,
  context: Context,
  state: StackState,
  action: StackAction,
): Promise<StackRunInput> {
  const spec = objectAt(owner, "spec");
  return { ports, context, owner, spec, action, state, stateText: await state.text() };
}

async function apply(
  run: StackRun,
  input: StackRunInput,
  handled: HandledRequests,
): Promise<Outcome> {
  const { context, owner } = input;
  const plan = await change(run, input, "apply");
  await run.harvest(true);
  const at = new Date(context.clock.nowMs()).toISOString();
  const outputs = await stackOutputs(input);
  return done({
    status: {
      ...outputs,
      appliedGeneration: owner.metadata.generation ?? 0,
      appliedAt: at,
      version: run.commands.version,
      plan: { ...plan.counts },
      drift: { state: "None", checkedAt: at, items: [] },
      requests: { ...handled },
    },
    ...resync(owner),
  });
}

/** Plans, and applies the plan if it changes something. */
async function change(
  { commands, harvest, execution }: StackRun,
  { context }: StackRunInput,
  action: StackAction,
): Promise<PlanResult> {
  await commands.init();
  const plan = await commands.plan(planOptions(action));
  const of = plan.planned.length;
  if (!plan.hasChanges) return plan;
  await context.progress({ done: 0, of, message: action });
  await execution.record.update({ progress: { done: 0, of, message: action } });
  const shown = new ProgressReport(context);
  await commands.apply({
    planned: of,
    onProgress: (finished, address) => shown.report({ done: finished, of, message: address }),
    onLook: async () => await harvest(),
  });
  await shown.settled();
  return plan;
}

/**
 * Reports one step at a time; a step that comes while another is written replaces the waiting one.
 */
class ProgressReport {
  readonly #context: Context;
  #waiting: { readonly done: number; readonly of: number; readonly message: string } | undefined;
  #writing: Promise<void> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  report(step: { readonly done: number; readonly of: number; readonly message: string }): void {
    this.#waiting = step;
    this.#writing ??= this.#write();
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting !== undefined) {
        const step = this.#waiting;
        this.#waiting = undefined;
        await this.#context.progress(step);
      }
    } catch {
      // The claim is lost: the run ends for that reason.
      this.#waiting = undefined;
    } finally {
      this.#writing = undefined;
    }
  }
}

async function checkDrift(
  { commands }: StackRun,
  { context, owner }: StackRunInput,
  handled: HandledRequests,
): Promise<Outcome> {
  await commands.init();
  const { hasChanges, drifted } = await commands.plan(planOptions("drift"));
  const items = drifted.slice(0, executorLimits.maxDriftItems).map(({ address, action }) => ({
    address,
    kind: action === "delete" ? "missing" : "changed",
    message: `${address} was ${action === "delete" ? "deleted" : "changed"} outside of Terraform`,
  }));
  const state = hasChanges ? "Drifted" : "None";
  if (hasChanges) context.event("Warning", "DriftFound", `${items.length} resources have drifted`);
  const checkedAt = new Date(context.clock.nowMs()).toISOString();
  const status = { drift: { state, checkedAt, items }, requests: { ...handled } };
  return done({ status, ...resync(owner) });
}

/** The old content becomes a new version: nothing of the history is lost. */
async function restore(
  { intents }: TerraformPorts,
  state: StackState,
  { version, handled }: Extract<StackWork, { readonly kind: "restore" }>,
): Promise<Outcome> {
  const { head } = state;
  let text;
  try {
    text = await readVersion(intents, head.namespace, version, head.uid);
  } catch (cause) {
    const message = `there is no StateVersion ${version} of this stack`;
    throw new ReconcileFailure(failed("RestoreFailed", message, { retry: "never" }), { cause });
  }
  const facts = await state.commit(withSerial(text, head.serial + 1), { restoredFrom: version });
  if (facts === undefined) {
    throw new ReconcileFailure(failed("RestoreFailed", `${version} is not a state`));
  }
  const { lineage, serial, resources } = facts;
  const shown = { lineage, serial, resources, version: state.head.version };
  return again(100, {
    reason: "Restored",
    message: `the state ${version} was restored`,
    ready: "keep",
    status: { state: shown, requests: { ...handled } },
  });
}

function resync({ spec }: Resource): { readonly resyncMs?: number } {
  const seconds = numberAt(spec, "drift", "intervalSeconds") ?? 0;
  return seconds > 0 ? { resyncMs: seconds * 1_000 } : {};
}
