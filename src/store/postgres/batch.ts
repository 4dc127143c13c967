/**
 * A batch of prepared groups as the parameters of commit_v4 (explained in the migrations
 * 0004_commit.sql, 0008_small.sql and 0012_cause.sql). Everything that can be decided without
 * stored state is decided here, on the client: the runs, the sorted list of rows to lock, and what
 * is sparse stays sparse.
 */
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { DueChange, Precondition, Put, UniqueName, Write } from "../port.ts";
import type { PreparedGroup, PreparedWrite } from "../prepare.ts";
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

/** The parameters of commit_v4 after writer, batch and skew. */
export function batchValues(groups: readonly PreparedGroup[]): readonly unknown[] {
  const writes = groups.flatMap((group) => group.writes);
  const { keys: locked, fences, plans } = lockedRows(writes);
  const { taken, alone } = takenNames(groups);
  return [
    int4Array(runEnds(groups, alone)),
    int4Array(groups.flatMap((group, index) => group.writes.map(() => index))),
    int2Array(writes.map(({ write }) => operations[write.kind])),
    ...keyArrays(writes.map(({ write }) => write.key)),
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
    int4Array(fences.map((fence) => fence?.row.place ?? 0)),
    int8Array(fences.map((fence) => fence?.token ?? null)),
    int4Array(plans.map(({ ordinal }) => ordinal)),
    int4Array(plans.map(({ row }) => row.place)),
    boolArray(plans.map(({ due }) => due.kind === "release")),
    int8Array(plans.map(({ due }) => due.afterMs ?? null)),
    boolArray(plans.map(({ due }) => due.kind === "release" && due.attempts === "reset")),
    int4Array(taken.map(({ ordinal }) => ordinal)),
    textArray(taken.map(({ scope }) => scope)),
    textArray(taken.map(({ name }) => name)),
    heldJson(groups, alone),
    bytesArray(
      writes.map(({ cause }) => cause),
      "bytea",
    ),
  ];
}

/** A due row that is locked, by its key, with its place (from 1) in the order of locking. */
interface LockedRow {
  readonly id: string;
  readonly key: ResourceKey;
  place: number;
}

interface Fence {
  readonly row: LockedRow;
  readonly token: number;
}

interface Plan {
  readonly ordinal: number;
  readonly row: LockedRow;
  readonly due: DueChange;
}

interface LockedRows {
  readonly keys: readonly ResourceKey[];
  /** One for each write, or none at all. */
  readonly fences: readonly (Fence | undefined)[];
  readonly plans: readonly Plan[];
}

/** Every due row that is read or changed, once, and who needs it. */
function lockedRows(writes: readonly PreparedWrite[]): LockedRows {
  const rows = new Map<string, LockedRow>();
  const rowOf = (id: string, key: ResourceKey): LockedRow => {
    let row = rows.get(id);
    if (row === undefined) rows.set(id, (row = { id, key, place: 0 }));
    return row;
  };
  const fences = writes.map(({ id, write: { key, claim } }): Fence | undefined => {
    if (claim === undefined) return undefined;
    const fenceId = claim.key === key ? id : keyText(claim.key);
    return { row: rowOf(fenceId, claim.key), token: claim.token };
  });
  const plans: Plan[] = [];
  for (const [index, { id, write }] of writes.entries()) {
    const { key } = write;
    const ordinal = index + 1;
    if (write.kind === "delete") rowOf(id, key);
    else if (write.due !== undefined) plans.push({ ordinal, row: rowOf(id, key), due: write.due });
  }
  const sorted = [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [index, row] of sorted.entries()) row.place = index + 1;
  const isFenced = fences.some((fence) => fence !== undefined);
  return { keys: sorted.map(({ key }) => key), fences: isFenced ? fences : [], plans };
}

/** How many parameters `batchValues` gives. */
export const batchValueCount = 30;

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

interface TakenName extends UniqueName {
  readonly ordinal: number;
}

interface TakenNames {
  readonly taken: readonly TakenName[];
  /** Groups whose wishes have to be judged one group after the other. */
  readonly alone: ReadonlySet<PreparedGroup>;
}

/**
 * What creations take is taken together, as long as no two of them want the same, and nothing
 * before them or beside them may let go of it.
 */
function takenNames(groups: readonly PreparedGroup[]): TakenNames {
  const taken: TakenName[] = [];
  const alone = new Set<PreparedGroup>();
  const seen = new Set<string>();
  let ordinal = 0;
  let mayLetGo = false;
  for (const group of groups) {
    mayLetGo ||= group.writes.some(({ write }) => write.kind === "delete");
    if (!group.writes.some(({ write }) => write.kind === "put" && holdsSomething(write))) {
      ordinal += group.writes.length;
      continue;
    }
    const wanted: TakenName[] = [];
    let isAlone = false;
    for (const { write } of group.writes) {
      ordinal += 1;
      if (write.kind !== "put" || !holdsSomething(write)) continue;
      if (write.when.kind !== "absent" || write.uses !== undefined || write.bounds !== undefined) {
        isAlone = true;
      }
      for (const { scope, name } of write.names ?? []) wanted.push({ ordinal, scope, name });
    }
    const ids = wanted.map(({ scope, name }) => JSON.stringify([scope, name]));
    if (ids.some((id) => seen.has(id)) || new Set(ids).size < ids.length) isAlone = true;
    for (const id of ids) seen.add(id);
    if (isAlone || (mayLetGo && wanted.length > 0)) alone.add(group);
    else taken.push(...wanted);
    mayLetGo ||= isAlone;
  }
  return { taken, alone };
}

/** Ordinals at which a run ends: a group that is judged alone is a run of its own. */
function runEnds(
  groups: readonly PreparedGroup[],
  alone: ReadonlySet<PreparedGroup>,
): readonly number[] {
  const ends: number[] = [];
  let end = 0;
  let isOpen = false;
  for (const group of groups) {
    const isAlone = alone.has(group);
    if (isAlone && isOpen) ends.push(end);
    end += group.writes.length;
    if (isAlone) ends.push(end);
    isOpen = !isAlone;
  }
  if (isOpen) ends.push(end);
  return ends;
}

function holdsSomething(put: Put): boolean {
  return put.names !== undefined || put.uses !== undefined || put.bounds !== undefined;
}

function heldJson(
  groups: readonly PreparedGroup[],
  alone: ReadonlySet<PreparedGroup>,
): string | null {
  const elements: object[] = [];
  let ordinal = 0;
  for (const group of groups) {
    const isTaking = alone.has(group);
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
