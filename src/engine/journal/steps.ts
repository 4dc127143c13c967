// Durable steps. The result of a step is stored before the next begins, so a crash repeats at most
// one; a finished operation answers at once. A step that fails for good ends the operation: the
// steps done are taken back, the last one first, each recorded before the next; then the failure is
// thrown, again if need be, until it is reported. What is being taken back is taken back to the
// end, whatever happens to the spec in the meantime.

import { isSetpointError } from "../../kernel/errors.ts";
import { getOwn, setOwn } from "../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Answer, Put, Write } from "../../store/port.ts";
import { checkJournalValue, unusable } from "./journal.ts";
import type { DoneStep, Journal, OperationFailure, OperationRecord } from "./journal.ts";
import { failed, ReconcileFailure } from "../outcome.ts";
import { requestOf } from "../run/plan.ts";
import type { RunScope } from "../ports.ts";
import type { Context, Operation, Progress, Step, StepResults } from "../reconciler.ts";
import { reconcileStatusOf, statusOf } from "../run/status.ts";

export interface StepPorts {
  readonly scope: Pick<RunScope, "signal" | "loaded">;
  readonly journal: Journal;
  /** What goes alongside is in the same commit, and is answered for. */
  progress(progress: Progress, alongside?: readonly Write[]): Promise<readonly Answer[]>;
  readonly event: Context["event"];
}

export function performWith(ports: StepPorts): Context["perform"] {
  const state = stateOf(ports.scope.loaded());
  const underWay = new Set<string>();
  return async (operation) => {
    checkNames(operation);
    const { name } = operation;
    if (underWay.has(name)) throw invalid(operation, "is already being performed");
    underWay.add(name);
    try {
      return await perform({ ...ports, operation, state });
    } finally {
      underWay.delete(name);
    }
  };
}

interface Performance extends StepPorts {
  readonly operation: Operation;
  readonly state: ResourceState;
}

/** What a run was about: a failure for good holds for that and nothing else. */
type ResourceState = Pick<OperationFailure, "generation" | "request">;

async function perform(run: Performance): Promise<StepResults> {
  const { operation, scope } = run;
  const of = operation.steps.length;
  let record = await recordToGoOnFrom(run);
  const first = nextStep(operation, record);
  if (first !== undefined) await run.progress(progressOf(operation, record));
  for (let step = first; step !== undefined; step = nextStep(operation, record)) {
    scope.signal.throwIfAborted();
    operation.until?.throwIfAborted();
    let result: Json;
    try {
      result = (await step.run(resultsOf(record.done))) ?? null;
    } catch (error) {
      if (isFatal(error)) await takeBack(run, record, { ...briefly(error), ...run.state });
      throw error;
    }
    checkJournalValue(`the result of step ${JSON.stringify(step.name)}`, result);
    const last = { step: step.name, result: structuredClone(result) };
    record = { about: record.about, done: [...record.done, last] };
    await storeAndShow(run, record);
    const text = `${operation.name}: ${step.name} (${record.done.length} of ${of})`;
    run.event("Normal", "StepDone", text);
  }
  return resultsOf(record.done);
}

/** The first whose result is not stored. */
function nextStep({ steps }: Operation, { done }: OperationRecord): Step | undefined {
  return steps.find(({ name }) => !done.some(({ step }) => step === name));
}

function progressOf(operation: Operation, record: OperationRecord): Progress {
  const { name = "" } = nextStep(operation, record) ?? {};
  return progressAt(operation, record.done.length, name);
}

function progressAt({ steps, progress = {} }: Operation, done: number, message: string): Progress {
  const { before = 0, after = 0 } = progress;
  return { done: before + done, of: before + steps.length + after, message };
}

/** What is left of an earlier time is brought to an end before anything new begins. */
async function recordToGoOnFrom(run: Performance): Promise<OperationRecord> {
  const { operation, journal } = run;
  const fresh: OperationRecord = { about: operation.about ?? "", done: [] };
  const stored = (await journal.read()).operations.get(operation.name);
  if (stored === undefined) return fresh;
  const { failure } = stored;
  const isSameAbout = stored.about === fresh.about;
  if (failure === undefined) {
    if (isSameAbout) return stored;
  } else {
    await takeBack(run, stored, failure);
    const { reason, message } = failure;
    if (isSameAbout && isToBeReported(failure, run.scope.loaded())) {
      throw new ReconcileFailure(failed(reason, message, { retry: "never" }));
    }
  }
  // Stored before the first step runs: once it did, the results of before are not to be trusted.
  await store(run, fresh);
  return fresh;
}

