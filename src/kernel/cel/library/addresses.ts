// IP addresses and networks as Go's net/netip reads and writes them: strict, so that an address
// has one meaning, and with its words for what is wrong.

import { goQuote } from "../../go-text.ts";

/** Four or sixteen numbers from 0 to 255. */
export interface Address {
  readonly bytes: readonly number[];
  readonly zone: string;
}

export interface Network {
  readonly address: Address;
  readonly bits: number;
}

export type AddressResult = Address | { readonly problem: string };

export function parseAddress(text: string): AddressResult {
  try {
    for (const character of text) {
      if (character === ".") return { bytes: parseIpv4(text), zone: "" };
      if (character === ":") return parseIpv6(text);
      if (character === "%") throw new Problem("missing IPv6 address");
    }
    throw new Problem("unable to parse IP");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const place = error.at === "" ? "" : ` (at ${goQuote(error.at)})`;
    return { problem: `ParseAddr(${goQuote(text)}): ${error.message}${place}` };
  }
}

export function parseNetwork(text: string): Network | { readonly problem: string } {
  const fail = (problem: string) => ({
    problem: `netip.ParsePrefix(${goQuote(text)}): ${problem}`,
  });
  const slash = text.lastIndexOf("/");
  if (slash < 0) return fail("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if ("problem" in address) return fail(address.problem);
  if (address.zone !== "") return fail("IPv6 zones cannot be present in a prefix");
  const digits = text.slice(slash + 1);
  const isNumber = /^[+-]?\d+$/.test(digits) && (digits.length === 1 || /^[1-9]/.test(digits));
  if (!isNumber) return fail(`bad bits after slash: ${goQuote(digits)}`);
  const bits = Number(digits);
  if (bits < 0 || bits > address.bytes.length * 8) return fail("prefix length out of range");
  return { address, bits };
}

export function isIpv4InIpv6({ bytes }: Address): boolean {
  return (
    bytes.length === 16 &&
    bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff
  );
}

/** The shortest form: the longest run of zeros becomes "::". */
export function formatAddress({ bytes }: Address): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from(
    { length: 8 },
    (_, i) => (bytes[2 * i] ?? 0) * 256 + (bytes[2 * i + 1] ?? 0),
  );
  let best = { start: 8, length: 1 };
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === 0) end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  const hex = (part: readonly number[]): string =>
    part.map((group) => group.toString(16)).join(":");
  if (best.start === 8) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}`;
}

export function maskAddress({ bytes, zone }: Address, bits: number): Address {
  const masked = bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return { bytes: masked, zone };
}

export function sameAddress(a: Address, b: Address): boolean {
  return (
    a.bytes.length === b.bytes.length && a.bytes.every((byte, index) => byte === b.bytes[index])
  );
}

export function contains({ address, bits }: Network, other: Address): boolean {
  return sameAddress(maskAddress(address, bits), maskAddress(other, bits));
}

class Problem extends Error {
  readonly at: string;

  constructor(message: string, at = "") {
    super(message);
    this.at = at;
  }
}

function parseIpv4(text: string): readonly number[] {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (const [index, character] of Array.from(text).entries()) {
    if (/\d/.test(character)) {
      if (digits === 1 && value === 0) throw new Problem("IPv4 field has octet with leading zero");
      value = value * 10 + Number(character);
      digits++;
      if (value > 255) throw new Problem("IPv4 field has value >255");
    } else if (character === ".") {
      if (index === 0 || index === text.length - 1 || text[index - 1] === ".") {
        throw new Problem("IPv4 field must have at least one digit", text.slice(index));
      }
      if (fields.length === 3) throw new Problem("IPv4 address too long");
      fields.push(value);
      value = 0;
      digits = 0;
    } else throw new Problem("unexpected character", text.slice(index));
  }
  if (fields.length < 3) throw new Problem("IPv4 address too short");
  return [...fields, value];
}

function parseIpv6(text: string): Address {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") throw new Problem("zone must be a non-empty string");
  const bytes: number[] = [];
  let rest = percent < 0 ? text : text.slice(0, percent);
  let gap = -1;
  if (rest.startsWith("::")) {
    gap = 0;
    rest = rest.slice(2);
  }
  while (rest !== "" && bytes.length < 16) {
    const group = hexGroup(rest);
    if (rest[group.length] === ".") {
      checkEmbedded(bytes.length, gap, rest);
      bytes.push(...parseIpv4(rest));
      rest = "";
      break;
    }
    const value = Number.parseInt(group, 16);
    bytes.push(Math.floor(value / 256), value % 256);
    rest = rest.slice(group.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) throw new Problem("unexpected character, want colon", rest);
    if (rest.length === 1) throw new Problem("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (!rest.startsWith(":")) continue;
    if (gap >= 0) throw new Problem("multiple :: in address", rest);
    gap = bytes.length;
    rest = rest.slice(1);
  }
  if (rest !== "") throw new Problem("trailing garbage after address", rest);
  return { bytes: fillGap(bytes, gap), zone };
}

function hexGroup(rest: string): string {
  const group = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
  if (group.length > 4) throw new Problem("each group must have 4 or less digits", rest);
  if (group === "") {
    throw new Problem("each colon-separated field must have at least one digit", rest);
  }
  return group;
}

function checkEmbedded(length: number, gap: number, rest: string): void {
  if (gap < 0 && length !== 12) {
    const message = "embedded IPv4 address must replace the final 2 fields of the address";
    throw new Problem(message, rest);
  }
  if (length + 4 <= 16) return;
  const message = "too many hex fields to fit an embedded IPv4 at the end of the address";
  throw new Problem(message, rest);
}

function fillGap(bytes: readonly number[], gap: number): readonly number[] {
  if (bytes.length === 16) {
    if (gap >= 0) throw new Problem("the :: must expand to at least one field of zeros");
    return bytes;
  }
  if (gap < 0) throw new Problem("address string too short");
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0);
  return [...bytes.slice(0, gap), ...zeros, ...bytes.slice(gap)];
}
