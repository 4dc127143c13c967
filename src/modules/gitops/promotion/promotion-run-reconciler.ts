/**
 * Reconciles PromotionRuns. One run of an application is active at a time, the oldest first. A run
 * brings its Snapshot into one environment after the other.
 */
import { createRecord, updateRecord } from "../../../acting/claimed-writes.ts";
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { Intents } from "../../../intents/request.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { generatedName } from "../generated-deployment.ts";
import { gitopsLimits } from "../limits.ts";
import {
  bindingsKind,
  gitopsVersion,
  promotionEnvironmentsKind,
  promotionRunsKind,
  snapshotsKind,
} from "../names.ts";
import { listAll, listByField } from "../sync/records.ts";
import { decideStep, environmentsOf } from "./promotion-steps.ts";

export interface PromotionPorts {
  readonly intents: Intents;
}

interface Run extends PromotionPorts {
  readonly run: Resource;
  readonly context: Context;
  readonly snapshot: string;
  readonly application: string;
}

type StepDocument = JsonObject;

export function promotionRunReconciler({ intents }: PromotionPorts): Reconciler {
  return {
    kind: promotionRunsKind,
    reconcile: async (run, context) => {
      const snapshot = textAt(run.spec, "snapshot");
      const application = textAt(run.spec, "application");
      return await reconcile({ intents, run, context, snapshot, application });
    },
  };
}

async function reconcile(input: Run): Promise<Outcome> {
  const { run, context, snapshot, application } = input;
  if (hasEnded(run)) {
    // A run that waits for this one may have missed its end.
    await wakeNext(input);
    return done({ ready: "keep" });
  }
  const [first] = await openRuns(input);
  if (first !== undefined && first.metadata.uid !== run.metadata.uid) {
    const message = `waits for the PromotionRun ${first.metadata.name} of the application`;
    return waits({ phase: "Waiting", state: "Waiting", message }, message);
  }
  const found = await context.references.get({ kind: snapshotsKind, name: snapshot });
  const promotionStartTime =
    textAt(run.status, "promotionStartTime") || timeText(context.clock.nowMs());
  const active = { phase: "Active", state: "Active", promotionStartTime };
  if (found === undefined) {
    return await ended(input, active, false, `the Snapshot ${snapshot} does not exist`);
  }
  if (textAt(found.spec, "application") !== application) {
    const message = `the Snapshot ${snapshot} is of another application`;
    return await ended(input, active, false, message);
  }
  return await promote(input, found, active);
}

async function promote(input: Run, snapshot: Resource, active: JsonObject): Promise<Outcome> {
  const { run, context, intents } = input;
  const { namespace = "" } = run.metadata;
  const environments: Resource[] = [];
  const at = { kind: promotionEnvironmentsKind, namespace };
  for await (const each of listAll(intents.store, at)) environments.push(each);
  const names = environmentsOf(run, environments);
  const known = objectsAt(run.status, "environmentStatus");
  const steps: StepDocument[] = [];
  const bindings: string[] = [];
  for (const [index, name] of names.entries()) {
    const before = known.find((each) => textAt(each, "environmentName") === name);
    const nowMs = context.clock.nowMs();
    const startedAt = textAt(before, "startedAt") || timeText(nowMs);
    const step = (status: string, displayStatus: string): StepDocument => ({
      step: index + 1,
      environmentName: name,
      status,
      displayStatus,
      startedAt,
    });
    if (textAt(before, "status") === "Success" && before !== undefined) {
      steps.push(before);
      continue;
    }
    const result = await performStep(input, snapshot, name);
    bindings.push(...result.bindings);
    if (result.kind === "done") {
      steps.push(step("Success", `${input.snapshot} is deployed`));
      continue;
    }
    const timeoutMs = (numberAt(run.spec, "timeoutSeconds") ?? defaultTimeoutSeconds) * 1_000;
    const leftMs = Date.parse(startedAt) + timeoutMs - nowMs;
    const isFailed = result.kind === "fail" || leftMs <= 0;
    const status = {
      ...active,
      activeBindings: bindings,
      environmentStatus: [...steps, step(isFailed ? "Failed" : "In Progress", result.message)],
    };
    if (!isFailed) return waits(status, `${name}: ${result.message}`, leftMs);
    const late = result.kind === "fail" ? "" : `not deployed within ${timeoutMs / 1_000} seconds: `;
    return await ended(input, status, false, `${name}: ${late}${result.message}`);
  }
  const status = { ...active, activeBindings: bindings, environmentStatus: steps };
  return await ended(input, status, true, `${input.snapshot} is deployed in ${names.join(", ")}`);
}

