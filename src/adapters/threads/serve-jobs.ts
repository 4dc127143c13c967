// The side of a thread: answers each job with bytes or a serialised error, one at a time.

import { parentPort } from "node:worker_threads";
import { assert } from "../../kernel/assert.ts";
import { serialiseError } from "../../kernel/errors.ts";
import type { SerialisedError } from "../../kernel/errors.ts";
import type { HeavyFunctions } from "../../kernel/heavy-work.ts";
import type { JsonObject } from "../../kernel/json.ts";

export interface JobCall {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly options: JsonObject;
}

export type JobReply =
  | { readonly kind: "done"; readonly bytes: Uint8Array; readonly facts: JsonObject }
  | { readonly kind: "failed"; readonly error: SerialisedError };

/** Called once by the file that a thread is started with, after `yieldProcessor`. */
export function serveJobs(functions: HeavyFunctions): void {
  const port = parentPort;
  assert(port !== null, "serveJobs is called in a thread");
  const table = new Map(Object.entries(functions));
  port.on("message", ({ name, bytes, options }: JobCall) => {
    try {
      const act = table.get(name);
      assert(act !== undefined, `unknown job ${name}`);
      const result = act(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), options);
      const own = ownBytes(result.bytes);
      const reply: JobReply = { kind: "done", bytes: own, facts: result.facts ?? {} };
      port.postMessage(reply, [own.buffer]);
    } catch (error) {
      const reply: JobReply = { kind: "failed", error: serialiseError(error) };
      port.postMessage(reply);
    }
  });
}

/** Bytes that can be handed over: a small buffer is part of a larger block. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    return new Uint8Array(buffer);
  }
  return new Uint8Array(bytes);
}
