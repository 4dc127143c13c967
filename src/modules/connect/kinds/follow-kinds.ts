// Keeps the RestKinds of the store in force in this process: for each that is right and whose kind
// is served, somebody is told to reconcile it, and told again when it changes or goes. Says in the
// status of each whether it is in force, and why not. Every process comes to the same result.

import {
  markedReconciled,
  isMarkedReconciled,
} from "../../../intents/admission/reconciled-definitions.ts";
import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import { changeAsSystem } from "../../../intents/housekeeping/system-change.ts";
import { writeCondition } from "../../../intents/housekeeping/write-condition.ts";
import { definitionsKind } from "../../../intents/kinds/definition-kinds.ts";
import type { LiveRecord, LiveView } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import { wakeAll } from "../../../engine/wakes/wakes.ts";
import type { ConditionInput } from "../../../kernel/conditions.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { compileBinding } from "./compiled-binding.ts";
import type { CompiledBinding, CompiledOr } from "./compiled-binding.ts";
import { connectGroup } from "./connection-kind.ts";
import { isMarkedKept, markedKept } from "./kept-kind.ts";
import { restKindsKind } from "./rest-kind-kind.ts";

export interface FollowKindsInput {
  readonly intents: Intents;
  readonly timers: Timers;
  /** Kinds that modules reconcile by themselves. */
  readonly taken: Pick<ReadonlySet<string>, "has">;
  /** From now on it is reconciled so; returns what ends that. */
  readonly begin: (compiled: CompiledBinding) => () => void;
  readonly onError: (error: unknown, kind: string) => void;
}

interface InForce {
  readonly spec: Json | undefined;
  readonly end: () => void;
}

/** This process has followed the log after the first of them, and every other after all. */
const allKnowMs = [1_000, 30_000] as const;

export function followRestKinds(input: FollowKindsInput): AsyncDisposable {
  const { intents, timers, taken, begin, onError } = input;
  const { live, kinds } = intents;
  const inForce = new Map<string, InForce>();
  const verdicts = new Map<string, ConditionInput>();
  const waits = new Map<string, number[]>();
  const stop = new AbortController();
  const worker = keyedWorker({
    timers,
    onError,
    work: async (name) => {
      const verdict = verdicts.get(name);
      if (verdict === undefined) return undefined;
      await writeCondition(intents, { group: connectGroup, plural: "restkinds", name }, verdict);
      if (!inForce.has(name)) return undefined;
      if (await markDefinition(intents, name)) waits.set(name, [...allKnowMs]);
      // What was written while nobody knew is woken, now and once all know.
      await wakeAll(intents.store, name, stop.signal);
      return waits.get(name)?.shift();
    },
  });

  const judge = (record: LiveRecord): void => {
    const { name } = record.key;
    const { compiled, verdict } = judged(record, taken, (id) => kinds.byId(id)?.isTerminating);
    const before = inForce.get(name);
    const { spec } = record.resource;
    const isSame = compiled !== undefined && before !== undefined && equalJson(before.spec, spec);
    const isTold = equalJson(verdicts.get(name) as Json | undefined, verdict as unknown as Json);
    if (isSame && isTold) return;
    if (!isSame) {
      before?.end();
      inForce.delete(name);
      if (compiled !== undefined) inForce.set(name, { spec, end: begin(compiled) });
    }
    verdicts.set(name, verdict);
    worker.add(name);
  };

  live.follow(restKindsKind, (after, before) => {
    if (after !== undefined) return judge(after);
    if (before === undefined) return;
    inForce.get(before.key.name)?.end();
    inForce.delete(before.key.name);
    verdicts.delete(before.key.name);
    waits.delete(before.key.name);
  });
  live.follow(definitionsKind, (after, before) => {
    const name = (after ?? before)?.key.name ?? "";
    const record = live.get({ kind: restKindsKind, namespace: "", name });
    if (record !== undefined) judge(record);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      for (const { end } of inForce.values()) end();
      await worker[Symbol.asyncDispose]();
    },
  };
}

const compiledRecords = new WeakMap<LiveRecord, CompiledOr>();

/** The binding of a RestKind; made once for each version of it. */
export function compiledRecord(record: LiveRecord): CompiledOr {
  const known = compiledRecords.get(record);
  if (known !== undefined) return known;
  const made = compileBinding(record.key.name, objectAt(record.resource, "spec"));
  compiledRecords.set(record, made);
  return made;
}

/** The binding of a kind, when it has one that can be used. */
export function bindingOf(live: Pick<LiveView, "get">, kind: string): CompiledBinding | undefined {
  const record = live.get({ kind: restKindsKind, namespace: "", name: kind });
  const made = record === undefined ? undefined : compiledRecord(record);
  return made?.kind === "compiled" ? made.compiled : undefined;
}

/** Whether the RestKind of a kind is being deleted. */
export function isEndingKind(live: Pick<LiveView, "get">, kind: string): boolean {
  const record = live.get({ kind: restKindsKind, namespace: "", name: kind });
  return record?.resource.metadata.deletionTimestamp !== undefined;
}

interface Judged {
  readonly compiled: CompiledBinding | undefined;
  readonly verdict: ConditionInput;
}

function judged(
  record: LiveRecord,
  taken: Pick<ReadonlySet<string>, "has">,
  isEnding: (id: string) => boolean | undefined,
): Judged {
  const { name } = record.key;
  const observedGeneration = record.resource.metadata.generation;
  const refused = (reason: string, message: string): Judged => ({
    compiled: undefined,
    verdict: { type: "Accepted", status: "False", reason, message, observedGeneration },
  });
  const made = compiledRecord(record);
  if (made.kind === "refused") return refused("Invalid", made.problems.join("; "));
  if (taken.has(name)) return refused("Conflict", `a module already reconciles the kind ${name}`);
  const isDeleted = record.resource.metadata.deletionTimestamp !== undefined;
  const ending = isEnding(name);
  if (ending === undefined) return refused("KindNotFound", `the kind ${name} does not exist`);
  // In force until its last resource is gone: what they made has to be taken back.
  const [reason, message] = isDeleted
    ? ["Deleting", "The RestKind is deleted after the last resource of the kind."]
    : ending
      ? ["KindDeleted", "The kind is being deleted: its objects are deleted from the service."]
      : ["InForce", "Resources of the kind are managed in the service."];
  return {
    compiled: made.compiled,
    verdict: { type: "Accepted", status: "True", reason, message, observedGeneration },
  };
}

/** Whether it was not marked before: writes of its resources make them due from now on. */
async function markDefinition(intents: Intents, name: string): Promise<boolean> {
  const record = intents.live.get({ kind: definitionsKind, namespace: "", name });
  if (record === undefined || isMarked(record.resource)) return false;
  await changeAsSystem(intents, {
    group: "apiextensions.k8s.io",
    plural: "customresourcedefinitions",
    name,
    edit: (definition) => markedKept(markedReconciled(definition)),
  });
  return true;
}

function isMarked(definition: Resource): boolean {
  return isMarkedKept(definition) && isMarkedReconciled(definition);
}
