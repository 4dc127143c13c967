/**
 * Hands out due work fairly. When everything that is due fits, it is all handed out, oldest first.
 * Otherwise namespaces take turns: the claim walks from namespace to namespace through the index,
 * starting where the last one stopped, takes the oldest of each, and only then second ones. So a
 * namespace with a million due resources delays another by one turn, not by a million.
 *
 * What is settled or claimed is in neither index, and a claim looks at no more rows than it hands
 * out plus at most `limits.maxClaimNamespaces` namespaces. Claims whose lease has ended come back
 * into both first, at most a thousand at a time, found by an index of their own.
 */
import type { DatabaseSync } from "node:sqlite";
import { limits } from "../../kernel/limits.ts";
import type { Claim, ClaimRequest } from "../port.ts";
import { noClaim } from "./due.ts";
import { action, rows } from "./sql.ts";

interface Candidate {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly dueAtMs: number;
  readonly attempts: number;
  readonly uid: string;
  readonly revision: number;
  readonly rowId: number;
}

const columns = "d.kind, d.namespace, d.name, d.due_at, d.attempts, r.uid, r.revision, d.rowid";
/** Every due row has its resource, so the join only adds to it. */
const withResource = `CROSS JOIN resource r
    ON r.kind = d.kind AND r.namespace = d.namespace AND r.name = d.name`;

/** What waits for work: the indexes by time and by namespace hold nothing else. */
const waits = "due_at IS NOT NULL AND token IS NULL";
/** As many claims are ended by one call at most: the others are still due for the next. */
const endedAtOnce = 1_000;

/** The index of claims is not named: older files are read, too, and do not have it yet. */
export const claimQueries = {
  oldest: `SELECT ${columns} FROM due d INDEXED BY due_by_time ${withResource}
    WHERE d.kind = ? AND d.due_at <= ? AND d.token IS NULL ORDER BY d.due_at LIMIT ?`,
  oldestOfNamespace: `SELECT ${columns} FROM due d INDEXED BY due_by_namespace ${withResource}
    WHERE d.kind = ? AND d.namespace = ? AND d.due_at <= ? AND d.token IS NULL
    ORDER BY d.due_at LIMIT ?`,
  nextNamespace: `SELECT namespace FROM due INDEXED BY due_by_namespace
    WHERE kind = ? AND namespace > ? AND ${waits} ORDER BY namespace LIMIT 1`,
  firstNamespace: `SELECT namespace FROM due INDEXED BY due_by_namespace
    WHERE kind = ? AND ${waits} ORDER BY namespace LIMIT 1`,
  isOneNamespace: `SELECT (SELECT namespace FROM due INDEXED BY due_by_namespace
      WHERE kind = ? AND ${waits} ORDER BY namespace LIMIT 1)
    = (SELECT namespace FROM due INDEXED BY due_by_namespace
      WHERE kind = ? AND ${waits} ORDER BY namespace DESC LIMIT 1)`,
  nextDue: `SELECT due_at FROM due INDEXED BY due_by_time
    WHERE kind = ? AND ${waits} ORDER BY due_at LIMIT 1`,
  nextEnd: `SELECT due_at FROM due
    WHERE kind = ? AND token IS NOT NULL ORDER BY due_at LIMIT 1`,
  ended: `SELECT d.rowid FROM json_each(?) CROSS JOIN due d
    WHERE d.kind = json_each.value AND d.token IS NOT NULL AND d.due_at <= ? LIMIT ${endedAtOnce}`,
};

type DueRow = [
  ...[kind: string, namespace: string, name: string, dueAt: number, attempts: number],
  ...[uid: string, revision: number, rowId: number],
];

