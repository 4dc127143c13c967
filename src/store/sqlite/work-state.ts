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

export const workQueries = {
  find: `SELECT ${state} FROM due WHERE kind = ? AND namespace = ? AND name = ?`,
  next: `SELECT namespace, name, ${state} FROM due INDEXED BY due_by_time
    WHERE kind = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT ?`,
  nextOfNamespace: `SELECT namespace, name, ${state} FROM due INDEXED BY due_by_namespace
    WHERE kind = ? AND namespace = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT ?`,
  due: `SELECT count(*) FROM (SELECT 1 FROM due INDEXED BY due_by_time
    WHERE kind = ? AND due_at <= ? LIMIT ?)`,
  dueOfNamespace: `SELECT count(*) FROM (SELECT 1 FROM due INDEXED BY due_by_namespace
    WHERE kind = ? AND namespace = ? AND due_at <= ? LIMIT ?)`,
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
  const { next, nextOfNamespace, due, dueOfNamespace } = workQueries;
  const items = reader.statement<ItemRow>(namespace === undefined ? next : nextOfNamespace);
  const count = reader.statement<[number]>(namespace === undefined ? due : dueOfNamespace);
  return reader.snapshot(() => ({
    due: count.get(...place, nowMs, readLimits.countedDue)?.[0] ?? 0,
    next: items.all(...place, limit).map(([found, name, ...row]) => {
      return { key: { kind, namespace: found, name }, work: stateOf(row, nowMs) };
    }),
  }));
}

function stateOf([dueAt, wakeAt, token, owner, attempts]: StateRow, nowMs: number): WorkState {
  const inMs = (atMs: number | null): number | undefined =>
    atMs === null ? undefined : atMs - nowMs;
  if (token === null || owner === null || dueAt === null || dueAt <= nowMs) {
    return { dueInMs: inMs(dueAt), attempts, claim: undefined };
  }
  return { dueInMs: inMs(wakeAt), attempts, claim: { owner, token, expiresInMs: dueAt - nowMs } };
}