const defaultTimeoutSeconds = gitopsLimits.promotionTimeoutSeconds;

interface StepResult {
  readonly kind: "done" | "wait" | "fail";
  readonly message: string;
  readonly bindings: readonly string[];
}

async function performStep(input: Run, snapshot: Resource, name: string): Promise<StepResult> {
  const { run, context, intents, application } = input;
  const { namespace = "" } = run.metadata;
  const kind = promotionEnvironmentsKind;
  const environment = await context.references.get({ kind, name });
  const parent = textAt(environment?.spec, "parentEnvironment");
  const binding = await bindingIn(input, name);
  const parentBinding = parent === "" ? undefined : await bindingIn(input, parent);
  const facts = { snapshot: input.snapshot, application, environment, binding, parentBinding };
  const decision = decideStep(facts);
  const own = binding?.metadata.name ?? generatedName(application, name);
  const bindings = [own];
  const key = { kind: bindingsKind, namespace, name: own };
  const components = objectsAt(snapshot.spec, "components").map((each) => ({
    name: textAt(each, "name"),
  }));
  switch (decision.kind) {
    case "done":
      return { kind: "done", message: "", bindings };
    case "wait":
    case "fail":
      return { ...decision, bindings: binding === undefined ? [] : bindings };
    case "create": {
      const spec = { application, environment: name, snapshot: input.snapshot, components };
      const metadata = { name: own, namespace };
      const body = {
        apiVersion: gitopsVersion,
        kind: "SnapshotEnvironmentBinding",
        metadata,
        spec,
      };
      const isCreated = await createRecord(intents, context, body);
      const message = `the name ${own} of the binding is used for something else`;
      if (!isCreated && binding === undefined) return { kind: "wait", message, bindings: [] };
      break;
    }
    case "promote":
      await updateRecord(intents, context, key, (old) => ({
        ...old,
        spec: { ...objectAt(old, "spec"), snapshot: input.snapshot },
      }));
      break;
    default:
      return decision satisfies never;
  }
  // A change of the binding wakes the run.
  await context.references.get({ kind: bindingsKind, name: own });
  return { kind: "wait", message: `${input.snapshot} is being deployed`, bindings };
}

async function bindingIn(input: Run, environment: string): Promise<Resource | undefined> {
  const { run, context, intents, application } = input;
  const at = { kind: bindingsKind, namespace: run.metadata.namespace ?? "" };
  const all = await listByField(intents.store, at, ".spec.application", application);
  const found = all.find(
    ({ spec, metadata }) =>
      textAt(spec, "environment") === environment && metadata.deletionTimestamp === undefined,
  );
  if (found === undefined) return undefined;
  return await context.references.get({ kind: bindingsKind, name: found.metadata.name });
}

/** Of the application, the oldest first. */
async function openRuns({ run, intents, application }: Run): Promise<readonly Resource[]> {
  const at = { kind: promotionRunsKind, namespace: run.metadata.namespace ?? "" };
  const all = await listByField(intents.store, at, ".spec.application", application);
  const orderOf = ({ metadata }: Resource): string =>
    `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return all
    .filter((each) => !hasEnded(each) && each.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function hasEnded({ status }: Resource): boolean {
  return textAt(status, "state") === "Complete";
}

function waits(status: JsonObject, message: string, leftMs = Infinity): Outcome {
  const afterMs = Math.max(1, Math.min(gitopsLimits.promotionPollMs, leftMs));
  const reason = textAt(status, "phase");
  return again(afterMs, { status: { ...status, message }, reason, message });
}

async function ended(
  input: Run,
  status: JsonObject,
  isSuccess: boolean,
  message: string,
): Promise<Outcome> {
  const { context } = input;
  const phase = isSuccess ? "Succeeded" : "Failed";
  const fields = {
    ...status,
    phase,
    state: "Complete",
    completionResult: isSuccess ? "Success" : "Failure",
    promotionEndTime: timeText(context.clock.nowMs()),
    message,
  };
  await context.status.patch(fields);
  await wakeNext(input);
  const ready = { status: isSuccess ? "True" : "False", reason: phase, message } as const;
  return done({ status: fields, ready });
}

async function wakeNext(input: Run): Promise<void> {
  const { context, intents, run } = input;
  const runs = await openRuns(input);
  const next = runs.find(({ metadata }) => metadata.uid !== run.metadata.uid);
  if (next === undefined) return;
  const { namespace = "", name, uid } = next.metadata;
  const key = { kind: promotionRunsKind, namespace, name };
  await commitWakes(intents.store, [wake(key, uid)], context.signal);
}