function statements(db: DatabaseSync) {
  return {
    oldest: rows<DueRow>(db, claimQueries.oldest),
    oldestOfNamespace: rows<DueRow>(db, claimQueries.oldestOfNamespace),
    nextNamespace: rows<[string]>(db, claimQueries.nextNamespace),
    firstNamespace: rows<[string]>(db, claimQueries.firstNamespace),
    isOneNamespace: rows<[number]>(db, claimQueries.isOneNamespace),
    ended: rows<[rowId: number]>(db, claimQueries.ended),
    end: action(db, `UPDATE due SET ${noClaim} FROM json_each(?) j WHERE due.rowid = j.value`),
    // One statement for all: the place in the list of row ids gives each its token.
    grant: action(
      db,
      `UPDATE due SET due_at = ?, wake_at = NULL, token = ? + j.key, owner = ?,
         attempts = attempts + 1
       FROM json_each(?) j WHERE due.rowid = j.value`,
    ),
  };
}

export class Claims {
  readonly #sql: ReturnType<typeof statements>;
  /** The namespace that had the last turn, by the kinds asked for. */
  readonly #turns = new Map<string, string>();

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  /** Grants with the tokens after `lastToken`, in the order of the result. */
  claim(request: ClaimRequest, nowMs: number, lastToken: number): readonly Claim[] {
    const limit = Math.min(request.limit, limits.maxClaimItems);
    if (limit <= 0) return [];
    const kinds = [...new Set(request.kinds)];
    this.#endLeases(kinds, nowMs);
    const chosen = this.#chooseAll(request, kinds, limit, nowMs);
    const turns = chosen ?? this.#chooseByTurns(request, kinds, limit, nowMs);
    return this.#grant(turns, lastToken + 1, request, nowMs);
  }

