// Which surface a URL belongs to: a table of path prefixes in which the longest prefix wins. A
// prefix covers its own path and every path below it, and never a part of a segment: "/api" covers
// "/api" and "/api/v1", not "/apis". Segments are compared as they were sent, without decoding.
// Several slashes at the beginning count as one. The segment "*_mgmt" covers every longer segment
// that ends with "_mgmt". A literal segment wins over such a pattern, and a longer pattern over a
// shorter one.

import { SetpointError } from "../../kernel/errors.ts";

export interface UrlPrefix {
  /** "/subscriptions", "/api/*_mgmt", or "/" for every URL without a longer prefix. */
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
  /** Children of patterns such as "*_mgmt", by their suffix; the longest suffix is the first. */
  readonly bySuffix: Map<string, Node<Owner>>;
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
  return {
    find: (url) => {
      let at = 0;
      while (url.charCodeAt(at) === slash) at += 1;
      return ownerBelow(root, url, at) ?? fallback;
    },
  };
}

function newNode<Owner>(): Node<Owner> {
  return { owner: undefined, children: new Map(), anyCase: new Map(), bySuffix: new Map() };
}

function add<Owner extends PrefixOwner>(root: Node<Owner>, prefix: UrlPrefix, owner: Owner): void {
  const { path, ignoresCase = false } = prefix;
  let node = root;
  for (const segment of path.split("/").filter((part) => part !== "")) {
    node = segment.startsWith("*")
      ? patternOf(node, segment.slice(1))
      : literalOf(node, segment, ignoresCase);
  }
  if (node.owner !== undefined) {
    const both = `${node.owner.name} and ${owner.name}`;
    throw new SetpointError("internal", `the URL prefix ${path} belongs to both ${both}`);
  }
  node.owner = owner;
}

function literalOf<Owner>(
  { children, anyCase }: Node<Owner>,
  segment: string,
  ignoresCase: boolean,
): Node<Owner> {
  const names = ignoresCase ? anyCase : children;
  const name = ignoresCase ? segment.toLowerCase() : segment;
  const next = names.get(name) ?? newNode<Owner>();
  names.set(name, next);
  return next;
}

function patternOf<Owner>({ bySuffix }: Node<Owner>, suffix: string): Node<Owner> {
  const known = bySuffix.get(suffix);
  if (known !== undefined) return known;
  const next = newNode<Owner>();
  const all = [...bySuffix, [suffix, next] as const];
  bySuffix.clear();
  all.sort(([one], [other]) => other.length - one.length);
  for (const [each, node] of all) bySuffix.set(each, node);
  return next;
}

/** The owner of the longest prefix whose next segment starts at `at`. */
function ownerBelow<Owner>(node: Node<Owner>, url: string, at: number): Owner | undefined {
  if (at >= url.length) return undefined;
  const end = segmentEnd(url, at);
  const segment = url.slice(at, end);
  const isLast = url.charCodeAt(end) !== slash;
  const ownerIn = (child: Node<Owner> | undefined): Owner | undefined => {
    if (child === undefined) return undefined;
    return (isLast ? undefined : ownerBelow(child, url, end + 1)) ?? child.owner;
  };
  const literal =
    ownerIn(node.children.get(segment)) ??
    (node.anyCase.size === 0 ? undefined : ownerIn(node.anyCase.get(segment.toLowerCase())));
  if (literal !== undefined) return literal;
  for (const [suffix, child] of node.bySuffix) {
    const isCovered = segment.length > suffix.length && segment.endsWith(suffix);
    const owner = isCovered ? ownerIn(child) : undefined;
    if (owner !== undefined) return owner;
  }
  return undefined;
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
