/**
 * Who has which keys: each process that writes tells it by advisory locks on its connection for
 * notifications, which vanish with the process. Nobody waits for these locks, and no promise rests
 * on them: they let a change of keys be refused before it makes other servers blind, while what
 * must not be lost is guarded in the commit (key-care.ts).
 */
import { createHash } from "node:crypto";
import { SetpointError } from "../../kernel/errors.ts";
import type { OtherRing } from "../key-care.ts";
import type { KeyRing } from "../key-ring.ts";
import { int8Array } from "./binary-array.ts";
import type { Session } from "./session.ts";

const lockStatement = {
  text: "SELECT pg_advisory_lock_shared($1::int, o::int) FROM unnest($2::bigint[]) AS l(o)",
};
const unlockStatement = {
  text: "SELECT pg_advisory_unlock_shared($1::int, o::int) FROM unnest($2::bigint[]) AS l(o)",
};
const changeStatement = { text: "SELECT pg_try_advisory_lock($1::int, 0)" };
const othersStatement = {
  text: `SELECT l.pid, l.classid::bigint, l.objid::bigint, host(a.client_addr)
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted AND l.pid <> pg_backend_pid()
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
      AND l.classid::bigint = ANY ($1::bigint[])`,
};

type Notice = "present" | "has" | "seals";
const notices: readonly Notice[] = ["present", "has", "seals"];

export class RingBoard {
  readonly #ring: KeyRing;
  readonly #schema: string;
  /** What each connection has told. */
  readonly #told = new WeakMap<Session, ReadonlyMap<Notice, ReadonlySet<number>>>();

  constructor(ring: KeyRing, schema: string) {
    this.#ring = ring;
    this.#schema = schema;
  }

  /** Tells what the ring has now; does nothing when that was told before. */
  async tell(session: Session): Promise<void> {
    const wanted = new Map<Notice, ReadonlySet<number>>([
      ["present", new Set([0])],
      ["has", new Set(this.#ring.ids().map(numberOf))],
      ["seals", new Set([numberOf(this.#ring.active().id)])],
    ]);
    const told = this.#told.get(session);
    this.#told.set(session, wanted);
    for (const notice of notices) {
      const before = told?.get(notice) ?? new Set<number>();
      const now = wanted.get(notice) ?? new Set<number>();
      const space = this.#space(notice);
      const added = [...now.difference(before)];
      if (added.length > 0) await session.rows(lockStatement, [space, int8Array(added)]);
      const gone = [...before.difference(now)];
      if (gone.length > 0) await session.rows(unlockStatement, [space, int8Array(gone)]);
    }
  }

  async others(session: Session): Promise<readonly OtherRing[]> {
    const spaces = new Map(notices.map((notice) => [this.#space(notice), notice]));
    const rows = await session.rows(othersStatement, [int8Array([...spaces.keys()])]);
    const found = new Map<number, { readonly host: string | null; readonly said: Set<string> }>();
    for (const [pid, space, number, host] of rows as readonly [number, number, number, string][]) {
      const other = found.get(pid) ?? { host, said: new Set<string>() };
      found.set(pid, other);
      other.said.add(`${spaces.get(space)} ${number}`);
    }
    return [...found]
      .filter(([, { said }]) => said.has("present 0"))
      .map(([pid, { host, said }]) => ({
        place: `${host ?? "a local socket"} (process ${pid} of the database)`,
        has: (id) => said.has(`has ${numberOf(id)}`),
        sealsWith: (id) => said.has(`seals ${numberOf(id)}`),
      }));
  }

  /** Until the connection ends. */
  async beginChange(session: Session): Promise<void> {
    const [row] = await session.rows(changeStatement, [this.#space("change")]);
    if (row?.[0] === true) return;
    throw new SetpointError("store.locked", "another process is changing the keys", {
      suggestion: "wait until it ends, then try again",
    });
  }

  /** Stores in other schemas of the database have locks of their own. */
  #space(notice: Notice | "change"): number {
    return numberOf(`setpoint ${notice} ${this.#schema}`);
  }
}

/** Locks are numbers. Positive, since the database shows them without a sign. */
function numberOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() >>> 1;
}
