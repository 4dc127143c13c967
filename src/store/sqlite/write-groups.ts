/**
 * Judges and applies the writes of a batch, group by group, each on the state the one before left.
 * Judging only reads; a group is applied when all of its writes were found good, so a refused group
 * has changed nothing. The order of judgement is part of the contract: claim, precondition, uid of
 * each write; then names, bounds and counters of all of them together (holdings.ts).
 */
import type { DatabaseSync } from "node:sqlite";
import { assert } from "../../kernel/assert.ts";
import { formatReference } from "../../kernel/resource.ts";
import type { BatchGroup, BatchWrite, Refusal, WriteResult } from "./batch.ts";
import type { DueTimes } from "./due.ts";
import { Holdings, hasHoldings } from "./holdings.ts";
import { action, rows } from "./sql.ts";

interface Applied {
  readonly revision: number;
  readonly isChanged: boolean;
  /** See BatchResult. */
  readonly isWoken: boolean;
  readonly results: readonly (readonly WriteResult[])[];
}

interface Current {
  readonly revision: number;
  readonly uid: string;
  readonly digest: Uint8Array;
  readonly terms: string;
}

const nothingShown = { terms: undefined, document: null, sealed: null } as const;

function statements(db: DatabaseSync) {
  const key = "kind = ? AND namespace = ? AND name = ?";
  return {
    find: rows<[revision: number, uid: string, digest: Uint8Array, terms: string]>(
      db,
      `SELECT revision, uid, digest, terms FROM resource WHERE ${key}`,
    ),
    change: action(
      db,
      "INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?)",
    ),
    create: action(db, "INSERT INTO resource VALUES (?, ?, ?, ?, ?, ?, ?)"),
    update: action(db, `UPDATE resource SET revision = ?, digest = ?, terms = ? WHERE ${key}`),
    remove: action(db, `DELETE FROM resource WHERE ${key}`),
    document: rows<[document: Uint8Array | null, sealed: Uint8Array | null]>(
      db,
      "SELECT CAST(document AS BLOB), sealed FROM change WHERE revision = ?",
    ),
    addTerm: action(db, "INSERT OR IGNORE INTO term VALUES (?, ?, ?, ?)"),
    dropTerm: action(
      db,
      "DELETE FROM term WHERE kind = ? AND term = ? AND namespace = ? AND name = ?",
    ),
  };
}

export class WriteGroups {
  readonly #sql: ReturnType<typeof statements>;
  readonly #due: DueTimes;
  readonly #holdings: Holdings;
  #revision = 0;
  #isChanged = false;
  #isWoken = false;

  constructor(db: DatabaseSync, due: DueTimes) {
    this.#sql = statements(db);
    this.#due = due;
    this.#holdings = new Holdings(db);
  }

