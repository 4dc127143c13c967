/**
 * A few connections for reading. A read that loses its connection is repeated on another one until
 * the patience ends: reads change nothing, so a restart of the database shows as a delay and not as
 * an error. Whoever waits for a connection waits in line, and no longer than the patience.
 */
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import { failureOf, isTooExpensive, tooExpensive, unavailable } from "./failures.ts";
import { Session } from "./session.ts";
import type { Row, SessionConfig, Statement } from "./session.ts";

export interface PoolOptions {
  readonly session: SessionConfig;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly size: number;
  readonly patienceMs: number;
}

/** A connection, the place of one that broke, or nothing because the pool closes. */
type Given = Session | "place" | "closed";

interface Waiter {
  readonly give: (given: Given) => void;
}

const firstPauseMs = 20;
const longestPauseMs = 500;

export class Pool {
  readonly #options: PoolOptions;
  readonly #idle: Session[] = [];
  #waiters: Waiter[] = [];
  #busy = 0;
  #isClosed = false;
  #whenQuiet: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async rows(statement: Statement, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return await this.use(async (session) => await session.rows(statement, values));
  }

  /** Runs a task on a connection of its own; repeats it whole when the connection is lost. */
  async use<T>(task: (session: Session) => Promise<T>): Promise<T> {
    const { clock, timers } = this.#options;
    const startMs = clock.nowMs();
    const deadline = (): number => startMs + this.#patienceMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await this.#attempt(task, deadline());
      } catch (error) {
        if (isTooExpensive(error)) throw tooExpensive(error);
        const failure = failureOf(error);
        if (failure.kind === "refused") throw failure.error;
        if (clock.nowMs() + pauseMs >= deadline() || this.#isClosed) {
          throw unavailable(failure.cause);
        }
      }
      await timers.sleep(pauseMs);
    }
  }

  /** Waits for what runs, then ends every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.give("closed");
    if (this.#busy > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#whenQuiet = resolve;
      await promise;
    }
    const idle = this.#idle.splice(0);
    await Promise.all(idle.map(async (session) => await session.close()));
  }

  /** Less while the database is known to be away. */
  get #patienceMs(): number {
    const { session, patienceMs } = this.#options;
    return session.reach.patienceMs(patienceMs);
  }

  async #attempt<T>(task: (session: Session) => Promise<T>, deadlineMs: number): Promise<T> {
    const session = await this.#take(deadlineMs);
    try {
      return await task(session);
    } finally {
      this.#giveBack(session);
    }
  }

  async #take(deadlineMs: number): Promise<Session> {
    if (this.#isClosed) throw closed();
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.isBroken) continue;
      this.#busy += 1;
      return idle;
    }
    if (this.#busy >= this.#options.size) {
      const given = await this.#waitForOne(deadlineMs);
      if (given === "closed") throw closed();
      if (given !== "place") return given;
    } else {
      this.#busy += 1;
    }
    try {
      const { session } = this.#options;
      const connectTimeoutMs = Math.min(session.connectTimeoutMs, this.#patienceMs);
      return await Session.open({ ...session, connectTimeoutMs });
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** What is given is already counted as busy. */
  async #waitForOne(deadlineMs: number): Promise<Given> {
    const { clock, timers } = this.#options;
    return await new Promise((resolve, reject) => {
      const cancel = timers.after(Math.max(1, deadlineMs - clock.nowMs()), () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(unavailable(new Error("no connection to the database became free")));
      });
      const waiter: Waiter = {
        give: (given) => {
          cancel();
          resolve(given);
        },
      };
      this.#waiters.push(waiter);
    });
  }

  #giveBack(session: Session): void {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.give(session.isBroken ? "place" : session);
      return;
    }
    if (!session.isBroken) this.#idle.push(session);
    this.#leave();
  }

  #leave(): void {
    const waiter = this.#waiters.shift();
    if (waiter !== undefined) {
      waiter.give("place");
      return;
    }
    this.#busy -= 1;
    if (this.#busy === 0) this.#whenQuiet?.();
  }
}

function closed(): SetpointError {
  return new SetpointError("store.closed", "the store is closed");
}
