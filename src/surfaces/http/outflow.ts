// The way of an answer to a client that may not read it. Bytes are handed to the connection in
// small pieces, so that it shows whether the client takes any; one that takes none for a while is
// cut off. What waits of an answer without an end is charged to its tenant, and the answer is ended
// when the tenant holds too much. An answer that the connection takes at once costs none of this.

import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Http2ServerResponse } from "node:http2";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";

export interface BodyStream {
  /**
   * Takes the bytes; false when the client does not keep up and `drained` should be awaited.
   * `sharedBy` is the number of answers that wait with the same bytes in memory.
   */
  write(bytes: Buffer | string, sharedBy?: number): boolean;
  /** Resolves once the client has caught up or is gone. */
  drained(): Promise<void>;
  /** Sends the head of the answer before there is a body. */
  flush(): void;
  /** Bytes taken but not yet on their way. */
  readonly pendingBytes: number;
  readonly isClosed: boolean;
  /** No more comes. What waits is dropped with the connection when it is not taken in time. */
  end(withinMs?: number): void;
  /** Breaks the connection off, so that the client cannot take the answer for whole. */
  abort(): void;
}

export type Response = ServerResponse | Http2ServerResponse;

/** What the answers of one server have in common. */
export interface Outflows {
  readonly timers: Timers;
  /** How long a client may take nothing before it is cut off. */
  readonly stallMs: number;
  /** How often the pace of a request body is checked. */
  readonly bodyPaceMs: number;
}

/** Takes the number of bytes that wait; false when the tenant of the answer holds too much. */
export type Charge = (bytes: number) => boolean;

/** Whether nobody is left to answer to; of HTTP/2 only the stream knows. */
export function isGone(response: Response): boolean {
  return "stream" in response ? response.stream.destroyed : response.destroyed;
}

const pieceBytes = 128 * 1_024;
/** How often a client is looked at within the time that it may take nothing. */
const looks = 6;

/** Has a life cycle, hence a class: open, ending, closed. */
export class Outflow implements BodyStream {
  readonly #response: Response;
  readonly #all: Outflows;
  readonly #charge: Charge | undefined;
  readonly #closed = Promise.withResolvers<void>();
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #sharedBy = 1;
  /** Kept here because only HTTP/1.1 has it on the response. */
  #needsDrain = false;
  #isEnding = false;
  #isClosed = false;
  #idleTicks = 0;
  #waiters: (() => void)[] = [];
  #cancelTick: (() => void) | undefined;
  #cancelEnd: (() => void) | undefined;

  constructor(response: Response, all: Outflows, charge?: Charge) {
    this.#response = response;
    this.#all = all;
    this.#charge = charge;
    if (isGone(response)) {
      this.#close();
      return;
    }
    response.once("close", () => this.#close());
    response.on("drain", () => this.#drain());
  }

  /** Resolves when the answer has left whole or its client is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get pendingBytes(): number {
    return this.#isClosed ? 0 : this.#queuedBytes + this.#response.writableLength;
  }

  write(bytes: Buffer | string, sharedBy = 1): boolean {
    if (this.#isClosed || this.#isEnding) return true;
    this.#sharedBy = sharedBy;
    const buffer = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    if (!this.#hasBacklog && buffer.length <= pieceBytes) this.#hand(buffer);
    else {
      this.#queue.push(buffer);
      this.#queuedBytes += buffer.length;
      this.#pump();
    }
    if (!this.#hasBacklog) return true;
    this.#count();
    this.#watch();
    return false;
  }

  async drained(): Promise<void> {
    if (this.#isClosed || !this.#hasBacklog) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  flush(): void {
    if (!this.#isClosed) (this.#response as ServerResponse).flushHeaders();
  }

  end(withinMs?: number): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#isEnding = true;
    if (this.#queue.length === 0) this.#response.end();
    this.#watch();
    if (withinMs === undefined) return;
    this.#cancelEnd = this.#all.timers.after(withinMs, () => this.abort());
  }

  abort(): void {
    if (this.#isClosed) return;
    const response = this.#response;
    if (!("stream" in response)) {
      response.destroy();
      return;
    }
    const { stream } = response;
    const { session } = stream;
    // Without the code, a stream that is ending would wait for what the client does not take.
    stream.close(constants.NGHTTP2_CANCEL);
    stream.destroy();
    if (session !== undefined) this.#probe(session);
  }

  /** Whether the client of an aborted stream is there at all shows in its answer to a ping. */
  #probe(session: NonNullable<Http2ServerResponse["stream"]["session"]>): void {
    if (session.destroyed) return;
    const cancel = this.#all.timers.after(this.#all.stallMs, () => session.destroy());
    session.once("close", cancel);
    session.ping((error) => {
      if (error !== null) return;
      cancel();
      session.removeListener("close", cancel);
    });
  }

  get #hasBacklog(): boolean {
    return this.#needsDrain || this.#queue.length > 0;
  }

  #hand(bytes: Buffer): void {
    this.#needsDrain = !(this.#response as ServerResponse).write(bytes);
  }

  #pump(): void {
    while (!this.#needsDrain && this.#queue.length > 0) this.#hand(this.#nextPiece());
    if (this.#isEnding && this.#queue.length === 0) this.#response.end();
  }

  /** Many small ones are joined and large ones are cut. */
  #nextPiece(): Buffer {
    let bytes = 0;
    let count = 0;
    for (const part of this.#queue) {
      bytes += part.length;
      count += 1;
      if (bytes >= pieceBytes) break;
    }
    const parts = this.#queue.splice(0, count);
    const last = parts.at(-1);
    if (bytes > pieceBytes && last !== undefined) {
      const kept = last.length - (bytes - pieceBytes);
      parts[parts.length - 1] = last.subarray(0, kept);
      this.#queue.unshift(last.subarray(kept));
      bytes = pieceBytes;
    }
    this.#queuedBytes -= bytes;
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  #drain(): void {
    if (this.#isClosed) return;
    this.#needsDrain = false;
    this.#idleTicks = 0;
    this.#pump();
    this.#count();
    if (this.#hasBacklog) return;
    if (!this.#isEnding) {
      this.#cancelTick?.();
      this.#cancelTick = undefined;
    }
    this.#wake();
  }

  #count(): void {
    if (this.#charge === undefined) return;
    const handed = this.#response.writableLength;
    const now = this.#hasBacklog ? Math.ceil(handed + this.#queuedBytes / this.#sharedBy) : 0;
    const isWithin = this.#charge(now);
    if (!isWithin && this.pendingBytes > limits.minEndedBacklogBytes) this.abort();
  }

  /** Many looks in a row without any movement: the client does not read. */
  #watch(): void {
    if (this.#cancelTick !== undefined) return;
    this.#idleTicks = 0;
    const tick = (): void => {
      this.#idleTicks += 1;
      if (this.#idleTicks > looks) this.abort();
      else this.#cancelTick = this.#all.timers.after(this.#all.stallMs / looks, tick);
    };
    this.#cancelTick = this.#all.timers.after(this.#all.stallMs / looks, tick);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTick?.();
    this.#cancelEnd?.();
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#charge?.(0);
    this.#closed.resolve();
    this.#wake();
  }
}
