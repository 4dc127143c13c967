// Writes protobuf from the end to the beginning, so that the length of a message is known when its
// head is written: one buffer and no copies, however deep messages are nested. Documents of many
// megabytes are encoded while requests wait, which is why this is not left to concatenation.

export interface WireWriter {
  bytes: Buffer;
  /** The first byte written so far; everything after it is final. */
  at: number;
}

export function wireWriter(size = 64 * 1024): WireWriter {
  return { bytes: Buffer.allocUnsafe(size), at: size };
}

export function written(writer: WireWriter): Buffer {
  return Buffer.from(writer.bytes.subarray(writer.at));
}

/** The number and the wire type of a field; to be called after its value. */
export function writeTag(writer: WireWriter, number: number, wireType: 0 | 1 | 2): void {
  writeVarint(writer, number * 8 + wireType);
}

/** The head of a field whose content was written since `end`. */
export function writeHead(writer: WireWriter, number: number, end: number): void {
  // Positions count from the end of the buffer, which stays where it is when the buffer grows.
  writeVarint(writer, end - fromEnd(writer));
  writeTag(writer, number, 2);
}

/** A position that stays valid while the buffer grows: what is still free, seen from the end. */
export function fromEnd(writer: WireWriter): number {
  return writer.at - writer.bytes.length;
}

export function writeText(writer: WireWriter, text: string): void {
  const length = Buffer.byteLength(text);
  reserve(writer, length);
  writer.at -= length;
  writer.bytes.write(text, writer.at, "utf8");
}

export function writeDouble(writer: WireWriter, value: number): void {
  reserve(writer, 8);
  writer.at -= 8;
  writer.bytes.writeDoubleLE(value, writer.at);
}

export function writeVarint(writer: WireWriter, value: number): void {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  reserve(writer, size);
  writer.at -= size;
  let rest = value;
  for (let i = 0; i < size; i++) {
    const isLast = i === size - 1;
    writer.bytes[writer.at + i] = isLast ? rest : (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
}

function reserve(writer: WireWriter, length: number): void {
  if (writer.at >= length) return;
  const used = writer.bytes.length - writer.at;
  const larger = Buffer.allocUnsafe(Math.max(writer.bytes.length * 2, used + length));
  writer.bytes.copy(larger, larger.length - used, writer.at);
  writer.at = larger.length - used;
  writer.bytes = larger;
}
