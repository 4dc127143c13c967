// The memory that the event loop and the watchdog share: the number of beats, whether a debugger is
// attached, and the description of the activity that began last. The description is for the case
// that the blocked thread cannot be inspected, as in a system call that does not return.

import { watchdogLimits } from "./limits.ts";

const beatsAt = 0;
const debuggedAt = 1;
const lengthAt = 2;
const headBytes = 3 * Int32Array.BYTES_PER_ELEMENT;

export class Board {
  readonly memory: SharedArrayBuffer;
  readonly #head: Int32Array;
  readonly #text: Uint8Array;

  constructor(memory = new SharedArrayBuffer(headBytes + watchdogLimits.boardBytes)) {
    this.memory = memory;
    this.#head = new Int32Array(memory, 0, 3);
    this.#text = new Uint8Array(memory, headBytes);
  }

  beat(isDebugged: boolean): void {
    Atomics.store(this.#head, debuggedAt, isDebugged ? 1 : 0);
    Atomics.add(this.#head, beatsAt, 1);
  }

  get beats(): number {
    return Atomics.load(this.#head, beatsAt);
  }

  get isDebugged(): boolean {
    return Atomics.load(this.#head, debuggedAt) === 1;
  }

  write(text: string): void {
    const { written } = encoder.encodeInto(text, this.#text);
    Atomics.store(this.#head, lengthAt, written);
  }

  read(): string {
    const length = Atomics.load(this.#head, lengthAt);
    // A decoder does not read shared memory.
    return decoder.decode(Uint8Array.from(this.#text.subarray(0, length)));
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
