/** Keeps keys of Consul equal to a ConsulKeys. One run reads, decides and writes at most once. */
import { ReconcileFailure, done, failed } from "../../../engine/outcome.ts";
import type { Failed, Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { cancellation } from "../target/cancel.ts";
import { keyedDigests } from "../target/digests.ts";
import type { DigestOf } from "../target/digests.ts";
import { driftRequest, driftStatus } from "../target/drift.ts";
import type { DriftItem } from "../target/drift.ts";
import type { ConsulClient, KeyOperation, OpenConsul } from "./client.ts";
import { allowedPrefixes, allowedServer, consulAccess } from "./consul-access.ts";
import { serverOf, wantedKeys } from "./consul-access.ts";
import { consulKeysKind } from "./consul-kinds.ts";
import { decideKeys, decideRemoval } from "./decide-keys.ts";
import type { KeysInput, ObservedKey, RecordedKey } from "./decide-keys.ts";
import { flagsOf, isMarked } from "./owner-flags.ts";

export function keysReconciler(openConsul: OpenConsul): Reconciler {
  return {
    kind: consulKeysKind,
    reconcile: (keys, context) => reconcile(keys, context, openConsul),
    remove: (keys, context) => remove(keys, context, openConsul),
    retry: { soonMostMs: 60_000 },
  };
}

async function reconcile(
  keys: Resource,
  context: Context,
  openConsul: OpenConsul,
): Promise<Outcome> {
  const server = await allowedServer(keys, context);
  const digestOf = await keyedDigests(context);
  const wanted = wantedKeys(keys);
  const applied = digestOf(JSON.stringify([...wanted]));
  const isApplied = textAt(keys, "status", "applied") === applied;
  if (!isApplied) {
    const cancelled = cancellation(keys);
    if (cancelled !== undefined) return cancelled;
  }
  const consul = openConsul(await consulAccess(server, context), context);
  const mayTakeOver =
    isTrueAt(keys, "spec", "takeOver") && isTrueAt(server, "spec", "allow", "takeOver");
  const { isCorrected } = driftRequest(keys);
  const input = {
    ...(await observe(keys, consul, digestOf)),
    isApplied,
    isCorrected,
    mayTakeOver,
  };
  const step = decideKeys(input);
  const unexpected = await unexpectedKeys(keys, wanted, consul, server);
  const nowMs = context.clock.nowMs();
  const seconds = numberAt(server, "spec", "resyncSeconds") ?? executorLimits.resyncSeconds;
  const resyncMs = seconds * 1_000;
  switch (step.kind) {
    case "settled":
      return done({ status: { applied, ...driftStatus(keys, unexpected, nowMs) }, resyncMs });
    case "drifted": {
      const status = driftStatus(keys, [...step.items, ...unexpected], nowMs);
      return done({ status, resyncMs });
    }
    case "refuse":
      return refusal(step.reason, step.message);
    default: {
      const recorded = await write(input, step.operations, consul, { context, digestOf });
      reportCorrections(context, step.corrected);
      const outputs = { prefix: textAt(keys, "spec", "prefix"), keys: [...wanted.keys()] };
      const drift = driftStatus(keys, unexpected, nowMs);
      const status = { applied, keys: recorded, intended: null, outputs, ...drift };
      return done({ status, resyncMs });
    }
  }
}

async function remove(keys: Resource, context: Context, openConsul: OpenConsul): Promise<Outcome> {
  const hint = "; create it again: the keys cannot be deleted in Consul without it";
  const server = await serverOf(keys, context, hint);
  const digestOf = await keyedDigests(context);
  const consul = openConsul(await consulAccess(server, context), context);
  const seen = await observe(keys, consul, digestOf);
  const given = { isApplied: true, isCorrected: false, mayTakeOver: false };
  const operations = decideRemoval({ ...seen, ...given });
  for (const part of transactions(operations)) {
    const result = await consul.commit(part);
    if (result.kind === "conflict") throw conflict(result.message);
  }
  return done();
}

async function observe(
  keys: Resource,
  consul: ConsulClient,
  digestOf: DigestOf,
): Promise<Pick<KeysInput, "wanted" | "observed" | "recorded" | "intended" | "mark">> {
  const wanted = wantedKeys(keys);
  const recorded = recordedIn(keys);
  const names = new Set([...wanted.keys(), ...recorded.map(({ key }) => key)]);
  const observed = new Map<string, ObservedKey>();
  for (const [key, entry] of await consul.read([...names])) {
    observed.set(key, { ...entry, digest: digestOf(`${key}\n${entry.value}`) });
  }
  const intended = objectAt(keys, "status", "intended") as Readonly<Record<string, string>>;
  return { wanted, observed, recorded, intended, mark: flagsOf(keys.metadata.uid) };
}

interface WriteTools {
  readonly context: Context;
  readonly digestOf: DigestOf;
}

/**
 * The keys with their new indexes. The intended values are stored before the transaction: after a
 * crash, the next run recognises its own values and does not take them for those of another client.
 */
async function write(
  input: KeysInput,
  operations: readonly KeyOperation[],
  consul: ConsulClient,
  { context, digestOf }: WriteTools,
): Promise<readonly JsonObject[]> {
  const intended: Record<string, string> = {};
  const pending = new Map(input.recorded.map((record) => [record.key, { ...record }]));
  for (const operation of operations) {
    if (operation.kind === "delete") continue;
    const { key, value } = operation;
    intended[key] = digestOf(`${key}\n${value}`);
    if (!pending.has(key)) {
      pending.set(key, { key, createIndex: 0, modifyIndex: 0, digest: intended[key] });
    }
  }
  await context.status.patch({ intended, keys: [...pending.values()] });
  const indexes = new Map<string, { readonly createIndex: number; readonly modifyIndex: number }>();
  for (const part of transactions(operations)) {
    const result = await consul.commit(part);
    if (result.kind === "conflict") throw conflict(result.message);
    for (const entry of result.entries) indexes.set(entry.key, entry);
  }
  return [...input.wanted].map(([key, value]) => {
    const { createIndex = 0, modifyIndex = 0 } = indexes.get(key) ?? input.observed.get(key) ?? {};
    return { key, createIndex, modifyIndex, digest: digestOf(`${key}\n${value}`) };
  });
}

/**
 * All changes are one transaction, unless there are too many. Then all values are set in the first
 * and keys that are not wanted any more are deleted in later ones.
 */
function transactions(operations: readonly KeyOperation[]): readonly (readonly KeyOperation[])[] {
  const most = executorLimits.maxConsulOperations;
  if (operations.length === 0) return [];
  if (operations.length <= most) return [operations];
  const sets = operations.filter(({ kind }) => kind === "set");
  const deletions = operations.filter(({ kind }) => kind === "delete");
  const room = most - sets.length;
  const first = [...sets, ...deletions.slice(0, room)];
  const parts: (readonly KeyOperation[])[] = first.length === 0 ? [] : [first];
  for (let at = room; at < deletions.length; at += most) parts.push(deletions.slice(at, at + most));
  return parts;
}

/**
 * Keys below the prefix that are in no ConsulKeys. A prefix that is shorter than what the
 * namespace may use also has keys of other tenants, so that nothing is listed below it.
 */
async function unexpectedKeys(
  keys: Resource,
  wanted: ReadonlyMap<string, string>,
  consul: ConsulClient,
  server: Resource,
): Promise<readonly DriftItem[]> {
  const prefix = textAt(keys, "spec", "prefix");
  const allowed = allowedPrefixes(server, keys.metadata.namespace ?? "");
  const isAllowed = allowed.length === 0 || allowed.some((each) => prefix.startsWith(each));
  if (prefix === "" || !isAllowed) return [];
  const others = (await consul.names(prefix)).filter((name) => !wanted.has(name));
  const some = others.slice(0, executorLimits.maxDriftItems);
  const entries = await consul.read(some);
  const recorded = new Set(recordedIn(keys).map(({ key }) => key));
  return [...entries.values()].flatMap(({ key, flags }) => {
    if (isMarked(flags) || recorded.has(key)) return [];
    const message = "the key is below the prefix and is not in a ConsulKeys";
    return [{ path: key, kind: "unexpected", message } as const];
  });
}

function recordedIn(keys: Resource): readonly RecordedKey[] {
  return objectsAt(keys, "status", "keys").map((record) => ({
    key: textAt(record, "key"),
    createIndex: numberAt(record, "createIndex") ?? 0,
    modifyIndex: numberAt(record, "modifyIndex") ?? 0,
    digest: textAt(record, "digest"),
  }));
}

function reportCorrections(context: Context, corrected: readonly DriftItem[]): void {
  const [first] = corrected;
  if (first === undefined) return;
  const more = corrected.length === 1 ? "" : ` and ${corrected.length - 1} more`;
  context.event("Warning", "DriftCorrected", `corrected the key ${first.path}${more}`);
}

function refusal(reason: string, message: string): Failed {
  return failed(reason, message, { retry: "slow", ready: { status: "False", reason, message } });
}

function conflict(message: string): ReconcileFailure {
  const text = `${message}; nothing was written`;
  return new ReconcileFailure(failed("Conflict", text, { afterMs: executorLimits.conflictMs }));
}
