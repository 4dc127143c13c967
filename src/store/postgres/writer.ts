/**
 * A connection that commits. A batch is one statement, so no write is ever half done, and no lock
 * is held while the client thinks. A second one follows only where nothing of a batch of creations
 * was applied, because one is to be refused, and for claims that were moved meanwhile. When the
 * connection is lost before the answer, the same batch is sent again under the same number: the
 * database answers it from memory if it was applied (commit_v4, create_v2, release_v3), so callers
 * get exact answers through a failover. Only when the patience ends while an answer is missing do
 * they get `store.outcome_unknown`.
 *
 * An attempt that was given up may still reach the database, however late. So batches are numbered
 * under an id that is registered first and used by nobody else: once its row is gone (closed, or
 * swept after a week), the database refuses whatever still arrives under it.
 */
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import { retiredKey, retiredKind, sealedWith } from "../key-care.ts";
import type { PreparedGroup } from "../prepare.ts";
import type { BatchAnswer } from "./answers.ts";
import { batchValueCount, batchValues } from "./batch.ts";
import { textArray } from "./binary-array.ts";
import { creationAnswer, creationsIn, creationValueCount, creationValues } from "./creations.ts";
import { failureOf, unavailable } from "./failures.ts";
import type { HeldClaims } from "./held-claims.ts";
import type { Release } from "./releases.ts";
import { heldAnswer, heldOf, heldValues, leftOf } from "./releases.ts";
import { releaseAnswer, releasesIn, releaseValueCount, releaseValues } from "./releases.ts";
import { Session } from "./session.ts";
import type { SessionConfig, Statement } from "./session.ts";

export interface WriterOptions {
  readonly session: SessionConfig;
  readonly id: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly patienceMs: number;
  readonly clockSkewMs: () => number;
  readonly held: HeldClaims;
}

const commitStatement: Statement = {
  name: "commit",
  text: `SELECT commit_v4(${places(3 + batchValueCount)})`,
};
/**
 * As `commit`, unless a key that sealed something of it is retired: then there is no row. One
 * statement, so one moment decides: see `retireKeys`, which waits for those that began before it.
 */
const sealedStatement: Statement = {
  name: "commit_sealed",
  text: `SELECT commit_v4(${places(3 + batchValueCount)}) WHERE NOT EXISTS (SELECT FROM resource r
    WHERE r.kind = '${retiredKind}' AND r.namespace = ''
      AND r.name = ANY ($${4 + batchValueCount}::text[]))`,
};
const createStatement: Statement = {
  name: "create",
  text: `SELECT create_v2(${places(3 + creationValueCount)})`,
};
const releaseStatement: Statement = {
  name: "release",
  text: `SELECT release_v2(${places(3 + releaseValueCount)})`,
};
const heldStatement: Statement = {
  name: "release_held",
  text: `SELECT release_v3(${places(3 + releaseValueCount)})`,
};
/** Where one creation was refused, others will be: what is tried in vain costs twice. */
const doubtfulBatches = 32;
const firstPauseMs = 20;
const longestPauseMs = 500;

