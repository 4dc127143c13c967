/**
 * The one connection that commits. A batch is one statement, so nothing is ever half done, and no
 * lock is held while the client thinks. When the connection is lost before the answer, the same
 * batch is sent again under the same number: the database answers it from memory if it was applied
 * (commit_v1), so callers get exact answers through a failover. Only when the patience ends while
 * an answer is still missing do they get `store.outcome_unknown`.
 */
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { PreparedGroup } from "../prepare.ts";
import { batchValueCount, batchValues } from "./batch.ts";
import { failureOf, unavailable } from "./failures.ts";
import { Session } from "./session.ts";
import type { SessionConfig, Statement } from "./session.ts";

export interface WriterOptions {
  readonly session: SessionConfig;
  readonly id: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly patienceMs: number;
  readonly clockSkewMs: () => number;
}

const places = Array.from({ length: 3 + batchValueCount }, (_, index) => `$${index + 1}`);
const commitStatement: Statement = {
  name: "commit",
  text: `SELECT commit_v1(${places.join(", ")})`,
};
const firstPauseMs = 20;
const longestPauseMs = 500;

export class Writer {
  readonly #options: WriterOptions;
  #session: Session | undefined;
  #batch = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** The answer of commit_v1 for this batch. One call at a time. */
  async commit(groups: readonly PreparedGroup[]): Promise<string> {
    const { clock, timers, id, patienceMs, clockSkewMs } = this.#options;
    this.#batch += 1;
    const values = [id, this.#batch, clockSkewMs(), ...batchValues(groups)];
    const deadlineMs = clock.nowMs() + patienceMs;
    let mayBeApplied = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      let isSent = false;
      try {
        const session = await this.#connected();
        isSent = true;
        // Half of the patience per attempt: a connection that went dead in silence leaves time for
        // another one.
        const limitMs = Math.min(deadlineMs - clock.nowMs(), Math.ceil(patienceMs / 2));
        const [row] = await session.rows(commitStatement, values, Math.max(1, limitMs));
        return row?.[0] as string;
      } catch (error) {
        const failure = failureOf(error);
        if (isSent && failure.kind === "lost") mayBeApplied = true;
        if (failure.kind === "refused") throw mayBeApplied ? unknown(error) : failure.error;
        if (clock.nowMs() + pauseMs >= deadlineMs) {
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
    if (this.#batch > 0) await session.rows(forget, [this.#options.id]).catch(() => undefined);
    await session.close();
  }

  async #connected(): Promise<Session> {
    if (this.#session === undefined || this.#session.isBroken) {
      this.#session = await Session.open(this.#options.session);
    }
    return this.#session;
  }
}

function unknown(cause: unknown): SetpointError {
  return new SetpointError(
    "store.outcome_unknown",
    "the database was lost during the commit and did not come back in time",
    { cause },
  );
}
