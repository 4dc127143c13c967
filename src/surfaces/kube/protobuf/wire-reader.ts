// Reads the protobuf wire format: tags, varints, fixed numbers and length-delimited parts. Every
// read is checked against the end of the part it belongs to, and all parts of one body share a
// budget of values, so that a small body cannot unfold into a large document.

import { SetpointError } from "../../../kernel/errors.ts";
import { limits } from "../../../kernel/limits.ts";

export const wire = Object.freeze({ varint: 0, fixed64: 1, bytes: 2, fixed32: 5 });

export interface Budget {
  valuesLeft: number;
}

export interface Tag {
  readonly number: number;
  readonly wireType: number;
}

/** Longer texts are quicker to read in one call. */
const shortText = 40;
const utf8 = new TextDecoder("utf-8", { fatal: true });

export function newBudget(): Budget {
  return { valuesLeft: limits.maxProtobufValues };
}

export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #budget: Budget;
  readonly depth: number;
  #at = 0;

  constructor(bytes: Uint8Array, budget: Budget = newBudget(), depth = 0) {
    if (depth > limits.maxJsonDepth) throw unreadable("the message is nested too deeply");
    this.#bytes = bytes;
    this.#budget = budget;
    this.depth = depth;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  tag(): Tag {
    this.#budget.valuesLeft--;
    if (this.#budget.valuesLeft < 0) throw unreadable("the message has too many values");
    const [low, high] = this.#varintHalves();
    const number = low >>> 3;
    if (high !== 0 || number === 0) throw unreadable("a tag is out of range");
    return { number, wireType: low & 7 };
  }

  bool(): boolean {
    const [low, high] = this.#varintHalves();
    return low !== 0 || high !== 0;
  }

  /** Larger varints are cut to 32 bits, as other readers do. */
  int32(): number {
    return this.#varintHalves()[0] | 0;
  }

  /** A bigint where a number is not exact. */
  int64(): number | bigint {
    const [low, high] = this.#varintHalves();
    const near = (high | 0) * 2 ** 32 + low;
    return Number.isSafeInteger(near) ? near : (BigInt(high | 0) << 32n) + BigInt(low);
  }

  double(): number {
    const part = this.#take(8);
    return new DataView(part.buffer, part.byteOffset, 8).getFloat64(0, true);
  }

  /** A view into the body; copy it to keep it. */
  bytes(): Uint8Array {
    const [length, high] = this.#varintHalves();
    if (high !== 0) throw truncated();
    return this.#take(length);
  }

  string(): string {
    const part = this.bytes();
    const short = part.length <= shortText ? shortAscii(part) : undefined;
    if (short !== undefined) return short;
    try {
      return utf8.decode(part);
    } catch (error) {
      if (error instanceof TypeError) throw unreadable("a string is not UTF-8");
      throw error;
    }
  }

  /** A reader of the message that stands here. */
  nested(): WireReader {
    return new WireReader(this.bytes(), this.#budget, this.depth + 1);
  }

  skip(wireType: number): void {
    switch (wireType) {
      case wire.varint:
        this.#varintHalves();
        return;
      case wire.fixed64:
        this.#take(8);
        return;
      case wire.bytes:
        this.bytes();
        return;
      case wire.fixed32:
        this.#take(4);
        return;
      default:
        // Groups have been out of use since before this API existed.
        throw unreadable(`illegal wireType ${wireType}`);
    }
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw truncated();
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  /** The low and the high 32 bits, unsigned. */
  #varintHalves(): readonly [low: number, high: number] {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw truncated();
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 0x80) return [low >>> 0, high >>> 0];
    }
    throw unreadable("integer overflow");
  }
}

export function unreadable(reason: string): SetpointError {
  return new SetpointError("request.invalid", `proto: ${reason}`);
}

/** Short texts of ASCII are most of a document; undefined for anything else. */
function shortAscii(bytes: Uint8Array): string | undefined {
  let text = "";
  for (const byte of bytes) {
    if (byte > 0x7f) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

function truncated(): SetpointError {
  return unreadable("unexpected EOF");
}