  /** Numbers the changes from `head` on, inside the transaction of the caller. */
  apply(groups: readonly BatchGroup[], head: number, atMs: number): Applied {
    this.#revision = head;
    this.#isChanged = false;
    this.#isWoken = false;
    const results = groups.map((group) => this.#applyGroup(group, atMs));
    const isChanged = this.#isChanged;
    return { revision: this.#revision, isChanged, isWoken: this.#isWoken, results };
  }

  #applyGroup(group: BatchGroup, atMs: number): readonly WriteResult[] {
    const current = group.map(({ key }) => this.#find(key.kind, key.namespace, key.name));
    const alone = group.map((write, index) => this.#judgeAlone(write, current[index], atMs));
    if (alone.some((refusal) => refusal !== undefined)) return refuseGroup(group, alone);
    if (group.some(hasHoldings)) {
      const together = this.#holdings.judge(group);
      if (together.some((refusal) => refusal !== undefined)) return refuseGroup(group, together);
      this.#holdings.apply(group);
    } else {
      for (const write of group) if (write.kind === "delete") this.#holdings.release(write.key);
    }
    this.#isChanged = true;
    return group.map((write, index) => this.#applyWrite(write, current[index], atMs));
  }

  #find(kind: string, namespace: string, name: string): Current | undefined {
    const row = this.#sql.find.get(kind, namespace, name);
    if (row === undefined) return undefined;
    const [revision, uid, digest, terms] = row;
    return { revision, uid, digest, terms };
  }

  #judgeAlone(write: BatchWrite, current: Current | undefined, atMs: number): Refusal | undefined {
    const { claim, when } = write;
    if (claim !== undefined && !this.#due.isLive(claim, atMs)) {
      return refuse(write, "claim.lost", `the claim on ${formatReference(claim.key)} has expired`);
    }
    if (when.kind === "absent") {
      if (current === undefined) return undefined;
      return refuse(write, "resource.already_exists", "exists already", current.revision);
    }
    if (current === undefined) return refuse(write, "resource.not_found", "does not exist");
    if (when.kind === "revision" && when.revision !== current.revision) {
      const why = `is at revision ${current.revision}, not at ${when.revision}`;
      return refuse(write, "resource.conflict", why, current.revision);
    }
    const isOther =
      (when.uid !== undefined && when.uid !== current.uid) ||
      (write.kind === "put" && write.uid !== current.uid);
    if (!isOther) return undefined;
    return refuse(write, "resource.conflict", `has the uid ${current.uid}`, current.revision);
  }

  #applyWrite(write: BatchWrite, current: Current | undefined, atMs: number): WriteResult {
    if (write.kind === "put") return this.#put(write, current, atMs);
    assert(current !== undefined, "a judged write on a missing resource");
    if (write.kind === "delete") return this.#delete(write, current, atMs);
    this.#applyDue(write, atMs);
    return { kind: "unchanged", revision: current.revision };
  }

  #put(write: BatchWrite, current: Current | undefined, atMs: number): WriteResult {
    const { key, uid, terms, digest, document, sealed } = write;
    assert(document !== null && digest !== null, "a put brings a document");
    const { kind, namespace, name } = key;
    if (current?.terms === terms && isEqual(current.digest, digest)) {
      this.#applyDue(write, atMs);
      return { kind: "unchanged", revision: current.revision };
    }
    const revision = (this.#revision += 1);
    const type = current === undefined ? "created" : "updated";
    const previous = current?.revision ?? null;
    const sql = this.#sql;
    sql.change.run(
      revision,
      previous,
      type,
      kind,
      namespace,
      name,
      uid,
      atMs,
      terms,
      digest,
      document,
      sealed,
      write.cause,
    );
    if (current === undefined) sql.create.run(kind, namespace, name, revision, uid, digest, terms);
    else sql.update.run(revision, digest, terms, kind, namespace, name);
    this.#changeTerms(write, current?.terms ?? "[]", terms);
    this.#applyDue(write, atMs);
    const isRelabelled = current !== undefined && current.terms !== terms;
    const previousTerms = isRelabelled ? current.terms : undefined;
    return { kind: "committed", revision, type, previous, uid, previousTerms, ...nothingShown };
  }

  #delete(write: BatchWrite, current: Current, atMs: number): WriteResult {
    const { kind, namespace, name } = write.key;
    const { uid, revision: previous } = current;
    const isShown = write.document !== null;
    const terms = isShown ? write.terms : current.terms;
    const revision = (this.#revision += 1);
    const sql = this.#sql;
    sql.change.run(
      revision,
      previous,
      "deleted",
      kind,
      namespace,
      name,
      uid,
      atMs,
      terms,
      write.digest ?? current.digest,
      write.document,
      write.sealed,
      write.cause,
    );
    sql.remove.run(kind, namespace, name);
    this.#changeTerms(write, current.terms, "[]");
    this.#due.remove(write.key);
    const base = { kind: "committed", revision, type: "deleted", previous, uid } as const;
    if (isShown) {
      const previousTerms = terms === current.terms ? undefined : current.terms;
      return { ...base, previousTerms, ...nothingShown };
    }
    const [document = null, sealed = null] = sql.document.get(previous) ?? [];
    return { ...base, previousTerms: undefined, terms, document, sealed };
  }

  #changeTerms({ key }: BatchWrite, before: string, after: string): void {
    if (before === after) return;
    const old = JSON.parse(before) as readonly string[];
    const wanted = JSON.parse(after) as readonly string[];
    const { kind, namespace, name } = key;
    for (const term of old) {
      if (!wanted.includes(term)) this.#sql.dropTerm.run(kind, term, namespace, name);
    }
    for (const term of wanted) {
      if (!old.includes(term)) this.#sql.addTerm.run(kind, term, namespace, name);
    }
  }

  #applyDue(write: BatchWrite, atMs: number): void {
    if (write.due === undefined) return;
    if (this.#due.apply(write.key, write.due, atMs)) this.#isWoken = true;
  }
}

function refuseGroup(
  group: BatchGroup,
  refusals: readonly (Refusal | undefined)[],
): readonly WriteResult[] {
  const fault = refusals.findIndex((refusal) => refusal !== undefined);
  return group.map((write, index) => {
    const own = refusals[index];
    if (own !== undefined) return own;
    const why = "is unchanged because another write of its group was refused";
    const refused = refuse(write, "resource.group_refused", why);
    return { ...refused, details: { ...refused.details, write: fault } };
  });
}

function refuse(
  { key }: BatchWrite,
  code: Refusal["code"],
  why: string,
  revision?: number,
): Refusal {
  const details = { ...key, ...(revision === undefined ? {} : { revision }) };
  const message = code === "claim.lost" ? why : `${formatReference(key)} ${why}`;
  return { kind: "refused", code, message, details };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
