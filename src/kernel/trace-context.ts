// The identity of a trace, as W3C Trace Context Level 1 defines it. A surface reads the
// `traceparent` header of a request or starts a new trace. The change log, log lines, problem
// details and spans then carry the same trace id. Ids are not secrets, so they come from
// `Random.next`, which costs a fraction of a microsecond.

import type { Random } from "./random.ts";

export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero: the parent of the spans that follow. */
  readonly spanId: string;
  /** Whether the caller records this trace. */
  readonly isSampled: boolean;
}

const sampledFlag = 1;
/** version "-" trace id "-" span id "-" flags: 2 + 1 + 32 + 1 + 16 + 1 + 2. */
const textLength = 55;
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Reads a `traceparent` header. Returns undefined for anything that is not valid: the caller then
 * starts a new trace, as the specification requires. Fields that a later version of the
 * specification may append are ignored.
 */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length < textLength) return undefined;
  const [, version, traceId, spanId, flags] = form.exec(text.slice(0, textLength)) ?? [];
  if (version === undefined || version === "ff" || flags === undefined) return undefined;
  if (text.length > textLength && (version === "00" || text[textLength] !== "-")) return undefined;
  if (!isTraceId(traceId) || !isSpanId(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & sampledFlag) !== 0;
  return { traceId, spanId, isSampled };
}

/** The `traceparent` header of a call that belongs to this trace. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

export function isTraceId(text: unknown): text is string {
  return typeof text === "string" && /^(?!0{32})[0-9a-f]{32}$/.test(text);
}

export function isSpanId(text: unknown): text is string {
  return typeof text === "string" && /^(?!0{16})[0-9a-f]{16}$/.test(text);
}

export function newTraceId(random: Random): string {
  return word(random) + word(random) + word(random) + nonZeroWord(random);
}

export function newSpanId(random: Random): string {
  return word(random) + nonZeroWord(random);
}

function word(random: Random): string {
  return hex(Math.floor(random.next() * 2 ** 32));
}

function nonZeroWord(random: Random): string {
  return hex(1 + Math.floor(random.next() * (2 ** 32 - 1)));
}

/** Two digits for each byte: several times as fast as `toString(16)`. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(bits: number): string {
  const high = (digits[bits >>> 24] ?? "") + (digits[(bits >>> 16) & 255] ?? "");
  return high + (digits[(bits >>> 8) & 255] ?? "") + (digits[bits & 255] ?? "");
}
