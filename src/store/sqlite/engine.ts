/**
 * Where the work of a store is done, behind one shape: in two threads beside the caller's (a file),
 * on the caller's own (`:memory:`, simulations), or not at all (read only). The calls are those of
 * Core and Background; nothing above knows where they run.
 */
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { SetpointError } from "../../kernel/errors.ts";
import { Background } from "./background.ts";
import { packBatch } from "./batch.ts";
import type { BatchGroup } from "./batch.ts";
import type { DatabaseClock } from "./clock.ts";
import { Core } from "./core.ts";
import type { Committed } from "./core.ts";
import { unpackClaims } from "./packed-claims.ts";
import type { PackedClaims } from "./packed-claims.ts";
import { storeError } from "./sql.ts";
import { Thread } from "./thread.ts";
import { WalWatch } from "./wal-watch.ts";
import type { WalLimits } from "./wal-watch.ts";

type CoreCalls = Pick<
  Core,
  | "state"
  | "claim"
  | "renew"
  | "compactMark"
  | "compactSlice"
  | "reseal"
  | "erase"
  | "loadBegin"
  | "loadRows"
  | "loadEnd"
  | "loadAbort"
  | "follow"
  | "demote"
  | "promote"
  | "pragma"
>;
type BackgroundCalls = Pick<Background, "list" | "counts" | "verify">;

export type Calls<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<R>
    : never;
};

export interface Engine {
  readonly writer: Calls<CoreCalls>;
  readonly background: Calls<BackgroundCalls>;
  commit(batch: number, groups: readonly BatchGroup[]): Promise<Committed>;
  /** Whether a thread copies the log into the file, beside the one that commits. */
  isCopying(): boolean;
  /** For tests. */
  advanceClock(ms: number): Promise<void>;
  /** For tests: ends the writer's thread in the middle of a call. */
  crash(): Promise<void>;
  /** Answers what was asked before, then lets go of the files. */
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly path: string;
  readonly clock: DatabaseClock;
  readonly walLimits: WalLimits;
}

/** Below this a question about everything is answered before a thread would have started. */
const smallBytes = 1_048_576;

export function threadEngine(
  { path, clock, walLimits }: EngineOptions,
  reader: DatabaseSync,
  aheadMs: number,
): Engine {
  let offsetMs = aheadMs;
  const threadOptions = { path, walLimits };
  let isCheckpointing = false;
  const background = new Thread(() => ({ role: "background", aheadMs: 0, ...threadOptions }));
  const writer = new Thread(
    () => ({ role: "writer", aheadMs: offsetMs, ...threadOptions }),
    () => {
      if (isCheckpointing) return;
      isCheckpointing = true;
      // One that fails is tried again after the next megabytes: the data is safe in the log.
      void emptyLog(background, writer)
        .catch(() => undefined)
        .finally(() => {
          isCheckpointing = false;
        });
    },
  );
  const near = local<BackgroundCalls>(new Background(reader), path);
  const far = remote<BackgroundCalls>(background);
  const isSmall = (): boolean => bytesOnDisk(path) < smallBytes;
  return {
    writer: remote<CoreCalls>(writer, {
      claim: async (request) =>
        unpackClaims((await writer.call("claim", [request])) as PackedClaims),
    }),
    background: {
      list: async (query) => await far.list(query),
      counts: async (nowMs) => await (isSmall() ? near : far).counts(nowMs),
      verify: async (limit) => await (isSmall() ? near : far).verify(limit),
    },
    commit: async (batch, groups) => {
      const packed = packBatch(groups);
      return (await writer.call("commit", [batch, packed], [packed.bytes])) as Committed;
    },
    isCopying: () => isCheckpointing,
    advanceClock: async (ms) => {
      offsetMs += ms;
      clock.advanceMs(ms);
      await writer.call("advanceClock", [ms]);
    },
    crash: async () => {
      await writer.call("crash", []);
    },
    close: async () => {
      await background.close();
      await writer.close();
    },
  };
}

const mostCopies = 4;

/**
 * Each copy takes what came during the one before. One that finds nothing new has left the log
 * empty, and the next commit begins it anew. Where commits never pause, the writer copies the rest
 * itself: it waits for the disk then, and everybody with it, so that is the exception.
 */
async function emptyLog(background: Thread, writer: Thread): Promise<void> {
  let length = 0;
  for (let copies = 0; copies < mostCopies; copies += 1) {
    const found = (await background.call("checkpoint", [])) as number;
    if (found === length) return;
    length = found;
  }
  await writer.call("rewind", []);
}

/** Each method becomes a call of that name, but for those that are given. */
function remote<T>(thread: Thread, given: Partial<Calls<T>> = {}): Calls<T> {
  return new Proxy(given as Calls<T>, {
    get: (own, op) =>
      Reflect.get(own, op) ??
      (async (...args: readonly unknown[]) => await thread.call(String(op), args)),
  });
}

/** Reader and writer share the connection: what happens, happens between two turns of the loop. */
export function inlineEngine({ path, clock, walLimits }: EngineOptions, db: DatabaseSync): Engine {
  const core = new Core({ path, clock, connect: () => db });
  const wal = new WalWatch(path, walLimits);
  return {
    writer: local<CoreCalls>(core, path),
    background: local<BackgroundCalls>(new Background(db), path),
    commit: async (batch, groups) => {
      const result = core.commit(batch, groups);
      const writes = groups.flat();
      const bytes = writes.reduce((sum, { document }) => sum + (document?.length ?? 0), 0);
      if (wal.wrote(writes.length, bytes) !== "nothing") core.rewind();
      return result;
    },
    isCopying: () => false,
    advanceClock: async (ms) => clock.advanceMs(ms),
    crash: async () => undefined,
    close: async () => core.close(),
  };
}

/** Reads go on beside the process that writes; everything else is refused. */
export function readOnlyEngine({ path }: EngineOptions, db: DatabaseSync): Engine {
  const refuse = async (): Promise<never> => {
    throw new SetpointError("store.read_only", `${path} was opened read-only`);
  };
  return {
    writer: new Proxy({} as Calls<CoreCalls>, { get: () => refuse }),
    background: local<BackgroundCalls>(new Background(db), path),
    commit: refuse,
    isCopying: () => false,
    advanceClock: refuse,
    crash: refuse,
    close: async () => undefined,
  };
}

function local<T extends object>(target: T, path: string): Calls<T> {
  return new Proxy({} as Calls<T>, {
    get:
      (_, op) =>
      async (...args: readonly unknown[]) => {
        try {
          return Reflect.apply(Reflect.get(target, op) as () => unknown, target, args) as unknown;
        } catch (error) {
          throw storeError(error, path);
        }
      },
  });
}

export function bytesOnDisk(path: string): number {
  const sizes = ["", "-wal", "-shm"].map((end) => {
    return statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}
