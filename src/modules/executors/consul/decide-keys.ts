// What to do about the keys of a ConsulKeys: a decision without effects. All changes are one list
// of operations with the index that each key must have, so that a concurrent write is a conflict.
//
// A key is *own* when its Flags have the mark, or when it is the key that was recorded after the
// last write (a key that is deleted and created again gets another CreateIndex). Another client
// that changes an own key usually resets its Flags. Such a change is drift. It is never overwritten
// by a change of the spec unless the drift may be corrected.

import type { DriftItem } from "../target/drift.ts";
import type { ConsulEntry, KeyOperation } from "./client.ts";
import { isMarked } from "./owner-flags.ts";

export interface ObservedKey extends ConsulEntry {
  /** Of the value. */
  readonly digest: string;
}

/** A key after the last write of this server. */
export interface RecordedKey {
  readonly key: string;
  readonly createIndex: number;
  readonly modifyIndex: number;
  readonly digest: string;
}

export interface KeysInput {
  readonly wanted: ReadonlyMap<string, string>;
  readonly observed: ReadonlyMap<string, ObservedKey>;
  readonly recorded: readonly RecordedKey[];
  /** Digests of the values that an interrupted run intended to write, by key. */
  readonly intended: Readonly<Record<string, string>>;
  readonly mark: number;
  /** The wanted keys are those of the last successful write. */
  readonly isApplied: boolean;
  readonly isCorrected: boolean;
  readonly mayTakeOver: boolean;
}

export type KeysStep =
  | { readonly kind: "settled" }
  | { readonly kind: "drifted"; readonly items: readonly DriftItem[] }
  | {
      readonly kind: "write";
      readonly operations: readonly KeyOperation[];
      readonly corrected: readonly DriftItem[];
    }
  | { readonly kind: "refuse"; readonly reason: string; readonly message: string };

export function decideKeys(input: KeysInput): KeysStep {
  const { isApplied, isCorrected } = input;
  const operations: KeyOperation[] = [];
  const drift: DriftItem[] = [];
  for (const [key, value] of input.wanted) {
    const found = judge(input, key);
    const set = { kind: "set", key, value, flags: input.mark } as const;
    if (found.kind === "foreign" && !input.mayTakeOver) {
      if (isApplied) drift.push(replaced(key));
      else return refused("KeyNotOwned", `the key ${key} ${notOwned(found.entry)}`);
      continue;
    }
    if (found.kind === "absent") {
      if (isApplied) drift.push(missing(key));
      operations.push({ ...set, index: 0 });
      continue;
    }
    const { entry } = found;
    if (found.kind !== "foreign" && entry.value === value) {
      if (entry.flags !== input.mark && !isApplied) {
        operations.push({ ...set, index: entry.modifyIndex });
      }
      continue;
    }
    if (found.kind === "changed" || isApplied) drift.push(changed(key));
    operations.push({ ...set, index: entry.modifyIndex });
  }
  operations.push(...removals(input));
  if (operations.length === 0 && drift.length === 0) return { kind: "settled" };
  if (drift.length === 0 || isCorrected) {
    if (operations.length > 0) return { kind: "write", operations, corrected: drift };
    return { kind: "drifted", items: drift };
  }
  if (isApplied) return { kind: "drifted", items: drift };
  const [first] = drift;
  const message =
    `another client changed the key ${first?.path ?? ""}: set driftPolicy to Correct or the ` +
    "annotation environments.setpoint.dev/reconcile-drift to overwrite it";
  return refused("Conflict", message);
}

/** The deletion of every own key, for the end of the resource. */
export function decideRemoval(input: KeysInput): readonly KeyOperation[] {
  const keys = new Set([...input.wanted.keys(), ...input.recorded.map(({ key }) => key)]);
  return [...keys].flatMap((key) => deletion(input, key));
}

type Judged =
  | { readonly kind: "absent" }
  /** Last written by this resource. */
  | { readonly kind: "own"; readonly entry: ObservedKey }
  /** An own key that another client has changed. */
  | { readonly kind: "changed"; readonly entry: ObservedKey }
  | { readonly kind: "foreign"; readonly entry: ObservedKey };

function judge({ observed, recorded, intended, mark }: KeysInput, key: string): Judged {
  const entry = observed.get(key);
  if (entry === undefined) return { kind: "absent" };
  const record = recorded.find((each) => each.key === key);
  const isSame = record !== undefined && record.createIndex === entry.createIndex;
  if (entry.flags !== mark && !isSame) return { kind: "foreign", entry };
  const isUnchanged = record?.modifyIndex === entry.modifyIndex;
  const isKnown = entry.digest === record?.digest || entry.digest === intended[key];
  return { kind: isUnchanged || isKnown ? "own" : "changed", entry };
}

/** Own keys that are not wanted any more. */
function removals(input: KeysInput): readonly KeyOperation[] {
  return input.recorded.flatMap(({ key }) => (input.wanted.has(key) ? [] : deletion(input, key)));
}

function deletion(input: KeysInput, key: string): readonly KeyOperation[] {
  const found = judge(input, key);
  if (found.kind === "absent" || found.kind === "foreign") return [];
  return [{ kind: "delete", key, index: found.entry.modifyIndex }];
}

function notOwned({ flags }: ObservedKey): string {
  const whose = isMarked(flags)
    ? "belongs to another ConsulKeys"
    : "exists and was not created by Setpoint";
  return `${whose}: delete it in Consul, or set spec.takeOver to replace it`;
}

function refused(reason: string, message: string): KeysStep {
  return { kind: "refuse", reason, message };
}

function missing(key: string): DriftItem {
  return { path: key, kind: "missing", message: "the key was deleted" };
}

function changed(key: string): DriftItem {
  return { path: key, kind: "changed", message: "the value was changed" };
}

function replaced(key: string): DriftItem {
  return { path: key, kind: "changed", message: "the key was deleted and created again" };
}
