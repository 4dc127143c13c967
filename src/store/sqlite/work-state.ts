/**
 * How work stands, for people who ask. Only rows that want work are looked at, by their indexes, so
 * a question costs what it shows however many resources are settled.
 */
import type { ResourceKey } from "../../kernel/resource.ts";
import { readLimits } from "../arguments.ts";
import type { Backlog, BacklogQuery, WorkState } from "../work-state.ts";
import type { Reader } from "./reader.ts";

type StateRow = [
  ...[dueAt: number | null, wakeAt: number | null, token: number | null, owner: string | null],
  attempts: number,
];
type ItemRow = [namespace: string, name: string, ...state: StateRow];

const state = "due_at, wake_at, token, owner, attempts";

/** Each of two: what waits, and what is claimed, the index of which is by kind alone. */
const sources = (place: string, index: string) => [
  `due INDEXED BY ${index} WHERE ${place} AND token IS NULL`,
  `due WHERE ${place} AND token IS NOT NULL`,
];
const ofKind = sources("kind = ?", "due_by_time");
const ofNamespace = sources("kind = ? AND namespace = ?", "due_by_namespace");
const firstOf = (from: string) =>
  `SELECT namespace, name, ${state} FROM ${from} AND due_at IS NOT NULL ORDER BY due_at LIMIT ?`;
const dueOf = (from: string) =>
  `SELECT count(*) FROM (SELECT 1 FROM ${from} AND due_at <= ? LIMIT ?)`;

export const workQueries = {
  find: `SELECT ${state} FROM due WHERE kind = ? AND namespace = ? AND name = ?`,
  next: ofKind.map(firstOf),
  nextOfNamespace: ofNamespace.map(firstOf),
  due: ofKind.map(dueOf),
  dueOfNamespace: ofNamespace.map(dueOf),
};

export function readWork(
  reader: Reader,
  keys: readonly ResourceKey[],
  nowMs: number,
): readonly (WorkState | undefined)[] {
  const find = reader.statement<StateRow>(workQueries.find);
  return reader.snapshot(() =>
    keys.map(({ kind, namespace, name }) => {
      const row = find.get(kind, namespace, name);
      return row === undefined ? undefined : stateOf(row, nowMs);
    }),
  );
}

export function readBacklog(
  reader: Reader,
  { kind, namespace, limit }: BacklogQuery & { readonly limit: number },
  nowMs: number,
): Backlog {
  const place = namespace === undefined ? [kind] : [kind, namespace];
  const isOfKind = namespace === undefined;
  const items = isOfKind ? workQueries.next : workQueries.nextOfNamespace;
  const counts = isOfKind ? workQueries.due : workQueries.dueOfNamespace;
  const most = readLimits.countedDue;
  return reader.snapshot(() => {
    const found = items.flatMap((sql) => reader.statement<ItemRow>(sql).all(...place, limit));
    const due = counts
      .map((sql) => reader.statement<[number]>(sql).get(...place, nowMs, most)?.[0] ?? 0)
      .reduce((sum, count) => sum + count);
    return {
      due: Math.min(due, most),
      next: found
        .toSorted(([, , a], [, , b]) => (a ?? 0) - (b ?? 0))
        .slice(0, limit)
        .map(([of, name, ...row]) => {
          return { key: { kind, namespace: of, name }, work: stateOf(row, nowMs) };
        }),
    };
  });
}

function stateOf([dueAt, wakeAt, token, owner, attempts]: StateRow, nowMs: number): WorkState {
  const inMs = (atMs: number | null): number | undefined =>
    atMs === null ? undefined : atMs - nowMs;
  if (token === null || owner === null || dueAt === null || dueAt <= nowMs) {
    return { dueInMs: inMs(dueAt), attempts, claim: undefined };
  }
  return { dueInMs: inMs(wakeAt), attempts, claim: { owner, token, expiresInMs: dueAt - nowMs } };
}
