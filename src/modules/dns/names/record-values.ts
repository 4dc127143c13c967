// The values of records: as users write them, in one canonical form, and as PowerDNS has them. Two
// values are the same exactly when their canonical texts are.

import { isIPv4, isIPv6 } from "node:net";
import { dnsLimits } from "../limits.ts";
import { canonicalName, nameRule } from "./domain-name.ts";

export const recordTypes = ["A", "AAAA", "CNAME", "TXT"] as const;
export type RecordType = (typeof recordTypes)[number];

/** Undefined for a text that is not a value of the type. */
export function canonicalValue(type: RecordType, text: string): string | undefined {
  switch (type) {
    case "A":
      return isIPv4(text) ? text : undefined;
    case "AAAA":
      // Without a scope, such as %eth0, which is not part of an address.
      return isIPv6(text) && !text.includes("%") ? shortAddress(text) : undefined;
    case "CNAME":
      return canonicalName(text);
    case "TXT":
      return Buffer.byteLength(text) <= dnsLimits.maxTextBytes ? text : undefined;
    default:
      return type satisfies never;
  }
}

/** For the errors about values. */
export const valueRules: Readonly<Record<RecordType, string>> = {
  A: "must be an IPv4 address, such as 192.0.2.1",
  AAAA: "must be an IPv6 address, such as 2001:db8::1",
  CNAME: nameRule,
  TXT: `must have at most ${dnsLimits.maxTextBytes} bytes`,
};

/** A canonical value as PowerDNS has it in `content`. */
export function contentOf(type: RecordType, value: string): string {
  return type === "TXT" ? quotedText(value) : value;
}

/** The canonical value of a content. What cannot be read stays as it is, and equals no value. */
export function valueOfContent(type: RecordType, content: string): string {
  if (type === "TXT") return unquotedText(content) ?? content;
  return canonicalValue(type, content) ?? content;
}

/** The form of RFC 5952. */
function shortAddress(text: string): string {
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** A string of a TXT record has at most this many bytes; a longer text is several strings. */
const maxStringBytes = 255;

function quotedText(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  const strings: string[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += maxStringBytes) {
    const part = [...bytes.subarray(at, at + maxStringBytes)].map(quotedByte).join("");
    strings.push(`"${part}"`);
  }
  return strings.join(" ");
}

function quotedByte(byte: number): string {
  const character = String.fromCodePoint(byte);
  if (character === '"' || character === "\\") return `\\${character}`;
  const isPrintable = byte >= 0x20 && byte < 0x7f;
  return isPrintable ? character : `\\${String(byte).padStart(3, "0")}`;
}

const quotedString = /"((?:[^"\\]|\\\d{3}|\\[^\d])*)"(?:\s+|$)/y;

/** Undefined for a content that is not a list of quoted strings. */
function unquotedText(content: string): string | undefined {
  const bytes: Buffer[] = [];
  quotedString.lastIndex = 0;
  while (quotedString.lastIndex < content.length) {
    const [, inner] = quotedString.exec(content) ?? [];
    if (inner === undefined) return undefined;
    bytes.push(unquotedBytes(inner));
  }
  return Buffer.concat(bytes).toString("utf8");
}

function unquotedBytes(inner: string): Buffer {
  const parts = inner.match(/\\\d{3}|\\[^\d]|[^\\]+/g) ?? [];
  return Buffer.concat(
    parts.map((part) => {
      if (!part.startsWith("\\")) return Buffer.from(part, "utf8");
      const code = part.slice(1);
      return /^\d{3}$/.test(code) ? Buffer.from([Number(code) & 0xff]) : Buffer.from(code, "utf8");
    }),
  );
}