async function takeBack(
  run: Performance,
  record: OperationRecord,
  failure: OperationFailure,
): Promise<void> {
  const { operation, scope } = run;
  const steps = new Map(operation.steps.map((step) => [step.name, step]));
  const canUndo = ({ step }: DoneStep): boolean => steps.get(step)?.undo !== undefined;
  const toUndo = (done: readonly DoneStep[]): readonly DoneStep[] =>
    done.slice(0, done.findLastIndex(canUndo) + 1);
  const keep = (done: readonly DoneStep[]): Promise<void> =>
    store(run, { about: record.about, done, failure });

  let left = toUndo(record.done);
  if (record.failure === undefined || left.length < record.done.length) await keep(left);
  for (let last = left.at(-1); last !== undefined; last = left.at(-1)) {
    await run.progress(progressAt(operation, left.length, `undo ${last.step}`));
    scope.signal.throwIfAborted();
    await undo(steps.get(last.step), last.result, left);
    left = toUndo(left.slice(0, -1));
    await keep(left);
    run.event("Warning", "StepUndone", `${operation.name}: ${last.step}`);
  }
}

/** Taking back is tried until it works, whatever the step says of its failure. */
async function undo(
  step: Step | undefined,
  result: Json,
  left: readonly DoneStep[],
): Promise<void> {
  try {
    await step?.undo?.(result, resultsOf(left));
  } catch (error) {
    if (!isFatal(error)) throw error;
    throw new ReconcileFailure({ ...error.outcome, retry: "slow" }, { cause: error });
  }
}

/**
 * The result of a step, and that the next begins, in one commit. Should they not be taken together,
 * since somebody has changed the resource for one, the result is stored by itself: it must not
 * depend on who else writes.
 */
async function storeAndShow(run: Performance, record: OperationRecord): Promise<void> {
  const progress = progressOf(run.operation, record);
  try {
    await store(run, record, (put) => run.progress(progress, [put]));
  } catch (error) {
    if (isSetpointError(error, "claim.lost")) throw error;
    await store(run, record);
    await run.progress(progress);
  }
}

async function store(
  { journal, operation: { name } }: Performance,
  record: OperationRecord,
  commit?: (put: Put) => Promise<readonly Answer[]>,
): Promise<void> {
  await journal.change(
    (content) => ({ ...content, operations: new Map(content.operations).set(name, record) }),
    commit,
  );
}

function resultsOf(done: readonly DoneStep[]): StepResults {
  const results: MutableJsonObject = {};
  for (const { step, result } of done) setOwn(results, step, result);
  return results;
}

function stateOf(resource: Resource): ResourceState {
  return { generation: resource.metadata.generation, request: requestOf(resource) ?? "" };
}

/**
 * Whether the failure is about the resource as it is and its status does not say so yet. When the
 * status does, there is a reason why it is tried again, such as newer code.
 */
function isToBeReported(failure: OperationFailure, resource: Resource): boolean {
  const { generation, request } = stateOf(resource);
  if (failure.generation !== generation || failure.request !== request) return false;
  const status = statusOf(resource);
  const { retry, handledRequest = "" } = reconcileStatusOf(status);
  const isReported =
    retry === "never" &&
    getOwn(status, "observedGeneration") === generation &&
    handledRequest === request;
  return !isReported;
}

const maxMessageChars = 4_096;

function briefly({ outcome }: ReconcileFailure): Pick<OperationFailure, "reason" | "message"> {
  return { reason: outcome.reason, message: outcome.message.slice(0, maxMessageChars) };
}

function isFatal(error: unknown): error is ReconcileFailure {
  return error instanceof ReconcileFailure && error.outcome.retry === "never";
}

function checkNames(operation: Operation): void {
  const seen = new Set<string>();
  for (const { name } of operation.steps) {
    if (seen.has(name)) throw invalid(operation, `has two steps named ${JSON.stringify(name)}`);
    seen.add(name);
  }
}

function invalid({ name }: Operation, why: string): ReconcileFailure {
  return unusable("InvalidOperation", `the operation ${JSON.stringify(name)} ${why}`);
}
