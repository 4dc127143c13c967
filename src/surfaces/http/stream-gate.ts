// What the streams of one HTTP/2 connection have handed to it and it has not taken. A connection
// that is busy encrypts all of it at once when it is free again, for all of its streams. So only
// some bytes are handed at a time, and the other streams wait until the connection has taken them.
//
// A client can close the window of a single stream. Such a stream must not hold up the others: one
// whose bytes stay while later ones are taken is blocked, and counts no longer. If many bytes are
// blocked, pieces are small, because the client can open all windows at the same time.

import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";

export interface StreamGatePorts {
  /** Runs the function in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
  readonly timers: Timers;
}

/** The bytes of one stream. */
interface Handed {
  bytes: number;
  /** The round in which the oldest of them were handed, or some were taken. */
  round: number;
  isBlocked: boolean;
}

/**
 * Bytes that are handed in a round may be too late for the write that begins then, and belong to
 * the one after it. When that one is taken as well, the rest is blocked.
 */
const roundsUntilBlocked = 3;
/** What a stream hands at once. */
const pieceBytes = 16 * 1_024;
const smallPieceBytes = 2 * 1_024;

/** Has a life cycle, hence a class. */
export class StreamGate {
  readonly #ports: StreamGatePorts;
  readonly #handed = new Map<object, Handed>();
  readonly #waiting = new Map<object, () => void>();
  #movingBytes = 0;
  #blockedBytes = 0;
  /** The number of times that the connection has taken bytes while streams waited. */
  #round = 0;
  #isPlanned = false;
  #cancelTimer: (() => void) | undefined;
  /** The stream that may hand bytes although too many are held. */
  #tried: object | undefined;

  constructor(ports: StreamGatePorts) {
    this.#ports = ports;
  }

  mayHand(stream: object): boolean {
    return this.#freeBytes > 0 || this.#tried === stream;
  }

  /** What a stream may hand at once. */
  get pieceBytes(): number {
    return this.#blockedBytes < limits.maxBlockedStreamBytes ? pieceBytes : smallPieceBytes;
  }

  /** Streams that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** States the bytes of a stream that the connection has not taken. */
  hold(stream: object, bytes: number): void {
    if (this.#tried === stream) this.#tried = undefined;
    const handed = this.#handed.get(stream);
    if (handed === undefined) {
      if (bytes === 0) return;
      this.#handed.set(stream, { bytes, round: this.#round, isBlocked: false });
      this.#movingBytes += bytes;
      return;
    }
    const isTaken = bytes < handed.bytes;
    this.#count(handed, -1);
    handed.bytes = bytes;
    if (isTaken) {
      handed.round = this.#round;
      handed.isBlocked = false;
    }
    if (bytes === 0) this.#handed.delete(stream);
    else this.#count(handed, 1);
    if (isTaken && this.#waiting.size > 0) this.#plan();
  }

  /** Calls `wake` once when the stream may hand bytes. */
  wait(stream: object, wake: () => void): void {
    this.#waiting.set(stream, wake);
    this.#startTimer();
  }

  leave(stream: object): void {
    this.#waiting.delete(stream);
    this.hold(stream, 0);
    if (this.#waiting.size === 0) this.#stopTimer();
  }

  get #freeBytes(): number {
    return limits.maxHandedBytes - this.#movingBytes;
  }

  get #freePieces(): number {
    return Math.max(0, Math.ceil(this.#freeBytes / this.pieceBytes));
  }

  #count({ bytes, isBlocked }: Handed, sign: 1 | -1): void {
    if (isBlocked) this.#blockedBytes += sign * bytes;
    else this.#movingBytes += sign * bytes;
  }

  /** After the other streams whose bytes were taken in the same write. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#ports.later(() => {
      this.#isPlanned = false;
      this.#round += 1;
      this.#findBlocked();
      this.#wake(this.#freePieces);
    });
  }

  #findBlocked(): void {
    for (const handed of this.#handed.values()) {
      if (handed.isBlocked || this.#round - handed.round < roundsUntilBlocked) continue;
      this.#count(handed, -1);
      handed.isBlocked = true;
      this.#count(handed, 1);
    }
  }

  #wake(count: number): void {
    let left = count;
    for (const [stream, wake] of this.#waiting) {
      if (left <= 0) break;
      left -= 1;
      this.#waiting.delete(stream);
      wake();
    }
    if (this.#waiting.size === 0) this.#stopTimer();
  }

  /** If nothing is taken, the connection may be slow, or all streams may be blocked. */
  #startTimer(): void {
    const round = this.#round;
    this.#cancelTimer ??= this.#ports.timers.after(limits.blockedStreamMs, () => {
      this.#cancelTimer = undefined;
      if (this.#round === round) [this.#tried] = this.#waiting.keys();
      this.#wake(this.#freePieces + (this.#round === round ? 1 : 0));
      if (this.#waiting.size > 0) this.#startTimer();
    });
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}

/** The gate of each connection. */
export type StreamGates = (connection: object) => StreamGate;

export function streamGates(ports: StreamGatePorts): StreamGates {
  const known = new WeakMap<object, StreamGate>();
  return (connection) => {
    const gate = known.get(connection) ?? new StreamGate(ports);
    known.set(connection, gate);
    return gate;
  };
}
