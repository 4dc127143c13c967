/**
 * The entry of both threads of an embedded store: the writer and the background. Each answers calls
 * in the order they come, one at a time, with a value or a serialised error; a thread that cannot
 * open its database answers every call with the reason.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { assert } from "../../kernel/assert.ts";
import { systemClock } from "../../kernel/clock.ts";
import { serialiseError } from "../../kernel/errors.ts";
import type { ErasedChange } from "../erasure.ts";
import type { ClaimRef, ClaimRequest } from "../port.ts";
import { nextMessage } from "./awake.ts";
import { Background } from "./background.ts";
import { unpackBatch } from "./batch.ts";
import type { Packed } from "./batch.ts";
import { databaseClock } from "./clock.ts";
import { Core } from "./core.ts";
import type { Committed, ResealItem } from "./core.ts";
import { packClaims } from "./packed-claims.ts";
import { openConnection } from "./schema.ts";
import { storeError } from "./sql.ts";
import type { Call, Reply, ThreadOptions } from "./thread.ts";
import { pageBytes, WalWatch } from "./wal-watch.ts";

type Handler = (op: string, args: readonly unknown[]) => unknown;

const options = workerData as ThreadOptions;

function start(port: MessagePort): void {
  let handler: Handler | undefined;
  let failure: unknown;
  try {
    handler = options.role === "writer" ? writer(port) : background();
  } catch (error) {
    failure = error;
  }
  /** Whether the next call may follow at once. */
  const answer = ({ id, op, args, stayAwake }: Call): boolean => {
    try {
      if (handler === undefined) throw failure;
      const value = handler(op, args);
      port.postMessage({ id, value } satisfies Reply, documentsOf(value));
    } catch (error) {
      const known = storeError(error, options.path);
      port.postMessage({ id, error: serialiseError(known) } satisfies Reply);
    }
    // A thread that could not open its database makes room for one that perhaps can.
    const isLast = op === "close" || handler === undefined;
    if (isLast) port.close();
    return stayAwake && !isLast;
  };
  port.on("message", (first: Call) => {
    let call: Call | undefined = first;
    while (call !== undefined) {
      call = answer(call) ? (nextMessage(port) as Call | undefined) : undefined;
    }
  });
}

function writer(port: MessagePort): Handler {
  const clock = databaseClock(systemClock);
  clock.advanceMs(options.aheadMs);
  const connect = () => openConnection(options.path, "writer");
  const core = new Core({ path: options.path, clock, connect });
  const wal = new WalWatch(options.path, options.walLimits);
  const wrote = (writes: number, bytes: number): void => {
    const todo = wal.wrote(writes, bytes);
    if (todo === "wake") port.postMessage({ id: 0, event: "checkpoint" } satisfies Reply);
    if (todo === "finish") wal.finished(core.checkpoint("RESTART"));
  };
  return (op, args) => {
    switch (op) {
      case "commit": {
        const [batch, packed] = args as [number, Packed];
        const groups = unpackBatch(packed);
        const committed = core.commit(batch, groups);
        const writes = groups.reduce((sum, group) => sum + group.length, 0);
        wrote(writes, packed.bytes.byteLength);
        return committed;
      }
      case "compactSlice": {
        const slice = core.compactSlice();
        wrote(slice.removed, 0);
        return slice;
      }
      case "claim": {
        const claims = core.claim(args[0] as ClaimRequest);
        wal.claimed(claims.length);
        wrote(0, 0);
        return packClaims(claims);
      }
      case "renew": {
        const renewal = core.renew(args[0] as readonly ClaimRef[], Number(args[1]));
        wal.claimed(renewal.renewed.length);
        wrote(0, 0);
        return renewal;
      }
      case "reseal": {
        const items = args[0] as readonly ResealItem[];
        const resealed = core.reseal(items);
        // The rows are written anew with their documents, so each is a page at least.
        wrote(
          resealed,
          items.reduce((sum, { sealed }) => sum + pageBytes + sealed.length, 0),
        );
        return resealed;
      }
      case "erase": {
        const erased = core.erase(args[0] as readonly ErasedChange[]);
        wrote(erased, erased * pageBytes);
        return erased;
      }
      case "advanceClock":
        return clock.advanceMs(Number(args[0]));
      case "crash":
        // For tests: the thread ends in the middle of a call, as it would when out of memory.
        return process.exit(1);
      case "close":
        core.checkpoint("TRUNCATE");
        return core.close();
      default:
        return invoke(core, op, args);
    }
  };
}

function background(): Handler {
  const service = new Background(openConnection(options.path, "background"));
  return (op, args) => invoke(service, op, args);
}

function invoke(target: object, op: string, args: readonly unknown[]): unknown {
  const method: unknown = (target as { readonly [name: string]: unknown })[op];
  assert(typeof method === "function", `unknown operation ${op}`);
  return Reflect.apply(method, target, args);
}

/** Documents that a commit sends back are handed over, not copied; most have none. */
function documentsOf(value: unknown): ArrayBuffer[] {
  const { packed } = (value ?? {}) as Partial<Committed>;
  return packed === undefined || packed.bytes.byteLength === 0 ? [] : [packed.bytes];
}

assert(parentPort !== null, "worker.ts is started as a thread");
start(parentPort);
