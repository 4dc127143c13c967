/**
 * Watches what a store answers, and so knows without asking whether it takes writes and whether its
 * data is damaged. A disk that is full or read-only refuses every write while reads go on, so no
 * question of `/readyz` shows it. Each change is told to the log once.
 *
 * An embedded file that is found damaged takes no more writes: this process alone has it, and pages
 * that lead to the wrong place make of each write more damage. On PostgreSQL writes go on: the
 * database keeps damage to the page that has it, others write there too, and whether to stop them
 * is for the operator, who is told.
 */
import type { Clock } from "../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import type { Answer, Claim, Renewal, Store } from "../store/port.ts";
import type { Logger } from "../telemetry/log.ts";

export interface StoreState {
  /** Why writes were refused of late; undefined while the store takes them. */
  writeProblem(): ErrorCode | undefined;
}

export interface WatchedStore {
  readonly store: Store;
  readonly state: StoreState;
}

const refusals: ReadonlySet<ErrorCode> = new Set(["store.full", "store.read_only"]);

type Shows = (answer: unknown) => boolean;

/** Where a write shows that writes are taken; by what it answers, since none may have been made. */
const isWritten: Readonly<Record<string, Shows>> = {
  commit: (answers) => (answers as readonly Answer[]).some(({ kind }) => kind === "committed"),
  claim: (claims) => (claims as readonly Claim[]).length > 0,
  renew: (renewal) => (renewal as Renewal).renewed.length > 0,
  compact: () => false,
};
const reads: ReadonlySet<string> = new Set(["get", "getMany", "list", "changes", "history"]);

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** A small write may find room where the next large one does not: both are one trouble. */
const calmMs = 5_000;

export function watchStore(store: Store, log: Logger, clock: Clock): WatchedStore {
  let refusedAtMs = 0;
  let problem: ErrorCode | undefined;
  let damage: SetpointError | undefined;
  const failed = (error: unknown): void => {
    if (!isSetpointError(error)) return;
    if (error.code === "store.corrupt" && damage === undefined) {
      damage = damaged(error);
      log.error({ error, refusesWrites: store.engine === "sqlite" }, "stored data is damaged");
    }
    if (!refusals.has(error.code)) return;
    refusedAtMs = clock.nowMs();
    if (problem === error.code) return;
    problem = error.code;
    log.error({ error }, "store refuses writes");
  };
  const written = (): void => {
    if (problem === undefined || Math.abs(clock.nowMs() - refusedAtMs) < calmMs) return;
    problem = undefined;
    log.info({}, "store accepts writes again");
  };
  const watched = (name: string, call: Call): Call => {
    const shows = isWritten[name];
    if (shows === undefined) return reads.has(name) ? (...args) => noted(call(...args)) : call;
    return (...args) => {
      if (damage !== undefined && store.engine === "sqlite") return Promise.reject<unknown>(damage);
      const answering = noted(call(...args));
      if (problem !== undefined) void answering.then((answer) => shows(answer) && written(), pass);
      return answering;
    };
  };
  const noted = (answering: Promise<unknown>): Promise<unknown> => {
    answering.catch(failed);
    return answering;
  };
  return {
    store: wrapped(store, watched),
    state: { writeProblem: () => (damage === undefined ? problem : "store.corrupt") },
  };
}

function damaged(cause: SetpointError): SetpointError {
  const message = "the stored data is damaged; writes are refused";
  const { details } = cause;
  return new SetpointError("store.corrupt", message, { cause, details });
}

/** What was refused is told where that is noted. */
function pass(): void {
  // Nothing is to be done.
}

/** All that the store has, with methods that are made once: they are called for every request. */
export function wrapped(store: Store, around: (name: string, call: Call) => Call): Store {
  const shell: object = {};
  for (let of: object = store; of !== Object.prototype; of = Object.getPrototypeOf(of) as object) {
    for (const name of Reflect.ownKeys(of)) {
      if (name === "constructor" || Object.hasOwn(shell, name)) continue;
      const value: unknown = Reflect.get(store, name);
      if (typeof value !== "function") {
        Object.defineProperty(shell, name, { get: () => Reflect.get(store, name) as unknown });
        continue;
      }
      const call = value.bind(store) as Call;
      const method = typeof name === "string" ? around(name, call) : call;
      Object.defineProperty(shell, name, { value: method, writable: true });
    }
  }
  return shell as Store;
}
