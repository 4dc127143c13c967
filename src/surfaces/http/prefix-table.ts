// Which surface a URL belongs to: a table of path prefixes in which the longest prefix wins. A
// prefix covers its own path and every path below it, and never a part of a segment: "/api" covers
// "/api" and "/api/v1", not "/apis". Segments are compared as they were sent, without decoding.
// Several slashes at the beginning count as one.

import { SetpointError } from "../../kernel/errors.ts";

export interface UrlPrefix {
  /** "/subscriptions", or "/" for every URL without a longer prefix. */
  readonly path: string;
  /** Whether "/Subscriptions" is covered as well. */
  readonly ignoresCase?: boolean;
}

export interface PrefixOwner {
  readonly name: string;
  readonly prefixes: readonly UrlPrefix[];
}

export interface PrefixTable<Owner> {
  find(url: string): Owner;
}

interface Node<Owner> {
  owner: Owner | undefined;
  readonly children: Map<string, Node<Owner>>;
  /** Children that ignore the case, by their name in lower case. */
  readonly anyCase: Map<string, Node<Owner>>;
}

/** One owner must have the prefix "/". Throws when two owners have the same prefix. */
export function prefixTable<Owner extends PrefixOwner>(
  owners: readonly Owner[],
): PrefixTable<Owner> {
  const root = newNode<Owner>();
  for (const owner of owners) {
    for (const prefix of owner.prefixes) add(root, prefix, owner);
  }
  const { owner: fallback } = root;
  if (fallback === undefined) {
    throw new SetpointError("internal", 'no surface has the URL prefix "/"');
  }
  return { find: (url) => longest(root, url) ?? fallback };
}

function newNode<Owner>(): Node<Owner> {
  return { owner: undefined, children: new Map(), anyCase: new Map() };
}

function add<Owner extends PrefixOwner>(root: Node<Owner>, prefix: UrlPrefix, owner: Owner): void {
  const { path, ignoresCase = false } = prefix;
  let node = root;
  for (const segment of path.split("/").filter((part) => part !== "")) {
    const names = ignoresCase ? node.anyCase : node.children;
    const name = ignoresCase ? segment.toLowerCase() : segment;
    const next = names.get(name) ?? newNode<Owner>();
    names.set(name, next);
    node = next;
  }
  if (node.owner !== undefined) {
    const both = `${node.owner.name} and ${owner.name}`;
    throw new SetpointError("internal", `the URL prefix ${path} belongs to both ${both}`);
  }
  node.owner = owner;
}

function longest<Owner>(root: Node<Owner>, url: string): Owner | undefined {
  let node: Node<Owner> | undefined = root;
  let found: Owner | undefined;
  let at = 0;
  while (url.charCodeAt(at) === slash) at += 1;
  while (at < url.length) {
    const end = segmentEnd(url, at);
    node = childOf(node, url.slice(at, end));
    if (node === undefined) break;
    found = node.owner ?? found;
    if (url.charCodeAt(end) !== slash) break;
    at = end + 1;
  }
  return found;
}

function childOf<Owner>(node: Node<Owner>, segment: string): Node<Owner> | undefined {
  const child = node.children.get(segment);
  if (child !== undefined || node.anyCase.size === 0) return child;
  return node.anyCase.get(segment.toLowerCase());
}

const slash = 0x2f;
const question = 0x3f;

function segmentEnd(url: string, from: number): number {
  let at = from;
  while (at < url.length) {
    const code = url.charCodeAt(at);
    if (code === slash || code === question) break;
    at += 1;
  }
  return at;
}
