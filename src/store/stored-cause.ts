/**
 * The stored form of a cause: one column of about 45 bytes, because each write pays for it.
 *
 *   1 byte    flags: which of the optional parts follow
 *   16 bytes  trace id, if flag 1
 *   16 bytes  correlation id that is a UUID in lower case, if flag 2
 *   text      any other correlation id, if flag 4
 *   text      the user who impersonates the actor, if flag 8
 *   text      surface
 *   the rest  actor
 *
 * A text is its length in UTF-8 bytes (two bytes, big-endian) and its bytes.
 */
import { causeFault } from "../kernel/cause.ts";
import type { Cause } from "../kernel/cause.ts";
import { SetpointError } from "../kernel/errors.ts";

const flag = { trace: 1, uuid: 2, correlation: 4, impersonator: 8 } as const;
const idBytes = 16;
const uuidLength = 36;

/** A cause that was checked, as it is stored. */
export function encodeCause(cause: Cause): Buffer {
  const { actor, surface, impersonator, traceId, correlationId } = cause;
  // As large as it can be: texts are measured only by writing them.
  const bytes = Buffer.allocUnsafe(
    1 +
      idBytes +
      mostBytes(correlationId) +
      mostBytes(impersonator) +
      mostBytes(surface) +
      mostBytes(actor),
  );
  let at = 1;
  let flags = 0;
  if (traceId !== undefined) {
    flags |= flag.trace;
    writeId(bytes, traceId, at);
    at += idBytes;
  }
  if (correlationId?.length === uuidLength && writeId(bytes, correlationId, at)) {
    flags |= flag.uuid;
    at += idBytes;
  } else if (correlationId !== undefined) {
    flags |= flag.correlation;
    at = writeText(bytes, correlationId, at);
  }
  if (impersonator !== undefined) {
    flags |= flag.impersonator;
    at = writeText(bytes, impersonator, at);
  }
  at = writeText(bytes, surface, at);
  at += writeBytes(bytes, actor, at);
  bytes[0] = flags;
  return bytes.subarray(0, at);
}

/** Reads what `encodeCause` wrote; `store.corrupt` when the bytes are anything else. */
export function decodeCause(stored: Uint8Array): Cause {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const flags = bytes[0] ?? 0;
  let at = 1;
  const hex = (): string => bytes.toString("hex", at, (at += 16));
  const text = (): string => {
    if (at + 2 > bytes.length) throw corrupt();
    const start = at + 2;
    at = start + bytes.readUInt16BE(at);
    return bytes.toString("utf8", start, at);
  };
  const traceId = (flags & flag.trace) === 0 ? undefined : hex();
  const correlationId =
    (flags & flag.uuid) === 0
      ? (flags & flag.correlation) === 0
        ? undefined
        : text()
      : uuidText(hex());
  const impersonator = (flags & flag.impersonator) === 0 ? undefined : text();
  const surface = text();
  if (at >= bytes.length) throw corrupt();
  const actor = bytes.toString("utf8", at);
  return {
    actor,
    surface,
    ...(impersonator !== undefined && { impersonator }),
    ...(traceId !== undefined && { traceId }),
    ...(correlationId !== undefined && { correlationId }),
  };
}

/** The cause in a row of a dump, as it is stored; null where there is none. */
export function loadedCause(cause: Cause | undefined): Buffer | null {
  if (cause === undefined) return null;
  const fault = causeFault(cause);
  if (fault === undefined) return encodeCause(cause);
  const message = `the dump cannot be loaded: cause.${fault[0]} of a change: ${fault[1]}`;
  throw new SetpointError("backup.invalid", message);
}

function mostBytes(text: string | undefined): number {
  return text === undefined ? 0 : 2 + text.length * 3;
}

/**
 * Writes 32 hexadecimal digits in lower case as 16 bytes, also those of a UUID. False when the text
 * is anything else. Digit by digit, which takes a tenth of the time of an expression.
 */
function writeId(bytes: Buffer, text: string, start: number): boolean {
  const isUuid = text.length === uuidLength;
  let high = -1;
  let at = start;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isUuid && (index === 8 || index === 13 || index === 18 || index === 23)) {
      if (code !== 45) return false;
      continue;
    }
    const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
    if (digit < 0) return false;
    if (high < 0) high = digit;
    else {
      bytes[at] = high * 16 + digit;
      at += 1;
      high = -1;
    }
  }
  return at === start + idBytes;
}

function writeText(bytes: Buffer, text: string, at: number): number {
  const length = writeBytes(bytes, text, at + 2);
  bytes[at] = length >>> 8;
  bytes[at + 1] = length & 255;
  return at + 2 + length;
}

/** Nearly all are short and of ASCII, and written here faster than by a call. */
function writeBytes(bytes: Buffer, text: string, at: number): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return bytes.write(text, at);
    bytes[at + index] = code;
  }
  return text.length;
}

function uuidText(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${parts.join("-")}-${hex.slice(20)}`;
}

function corrupt(): SetpointError {
  return new SetpointError("store.corrupt", "the cause of a change cannot be read");
}
