/**
 * A batch of prepared groups as the parameters of commit_v1 (migrations/0004_commit.sql, where they
 * are explained). Everything that can be decided without stored state is decided here, on the
 * client: the runs, the sorted list of rows to lock, and what is sparse stays sparse.
 */
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ClaimRef, DueChange, Precondition, Put, Write } from "../port.ts";
import type { PreparedGroup } from "../prepare.ts";
import {
  arrayLiteral,
  boolArray,
  bytesArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
} from "./binary-array.ts";

const operations = { put: 1, delete: 2, schedule: 3 } as const;
const conditions = { absent: 0, revision: 1, exists: 2 } as const;

interface Fence {
  readonly ordinal: number;
  readonly claim: ClaimRef;
}

interface Plan {
  readonly ordinal: number;
  readonly key: ResourceKey;
  readonly due: DueChange;
}

/** The parameters of commit_v1 after writer, batch and skew. */
export function batchValues(groups: readonly PreparedGroup[]): readonly unknown[] {
  const writes = groups.flatMap((group) => group.writes);
  const keys = writes.map(({ write }) => write.key);
  const fences = writes.flatMap(({ write }, index): Fence[] =>
    write.claim === undefined ? [] : [{ ordinal: index + 1, claim: write.claim }],
  );
  const plans = writes.flatMap(({ write }, index): Plan[] =>
    write.kind === "delete" || write.due === undefined
      ? []
      : [{ ordinal: index + 1, key: write.key, due: write.due }],
  );
  const removed = writes.flatMap(({ write }) => (write.kind === "delete" ? [write.key] : []));
  const locked = sortedKeys([
    ...fences.map(({ claim }) => claim.key),
    ...plans.map(({ key }) => key),
    ...removed,
  ]);
  const fenceKeys = fences.map(({ claim }) => claim.key);
  const planKeys = plans.map(({ key }) => key);
  return [
    int4Array(runEnds(groups)),
    int4Array(groups.flatMap((group, index) => group.writes.map(() => index))),
    int2Array(writes.map(({ write }) => operations[write.kind])),
    ...keyArrays(keys),
    textArray(writes.map(({ write }) => (write.kind === "put" ? write.uid : null))),
    int2Array(writes.map(({ write }) => conditions[write.when.kind])),
    int8Array(writes.map(({ write }) => whenRevision(write.when))),
    textArray(writes.map(({ write }) => whenUid(write.when))),
    bytesArray(
      writes.map(({ digest }) => digest),
      "bytea",
    ),
    int4Array(
      writes.map(({ document, sealed }) => (document?.length ?? 0) + (sealed?.length ?? 0)),
    ),
    bytesArray(
      writes.map(({ document }) => document),
      "text",
    ),
    bytesArray(
      writes.map(({ sealed }) => sealed),
      "bytea",
    ),
    textArray(writes.map(({ terms }) => arrayLiteral(terms))),
    ...keyArrays(locked),
    int4Array(fences.map(({ ordinal }) => ordinal)),
    ...keyArrays(fenceKeys),
    int8Array(fences.map(({ claim }) => claim.token)),
    int4Array(plans.map(({ ordinal }) => ordinal)),
    ...keyArrays(planKeys),
    boolArray(plans.map(({ due }) => due.kind === "release")),
    int8Array(plans.map(({ due }) => due.afterMs ?? null)),
    boolArray(plans.map(({ due }) => due.kind === "release" && due.attempts === "reset")),
    heldJson(groups),
  ];
}

/** How many parameters `batchValues` gives. */
export const batchValueCount = 31;

export function keyArrays(keys: readonly ResourceKey[]): readonly [Buffer, Buffer, Buffer] {
  return [
    textArray(keys.map(({ kind }) => kind)),
    textArray(keys.map(({ namespace }) => namespace)),
    textArray(keys.map(({ name }) => name)),
  ];
}

/** In the order in which every statement locks rows, without repeats. */
export function sortedKeys(keys: readonly ResourceKey[]): readonly ResourceKey[] {
  if (keys.length < 2) return keys;
  const byText = new Map(keys.map((key) => [keyText(key), key]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

/** Ordinals at which a run ends: a group that takes something is a run of its own. */
function runEnds(groups: readonly PreparedGroup[]): readonly number[] {
  const ends: number[] = [];
  let end = 0;
  let isOpen = false;
  for (const group of groups) {
    const isAlone = takes(group);
    if (isAlone && isOpen) ends.push(end);
    end += group.writes.length;
    if (isAlone) ends.push(end);
    isOpen = !isAlone;
  }
  if (isOpen) ends.push(end);
  return ends;
}

function takes(group: PreparedGroup): boolean {
  return group.writes.some(({ write }) => write.kind === "put" && holdsSomething(write));
}

function holdsSomething(put: Put): boolean {
  return put.names !== undefined || put.uses !== undefined || put.bounds !== undefined;
}

function heldJson(groups: readonly PreparedGroup[]): string | null {
  const elements: object[] = [];
  let ordinal = 0;
  for (const group of groups) {
    const isTaking = takes(group);
    for (const { write } of group.writes) {
      ordinal += 1;
      if (isTaking && write.kind !== "schedule") elements.push(heldElement(write, ordinal));
    }
  }
  return elements.length === 0 ? null : JSON.stringify(elements);
}

function heldElement(write: Exclude<Write, { kind: "schedule" }>, i: number): object {
  const { kind, namespace, name } = write.key;
  const base = { i, deleted: write.kind === "delete", kind, namespace, name };
  if (write.kind === "delete") return base;
  return {
    ...base,
    names: write.names?.map((unique) => [unique.scope, unique.name]),
    uses: write.uses?.map((use) => [use.counter, use.amount]),
    bounds: write.bounds?.map((bound) => [bound.counter, bound.max]),
  };
}

function whenRevision(when: Precondition): number | null {
  return when.kind === "revision" ? when.revision : null;
}

function whenUid(when: Precondition): string | null {
  return when.kind === "absent" ? null : (when.uid ?? null);
}
