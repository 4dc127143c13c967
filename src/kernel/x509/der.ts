// The few forms of DER that a certificate consists of (X.690): each value is a tag, a length and
// its bytes. Writing only; certificates are read by node:crypto.

export type Der = Buffer<ArrayBuffer>;

export function sequence(...parts: readonly Uint8Array[]): Der {
  return tagged(0x30, Buffer.concat(parts));
}

export function set(...parts: readonly Uint8Array[]): Der {
  return tagged(0x31, Buffer.concat(parts));
}

/** A positive number from its bytes, most significant first. */
export function integer(bytes: Uint8Array): Der {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  const isNegative = ((digits[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, isNegative ? Buffer.concat([Buffer.of(0), digits]) : digits);
}

export function boolean(value: boolean): Der {
  return tagged(0x01, Buffer.of(value ? 0xff : 0));
}

/** From the dotted form, as in "2.5.4.3". */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function octetString(bytes: Uint8Array): Der {
  return tagged(0x04, bytes);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Der {
  return tagged(0x03, Buffer.concat([Buffer.of(unusedBits), bytes]));
}

export function utf8String(text: string): Der {
  return tagged(0x0c, Buffer.from(text, "utf8"));
}

/** Years of two digits until 2049 and of four from 2050 on, as RFC 5280 asks. */
export function time(ms: number): Der {
  const digits = new Date(ms).toISOString().replace(/[-:T]/gu, "").slice(0, 14);
  return ms < Date.UTC(2050)
    ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`, "ascii"))
    : tagged(0x18, Buffer.from(`${digits}Z`, "ascii"));
}

/** A value known by its place in a structure, wrapped with its own tag inside. */
export function explicit(number: number, content: Uint8Array): Der {
  return tagged(0xa0 | number, content);
}

/** A value known by its place in a structure, whose own tag is replaced. */
export function implicit(number: number, content: Uint8Array): Der {
  return tagged(0x80 | number, content);
}

function tagged(tag: number, content: Uint8Array): Der {
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) {
    bytes.unshift(0x80 | (left % 128));
  }
  return bytes;
}