  /** Claims whose lease has ended wait again, for whoever is the next. */
  #endLeases(kinds: readonly string[], nowMs: number): void {
    const ended = this.#sql.ended.all(JSON.stringify(kinds), nowMs);
    if (ended.length > 0) this.#sql.end.run(JSON.stringify(ended.flat()));
  }

  /** Everything due, when it fits and no namespace is limited or skipped by it; else undefined. */
  #chooseAll(
    { perNamespace = Infinity, skipNamespaces = [] }: ClaimRequest,
    kinds: readonly string[],
    limit: number,
    nowMs: number,
  ): readonly Candidate[] | undefined {
    const found: Candidate[] = [];
    const counts = new Map<string, number>();
    for (const kind of kinds) {
      const room = limit + 1 - found.length;
      for (const row of this.#sql.oldest.all(kind, nowMs, room)) {
        const candidate = candidateOf(row);
        const count = (counts.get(candidate.namespace) ?? 0) + 1;
        if (count > perNamespace || skipNamespaces.includes(candidate.namespace)) return undefined;
        counts.set(candidate.namespace, count);
        found.push(candidate);
      }
      if (found.length > limit) {
        return this.#isAlone(kinds, counts) ? found.slice(0, limit) : undefined;
      }
    }
    return kinds.length > 1 ? found.sort(byDueTime) : found;
  }

  /** Whether nobody else waits: one kind, and no namespace but the one found. */
  #isAlone([kind = "", ...others]: readonly string[], found: ReadonlyMap<string, number>): boolean {
    if (others.length > 0 || found.size > 1) return false;
    return this.#sql.isOneNamespace.get(kind, kind)?.[0] === 1;
  }

  #chooseByTurns(
    request: ClaimRequest,
    kinds: readonly string[],
    limit: number,
    nowMs: number,
  ): readonly Candidate[] {
    const most = Math.min(request.perNamespace ?? limit, limit);
    const skipped = new Set(request.skipNamespaces);
    const turnKey = JSON.stringify(kinds);
    const chosen = new Set<string>();
    let visited = 0;
    for (const namespace of this.#namespaces(kinds, this.#turns.get(turnKey))) {
      visited += 1;
      if (visited > limits.maxClaimNamespaces || chosen.size >= limit) break;
      this.#turns.set(turnKey, namespace);
      if (skipped.has(namespace)) continue;
      if (this.#queueOf(namespace, kinds, 1, nowMs).length > 0) chosen.add(namespace);
    }
    // Namespaces beyond the walk are not forgotten: what has waited longest fills the rest.
    for (const kind of chosen.size < limit ? kinds : []) {
      for (const [, namespace] of this.#sql.oldest.all(kind, nowMs, limit)) {
        if (!skipped.has(namespace)) chosen.add(namespace);
      }
    }
    return this.#takeTurns([...chosen], kinds, { limit, most, nowMs });
  }

  /** Reads as many of each namespace as may be needed, and no more than twice that. */
  #takeTurns(
    namespaces: readonly string[],
    kinds: readonly string[],
    {
      limit,
      most,
      nowMs,
    }: { readonly limit: number; readonly most: number; readonly nowMs: number },
  ): readonly Candidate[] {
    if (namespaces.length === 0 || most <= 0) return [];
    for (let each = Math.ceil(limit / namespaces.length); ; each *= 2) {
      const depth = Math.min(each, most);
      const queues = namespaces.map((name) => this.#queueOf(name, kinds, depth, nowMs));
      const chosen = inTurns(queues, limit);
      const isCut = depth < most && queues.some((queue) => queue.length === depth);
      if (chosen.length === limit || !isCut) return chosen;
    }
  }

  /** Each namespace with a due time, once, from the one after `last` around to it. */
  *#namespaces(kinds: readonly string[], last: string | undefined): Iterable<string> {
    if (last !== undefined) yield* this.#walk(kinds, this.#after(kinds, last));
    for (const namespace of this.#walk(kinds, this.#first(kinds))) {
      if (last !== undefined && isAfter(namespace, last)) return;
      yield namespace;
    }
  }

  *#walk(kinds: readonly string[], start: string | undefined): Iterable<string> {
    for (let at = start; at !== undefined; at = this.#after(kinds, at)) yield at;
  }

  #after(kinds: readonly string[], namespace: string): string | undefined {
    return least(kinds.map((kind) => this.#sql.nextNamespace.get(kind, namespace)?.[0]));
  }

  #first(kinds: readonly string[]): string | undefined {
    return least(kinds.map((kind) => this.#sql.firstNamespace.get(kind)?.[0]));
  }

  #queueOf(
    namespace: string,
    kinds: readonly string[],
    most: number,
    nowMs: number,
  ): readonly Candidate[] {
    const found = kinds.flatMap((kind) =>
      this.#sql.oldestOfNamespace.all(kind, namespace, nowMs, most).map(candidateOf),
    );
    return found.sort(byDueTime).slice(0, most);
  }

  #grant(
    chosen: readonly Candidate[],
    firstToken: number,
    { owner, leaseMs }: ClaimRequest,
    nowMs: number,
  ): readonly Claim[] {
    if (chosen.length === 0) return [];
    const expiresAtMs = nowMs + leaseMs;
    const rowIds = `[${chosen.map(({ rowId }) => rowId).join(",")}]`;
    this.#sql.grant.run(expiresAtMs, firstToken, owner, rowIds);
    return chosen.map(({ kind, namespace, name, uid, revision, dueAtMs, attempts }, index) => {
      const key = { kind, namespace, name };
      const token = firstToken + index;
      return { key, token, uid, revision, expiresAtMs, dueAtMs, attempts: attempts + 1 };
    });
  }
}

/** One of each queue in turn until the limit is reached. */
function inTurns(queues: readonly (readonly Candidate[])[], limit: number): readonly Candidate[] {
  const chosen: Candidate[] = [];
  for (let turn = 0; chosen.length < limit; turn += 1) {
    const before = chosen.length;
    for (const queue of queues) {
      const next = queue[turn];
      if (next !== undefined && chosen.length < limit) chosen.push(next);
    }
    if (chosen.length === before) break;
  }
  return chosen;
}

function candidateOf(row: DueRow): Candidate {
  const [kind, namespace, name, dueAtMs, attempts, uid, revision, rowId] = row;
  return { kind, namespace, name, dueAtMs, attempts, uid, revision, rowId };
}

function byDueTime(a: Candidate, b: Candidate): number {
  return a.dueAtMs - b.dueAtMs;
}

function least(texts: readonly (string | undefined)[]): string | undefined {
  let found: string | undefined;
  for (const text of texts) {
    if (text !== undefined && (found === undefined || isAfter(found, text))) found = text;
  }
  return found;
}

/** As the index orders them: by UTF-8 bytes, which a comparison of UTF-16 units does not give. */
function isAfter(a: string, b: string): boolean {
  return a !== b && Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0;
}
