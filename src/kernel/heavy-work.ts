// The port for heavy work: work whose time depends on what a client sent or stored, such as parsing
// a long YAML text. It runs outside of the event loop, in a pool of threads (src/adapters/threads).
// Bytes go in and bytes come out, because copying an object graph between threads takes as long on
// the event loop as building it. Small inputs stay on the event loop: see `limits.minHeavyBytes`.

import { assert } from "./assert.ts";
import type { JsonObject } from "./json.ts";

export interface HeavyWork {
  /**
   * Rejects with the error of the job; with request.overloaded when too many jobs wait, for this
   * tenant or in total; with request.timeout when the job takes too long.
   */
  run(job: HeavyJob): Promise<HeavyResult>;
}

export interface HeavyJob {
  /** The name of the function in the table of the threads. */
  readonly name: string;
  /** Tenants take turns. */
  readonly tenant: string;
  /** Copied for the thread, unless they are owned. */
  readonly bytes: Uint8Array;
  /** The caller does not use the bytes any more, so they are handed over to the thread. */
  readonly isOwned?: boolean;
  readonly options?: JsonObject;
  /** It continues an answer that has begun: it waits for its turn and is never refused. */
  readonly isContinued?: boolean;
}

export interface HeavyResult {
  readonly bytes: Buffer;
  /** Small facts about the bytes, such as keys that were given twice. */
  readonly facts: JsonObject;
}

/** One function that a thread can run. */
export type HeavyFunction = (
  bytes: Buffer,
  options: JsonObject,
) => { readonly bytes: Uint8Array; readonly facts?: JsonObject };

export type HeavyFunctions = Readonly<Record<string, HeavyFunction>>;

/** Heavy work on the event loop, for processes without threads, such as tests in memory. */
export function inlineWork(functions: HeavyFunctions): HeavyWork {
  const table = new Map(Object.entries(functions));
  return {
    run: async ({ name, bytes, options = {} }) => {
      const act = table.get(name);
      assert(act !== undefined, `unknown job ${name}`);
      const result = act(Buffer.from(bytes), options);
      return { bytes: Buffer.from(result.bytes), facts: result.facts ?? {} };
    },
  };
}