export class Writer {
  readonly #options: WriterOptions;
  #session: Session | undefined;
  #batch = 0;
  #registrations = 0;
  /** So many batches of creations are judged write by write. */
  #doubtful = 0;
  /** Registered in the database; undefined until the first commit. */
  #id: string | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** The database's answer for this batch. One call at a time. */
  async commit(groups: readonly PreparedGroup[]): Promise<BatchAnswer> {
    const releases = releasesIn(groups);
    if (releases === undefined) {
      return (
        (await this.#sendCreations(groups)) ??
        (JSON.parse(await this.#sendWrites(groups)) as BatchAnswer)
      );
    }
    const held = heldOf(releases, this.#options.held);
    if (held === undefined) {
      return releaseAnswer(releases, await this.#send(releaseStatement, releaseValues(releases)));
    }
    const text = await this.#send(heldStatement, heldValues(releases, held));
    for (const { claim } of releases) this.#options.held.forget(claim.token);
    return heldAnswer(releases, held, text, await this.#releaseLeft(leftOf(releases, text)));
  }

  /** Undefined when it is another batch, or one of its writes is to be refused. */
  async #sendCreations(groups: readonly PreparedGroup[]): Promise<BatchAnswer | undefined> {
    const creations = creationsIn(groups);
    if (creations === undefined) return undefined;
    if (this.#doubtful > 0) {
      this.#doubtful -= 1;
      return undefined;
    }
    const text = await this.#sendOnce(createStatement, creationValues(creations));
    if (text !== null) return creationAnswer(creations.length, text);
    this.#doubtful = doubtfulBatches;
    return undefined;
  }

  async #sendWrites(groups: readonly PreparedGroup[]): Promise<string> {
    const keyIds = sealedWith(groups);
    if (keyIds.length === 0) return await this.#send(commitStatement, batchValues(groups));
    const values = [...batchValues(groups), textArray(keyIds)];
    return await this.#send(sealedStatement, values, () => retiredKey(keyIds));
  }

  /** By key, after the others of the same batch. */
  async #releaseLeft(left: readonly Release[]): Promise<BatchAnswer | undefined> {
    if (left.length === 0) return undefined;
    const releases = left.map((release, index) => ({ ...release, index }));
    try {
      return releaseAnswer(releases, await this.#send(releaseStatement, releaseValues(releases)));
    } catch (error) {
      // A part of the batch is applied by now, whatever became of this one.
      throw unknown(error);
    }
  }

  async #send(
    statement: Statement,
    batch: readonly unknown[],
    whyNothing?: () => Error,
  ): Promise<string> {
    const text = await this.#sendOnce(statement, batch, whyNothing);
    if (text === null) throw new Error("the database did not respond");
    return text;
  }

  /** Under a number of its own, by which the database knows it when it comes again. */
  async #sendOnce(
    statement: Statement,
    batch: readonly unknown[],
    whyNothing: () => Error = () => new Error("the database did not respond"),
  ): Promise<string | null> {
    const { clock, timers, patienceMs, clockSkewMs } = this.#options;
    this.#batch += 1;
    const startMs = clock.nowMs();
    const deadlineMs = startMs + patienceMs;
    // Half of the patience per attempt: a connection that went dead in silence leaves time for
    // another one.
    const limitMs = (): number =>
      Math.max(1, Math.min(deadlineMs - clock.nowMs(), Math.ceil(patienceMs / 2)));
    let mayBeApplied = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      let isSent = false;
      try {
        const session = await this.#connected(limitMs);
        const id = (this.#id ??= await this.#register(session, limitMs()));
        const values = [id, this.#batch, clockSkewMs(), ...batch];
        isSent = true;
        const [row] = await session.rows(statement, values, limitMs());
        if (row === undefined) throw whyNothing();
        return row[0] as string | null;
      } catch (error) {
        if (isUnregistered(error) && !mayBeApplied) {
          this.#id = undefined;
          continue;
        }
        const failure = failureOf(error);
        if (isSent && failure.kind === "lost") mayBeApplied = true;
        if (failure.kind === "refused") throw mayBeApplied ? unknown(error) : failure.error;
        // What may have been applied is asked for to the end; what was never sent can be told now.
        const endMs = mayBeApplied ? deadlineMs : startMs + this.#patienceMs;
        if (clock.nowMs() + pauseMs >= endMs) {
          throw mayBeApplied ? unknown(failure.cause) : unavailable(failure.cause);
        }
      }
      await timers.sleep(pauseMs);
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined || session.isBroken) return;
    const forget = { text: "DELETE FROM writer WHERE id = $1" };
    // A row that stays behind is removed by a later open.
    if (this.#id !== undefined) await session.rows(forget, [this.#id]).catch(() => undefined);
    await session.close();
  }

  /** Less while the database is known to be away. */
  get #patienceMs(): number {
    const { session, patienceMs } = this.#options;
    return session.reach.patienceMs(patienceMs);
  }

  async #connected(limitMs: () => number): Promise<Session> {
    const former = this.#session;
    if (former !== undefined && !former.isBroken) return former;
    const { session: config } = this.#options;
    const connectTimeoutMs = Math.min(config.connectTimeoutMs, this.#patienceMs);
    const session = await Session.open({ ...config, connectTimeoutMs });
    this.#session = session;
    // What it was doing is of no use to anybody any more, but may hold the lock that is wanted now.
    if (former !== undefined) await session.endOther(former, limitMs());
    await session.identify(limitMs());
    return session;
  }

  /** Under an id of its own for each try: a try that arrives late registers what nobody uses. */
  async #register(session: Session, limitMs: number): Promise<string> {
    const { id: store, clockSkewMs } = this.#options;
    this.#registrations += 1;
    const id = `${store}.${this.#registrations}`;
    const text = "INSERT INTO writer (id, batch, at_ms) VALUES ($1, 0, now_v1($2))";
    await session.rows({ text }, [id, clockSkewMs()], limitMs);
    this.#batch = 1;
    return id;
  }
}

function places(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(", ");
}

/** The database does not know the writer: its row was swept while it had nothing to do. */
function isUnregistered(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === "SP002";
}

function unknown(cause: unknown): SetpointError {
  return new SetpointError(
    "store.outcome_unknown",
    "lost the connection to the database during the commit; it was not restored in time",
    { cause },
  );
}
