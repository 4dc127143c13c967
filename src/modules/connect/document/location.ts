// Where the files of a document may lie. References are text that strangers wrote: one that leads
// to another server, to an address of the inner network or from a server to this machine's files
// would let a document read what its author cannot. Files may refer to files next to them, what a
// server gave only to the same origin; every other origin has to be allowed by the person who
// imports.

import { BlockList, isIP } from "node:net";
import { SetpointError } from "../../../kernel/errors.ts";
import { parsePointer } from "../../../kernel/pointer.ts";
import type { Tokens } from "../../../kernel/pointer.ts";

export interface RefPolicy {
  /** The address of the document that was asked for. */
  readonly root: string;
  /** Origins such as "https://specs.example.com" that references may lead to. */
  readonly allowed: readonly string[];
}

export interface Target {
  readonly file: string;
  readonly tokens: Tokens;
}

/** Undefined for what is no reference to a value at all. */
export function targetOf(ref: string, base: string): Target | undefined {
  const hash = ref.indexOf("#");
  const path = hash < 0 ? ref : ref.slice(0, hash);
  const fragment = hash < 0 ? "" : ref.slice(hash + 1);
  const file = path === "" ? base : absolute(path, base);
  if (file === undefined || (fragment !== "" && !fragment.startsWith("/"))) return undefined;
  try {
    return { file, tokens: parsePointer(decoded(fragment)) };
  } catch (error) {
    if (error instanceof SetpointError) return undefined;
    throw error;
  }
}

/** Why a file may not be read, or undefined when it may. */
export function refusalOf(file: string, { root, allowed }: RefPolicy): string | undefined {
  const to = new URL(file);
  const from = new URL(root);
  if (to.protocol === "file:") {
    if (from.protocol !== "file:") return "a document from a server must not refer to local files";
    if (to.host !== "") return "files on other hosts are not read";
    return /\.(?:json|ya?ml)$/i.test(to.pathname)
      ? undefined
      : "only files whose names end in .json, .yaml or .yml are read";
  }
  if (to.protocol !== "http:" && to.protocol !== "https:") {
    return `URLs with the scheme ${to.protocol} are not read`;
  }
  if (to.username !== "" || to.password !== "") return "URLs with credentials are not read";
  if (from.protocol !== "file:" && to.origin === from.origin) return undefined;
  if (allowed.includes(to.origin)) return undefined;
  const where = isInnerHost(to.hostname) ? "in a private network" : "a different origin";
  return `${to.origin} is ${where}; allow it with --allow-ref ${to.origin}`;
}

/** Loopback, link-local, private and other addresses that mean something only within a network. */
export function isInnerHost(host: string): boolean {
  const bare = host
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const isInnerName = bare === "localhost" || /\.(?:localhost|internal)$/.test(bare);
  if (isInnerName) return true;
  const version = isIP(bare);
  return version !== 0 && inner.check(bare, version === 4 ? "ipv4" : "ipv6");
}

const inner = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  inner.addSubnet(net, prefix, "ipv4");
}
for (const [net, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  inner.addSubnet(net, prefix, "ipv6");
}

function absolute(path: string, base: string): string | undefined {
  try {
    return new URL(path, base).href;
  } catch {
    return undefined;
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
