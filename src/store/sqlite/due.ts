/**
 * When resources want work, and who works on them. A row's `due_at` is when it may be claimed: the
 * end of the lease where there is a claim, so an expired claim is simply a row that is due. Rows
 * without a time are settled and in no index; they only remember attempts that were not reset.
 */
import type { DatabaseSync } from "node:sqlite";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { ClaimRef, DueChange, Renewal } from "../port.ts";
import { action, rows, storeError } from "./sql.ts";

/** Of a row that nobody holds. What wakes during the claim asked for is due with it. */
export const noClaim = "wake_at = NULL, token = NULL, owner = NULL";

type DueRow = [dueAt: number | null, wakeAt: number | null, token: number | null, tries: number];

function statements(db: DatabaseSync) {
  const key = "kind = ? AND namespace = ? AND name = ?";
  return {
    find: rows<DueRow>(db, `SELECT due_at, wake_at, token, attempts FROM due WHERE ${key}`),
    insert: action(
      db,
      `INSERT INTO due (kind, namespace, name, due_at, attempts) VALUES (?, ?, ?, ?, 0)`,
    ),
    setDue: action(db, `UPDATE due SET due_at = ? WHERE ${key}`),
    setWake: action(db, `UPDATE due SET wake_at = ? WHERE ${key}`),
    release: action(db, `UPDATE due SET due_at = ?, attempts = ?, ${noClaim} WHERE ${key}`),
    remove: action(db, `DELETE FROM due WHERE ${key}`),
    renew: action(db, `UPDATE due SET due_at = ? WHERE ${key} AND token = ? AND due_at > ?`),
  };
}

/**
 * What is claimed is due at once, as if every lease had ended: its holders are known to be gone.
 * The count of claims stays, so that what took its holder down is known by that.
 */
export function freeClaims(db: DatabaseSync, path: string, nowMs: number): void {
  const sql = `UPDATE due SET due_at = min(due_at, ?), ${noClaim} WHERE token IS NOT NULL`;
  try {
    action(db, sql).run(nowMs);
  } catch (cause) {
    const error = storeError(cause, path);
    // Leases end by themselves: no reason not to start, to those who want to make room.
    if (error.code !== "store.full") throw error;
  }
}

export class DueTimes {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  isLive({ key, token }: ClaimRef, nowMs: number): boolean {
    const [dueAt, , held] = this.#sql.find.get(key.kind, key.namespace, key.name) ?? [];
    return held === token && typeof dueAt === "number" && dueAt > nowMs;
  }

  /** Whether the claim is stored, live or not. */
  holds(claim: ClaimRef | undefined): boolean {
    if (claim === undefined) return false;
    const { kind, namespace, name } = claim.key;
    return this.#sql.find.get(kind, namespace, name)?.[2] === claim.token;
  }

  /** Wakes and releases; the claim was judged before. Whether a release finds a wake to heed. */
  apply(key: ResourceKey, due: DueChange, nowMs: number): boolean {
    const row = this.#sql.find.get(key.kind, key.namespace, key.name);
    if (due.kind === "wake") this.#wake(key, row, nowMs + due.afterMs, nowMs);
    else if (row !== undefined) this.#release(key, row, due, nowMs);
    return due.kind === "release" && row !== undefined && row[1] !== null;
  }

  remove({ kind, namespace, name }: ResourceKey): void {
    this.#sql.remove.run(kind, namespace, name);
  }

  renew(claims: readonly ClaimRef[], leaseMs: number, nowMs: number): Renewal {
    const renewed: Renewal["renewed"][number][] = [];
    const lost: ClaimRef[] = [];
    const expiresAtMs = nowMs + leaseMs;
    for (const { key, token } of claims) {
      const { kind, namespace, name } = key;
      const done = this.#sql.renew.run(expiresAtMs, kind, namespace, name, token, nowMs);
      if (Number(done.changes) > 0) renewed.push({ key, token, expiresAtMs });
      else lost.push({ key, token });
    }
    return { renewed, lost };
  }

  #wake(key: ResourceKey, row: DueRow | undefined, atMs: number, nowMs: number): void {
    const { kind, namespace, name } = key;
    if (row === undefined) {
      this.#sql.insert.run(kind, namespace, name, atMs);
      return;
    }
    const [dueAt, wakeAt, token] = row;
    const isClaimed = token !== null && dueAt !== null && dueAt > nowMs;
    const known = isClaimed ? wakeAt : dueAt;
    if (known !== null && known <= atMs) return;
    (isClaimed ? this.#sql.setWake : this.#sql.setDue).run(atMs, kind, namespace, name);
  }

  #release(
    key: ResourceKey,
    [, wakeAt, , tries]: DueRow,
    due: Extract<DueChange, { kind: "release" }>,
    nowMs: number,
  ): void {
    const { kind, namespace, name } = key;
    const next = Math.min(
      due.afterMs === undefined ? Infinity : nowMs + due.afterMs,
      wakeAt ?? Infinity,
    );
    const attempts = due.attempts === "reset" ? 0 : tries;
    const isSettled = next === Infinity;
    if (isSettled && attempts === 0) this.#sql.remove.run(kind, namespace, name);
    else this.#sql.release.run(isSettled ? null : next, attempts, kind, namespace, name);
  }
}
