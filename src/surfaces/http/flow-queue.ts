// The bytes of an answer that wait for the connection, which takes them in pieces. Memory
// that other answers wait with, too, is charged as shared from the time it is queued until the
// connection has taken the last piece of it.

import type { FlowAccount } from "./flow-account.ts";

/** Counting who shares smaller memory would cost more than it is worth. */
const minSharedBytes = 16 * 1_024;

interface Waiting {
  readonly bytes: Buffer;
  /** The memory that is charged as shared; undefined: the bytes are charged to this answer. */
  readonly shared: Buffer | undefined;
}

/** Has a life cycle, hence a class. */
export class FlowQueue {
  readonly #account: FlowAccount | undefined;
  #waiting: Waiting[] = [];
  /** Shared memory of pieces that the connection has not taken. */
  #handed: Buffer[] = [];
  #bytes = 0;
  #ownBytes = 0;

  constructor(account: FlowAccount | undefined) {
    this.#account = account;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes that only this answer holds. */
  get ownBytes(): number {
    return this.#ownBytes;
  }

  /** `memory` is what the bytes are a part of. False: the tenant holds more than it may. */
  push(bytes: Buffer, memory: Buffer | undefined): boolean {
    const isShared = memory !== undefined && memory.length > minSharedBytes;
    const shared = isShared ? memory : undefined;
    this.#waiting.push({ bytes, shared });
    this.#bytes += bytes.length;
    if (shared !== undefined) return this.#account?.share(shared) ?? true;
    this.#ownBytes += bytes.length;
    return true;
  }

  /** Many small ones are joined and large ones are cut. */
  nextPiece(pieceBytes: number): Buffer {
    const parts: Buffer[] = [];
    let bytes = 0;
    while (bytes < pieceBytes) {
      const [first] = this.#waiting;
      if (first === undefined) break;
      const taken = first.bytes.subarray(0, pieceBytes - bytes);
      parts.push(taken);
      bytes += taken.length;
      this.#cut(first, taken.length);
    }
    this.#bytes -= bytes;
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  #cut({ bytes, shared }: Waiting, length: number): void {
    if (shared === undefined) this.#ownBytes -= length;
    if (length < bytes.length) this.#waiting[0] = { bytes: bytes.subarray(length), shared };
    else {
      this.#waiting.shift();
      if (shared !== undefined) this.#handed.push(shared);
    }
  }

  /** The connection has taken the pieces. */
  taken(): void {
    if (this.#handed.length === 0) return;
    for (const memory of this.#handed) this.#account?.unshare(memory);
    this.#handed = [];
  }

  clear(): void {
    this.taken();
    for (const { shared } of this.#waiting) {
      if (shared !== undefined) this.#account?.unshare(shared);
    }
    this.#waiting = [];
    this.#bytes = 0;
    this.#ownBytes = 0;
  }
}
