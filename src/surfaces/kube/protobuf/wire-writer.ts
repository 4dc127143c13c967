// Writes the protobuf wire format from its end to its beginning: when the length of a part has to
// be written, the part is already there. So nothing is measured twice and nothing is moved.
// Callers write the fields of a message in falling order, each value before its tag.

import { wire } from "./wire-reader.ts";

const firstBytes = 1_024;
/** Longer texts are quicker to write in one call. */
const shortText = 40;

export class WireWriter {
  #bytes = Buffer.allocUnsafe(firstBytes);
  /** Where the written part begins. */
  #start = firstBytes;

  /** How much has been written. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** A copy of what has been written. */
  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, this.#start);
  }

  tag(number: number, wireType: number): void {
    this.#varint(number * 8 + wireType);
  }

  bool(value: boolean): void {
    this.#varint(value ? 1 : 0);
  }

  /** Negative numbers take ten bytes, for 32 bits too. */
  integer(value: number | bigint): void {
    const isShort = typeof value === "number" && value >= 0 && Number.isSafeInteger(value);
    if (isShort) this.#varint(value);
    else this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
  }

  /** With its length in front. */
  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#bytes.set(value, this.#start);
    this.#varint(value.length);
  }

  string(value: string): void {
    if (value.length <= shortText && this.#ascii(value)) return;
    const length = Buffer.byteLength(value);
    this.#reserve(length);
    this.#start -= length;
    this.#bytes.write(value, this.#start, length, "utf8");
    this.#varint(length);
  }

  /** Puts a length in front of what has been written since `before`. */
  close(before: number): void {
    this.#varint(this.length - before);
  }

  /** A whole field that holds a string. */
  stringField(number: number, value: string): void {
    this.string(value);
    this.tag(number, wire.bytes);
  }

  /** Short texts of ASCII are most of a document; anything else leaves no trace here. */
  #ascii(value: string): boolean {
    const { length } = value;
    this.#reserve(length);
    const start = this.#start - length;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      this.#bytes[start + i] = code;
    }
    this.#start = start;
    this.#varint(length);
    return true;
  }

  #varint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#bytes[--this.#start] = value;
      return;
    }
    let length = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
    this.#reserve(length);
    this.#start -= length;
    let at = this.#start;
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[at++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[at] = rest;
  }

  #bigVarint(value: bigint): void {
    const groups: number[] = [];
    for (let rest = value; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(value >> BigInt(7 * groups.length)));
    this.#reserve(groups.length);
    this.#start -= groups.length;
    this.#bytes.set(groups, this.#start);
  }

  #reserve(length: number): void {
    if (this.#start >= length) return;
    const used = this.length;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, used + length));
    this.#bytes.copy(grown, grown.length - used, this.#start);
    this.#bytes = grown;
    this.#start = grown.length - used;
  }
}
