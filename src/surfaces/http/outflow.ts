// The way of an answer to a client that may not read it. Bytes are handed to the connection in
// small pieces, so that it shows whether the client takes any; one that takes none for a while is
// cut off. Pieces are handed in turns between tenants, because encrypting them takes time of the
// event loop, and thousands of answers may wait. What waits of an answer without an end is charged
// to its tenant (flow-account.ts), and the answer is ended when the tenant holds too much.

import type { ServerResponse } from "node:http";
import { constants } from "node:http2";
import type { Http2ServerResponse } from "node:http2";
import type { FairTurns } from "../../kernel/fair-turns.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { FlowAccount } from "./flow-account.ts";
import { FlowQueue } from "./flow-queue.ts";
import type { StreamGate, StreamGates } from "./stream-gate.ts";

export interface BodyStream {
  /**
   * Takes the bytes; false when the client does not keep up and `drained` should be awaited.
   * `shared` is the memory that the bytes are a part of, if other answers wait with it, too.
   */
  write(bytes: Buffer | string, shared?: Buffer): boolean;
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
  /** The bytes that are handed to connections in one turn of the event loop. */
  readonly turns: FairTurns;
  /** The bytes that the streams of an HTTP/2 connection hand to it at a time. */
  readonly gates: StreamGates;
}

export interface OutflowInput {
  /** Whose turns are used. */
  readonly tenant: string;
  /** What waits is charged to it. */
  readonly account?: FlowAccount | undefined;
}

/** Whether nobody is left to answer to; of HTTP/2 only the stream knows. */
export function isGone(response: Response): boolean {
  return "stream" in response ? response.stream.destroyed : response.destroyed;
}

/** Of HTTP/1.1, where an answer has a connection of its own. */
const pieceBytes = 128 * 1_024;
/** How often a client is looked at within the time that it may take nothing. */
const looks = 6;

/** Has a life cycle, hence a class: open, ending, closed. */
export class Outflow implements BodyStream {
  readonly #response: Response;
  readonly #all: Outflows;
  readonly #tenant: string;
  readonly #account: FlowAccount | undefined;
  readonly #queue: FlowQueue;
  /** Of HTTP/2. */
  readonly #gate: StreamGate | undefined;
  readonly #closed = Promise.withResolvers<void>();
  readonly #handNext = (): boolean => this.#handOne();
  readonly #written = (): void => this.#holdGate();
  /** Kept here because only HTTP/1.1 has it on the response. */
  #needsDrain = false;
  #isEnding = false;
  #isClosed = false;
  #idleTicks = 0;
  #waiters: (() => void)[] = [];
  #cancelTick: (() => void) | undefined;
  #cancelEnd: (() => void) | undefined;

  constructor(response: Response, all: Outflows, { tenant, account }: OutflowInput) {
    this.#response = response;
    this.#all = all;
    this.#tenant = tenant;
    this.#account = account;
    this.#queue = new FlowQueue(account);
    if (isGone(response)) {
      this.#close();
      return;
    }
    this.#gate = gateOf(response, all);
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
    return this.#isClosed ? 0 : this.#queue.bytes + this.#response.writableLength;
  }

  write(bytes: Buffer | string, shared?: Buffer): boolean {
    if (this.#isClosed || this.#isEnding) return true;
    const buffer = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    const isDirect = this.#isFree && buffer.length <= this.#pieceBytes && this.#all.turns.isOpen;
    let isWithin = true;
    if (isDirect) this.#hand(buffer);
    else {
      isWithin = this.#queue.push(buffer, shared);
      this.#pump();
    }
    if (!this.#hasBacklog) return true;
    this.#count(isWithin);
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
    if (this.#queue.isEmpty) this.#response.end();
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
    return this.#needsDrain || !this.#queue.isEmpty;
  }

  get #pieceBytes(): number {
    return this.#gate?.pieceBytes ?? pieceBytes;
  }

  /** Nothing waits, and the connection takes more. */
  get #isFree(): boolean {
    return !this.#hasBacklog && this.#gate?.mayHand(this) !== false;
  }

  #hand(bytes: Buffer): void {
    this.#all.turns.spend(bytes.length);
    this.#needsDrain = !this.#writeBytes(bytes);
    if (!this.#needsDrain) this.#queue.taken();
  }

  #writeBytes(bytes: Buffer): boolean {
    const response = this.#response as ServerResponse;
    if (this.#gate === undefined) return response.write(bytes);
    const isTaken = response.write(bytes, this.#written);
    this.#holdGate();
    return isTaken;
  }

  #holdGate(): void {
    if (!this.#isClosed) this.#gate?.hold(this, this.#response.writableLength);
  }

  #pump(): void {
    if (!this.#mayHand) return;
    if (this.#gate?.mayHand(this) === false) this.#gate.wait(this, () => this.#pump());
    else this.#all.turns.add(this.#tenant, this.#handNext);
  }

  get #mayHand(): boolean {
    return !this.#isClosed && !this.#needsDrain && !this.#queue.isEmpty;
  }

  /** True while there is more to hand. */
  #handOne(): boolean {
    if (!this.#mayHand) return false;
    if (this.#gate?.mayHand(this) === false) {
      this.#pump();
      return false;
    }
    this.#hand(this.#queue.nextPiece(this.#pieceBytes));
    if (this.#isEnding && this.#queue.isEmpty) this.#response.end();
    if (this.#hasBacklog) this.#count();
    else this.#emptied();
    return this.#mayHand;
  }

  #drain(): void {
    if (this.#isClosed) return;
    this.#needsDrain = false;
    this.#holdGate();
    this.#idleTicks = 0;
    this.#queue.taken();
    this.#pump();
    if (this.#hasBacklog) this.#count();
    else this.#emptied();
  }

  /** The connection has taken all there is. */
  #emptied(): void {
    this.#account?.hold(0);
    if (!this.#isEnding) {
      this.#cancelTick?.();
      this.#cancelTick = undefined;
    }
    this.#wake();
  }

  #count(isWithin = true): void {
    if (this.#account === undefined || this.#isClosed) return;
    const isHeld = this.#account.hold(this.#response.writableLength + this.#queue.ownBytes);
    const isEnded = !isHeld || !isWithin;
    if (isEnded && this.pendingBytes > limits.minEndedBacklogBytes) this.abort();
  }

  /** Many looks in a row without any movement: the client does not read. */
  #watch(): void {
    if (this.#cancelTick !== undefined) return;
    this.#idleTicks = 0;
    const tick = (): void => {
      // An answer that waits for its turn is not held up by its client.
      const isHeldUp = this.#needsDrain || this.#queue.isEmpty;
      this.#idleTicks = isHeldUp ? this.#idleTicks + 1 : 0;
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
    this.#queue.clear();
    this.#gate?.leave(this);
    this.#account?.hold(0);
    this.#closed.resolve();
    this.#wake();
  }
}

function gateOf(response: Response, { gates }: Outflows): StreamGate | undefined {
  const session = "stream" in response ? response.stream.session : undefined;
  return session === undefined ? undefined : gates(session);
}
