/**
 * An index over texts and over the edges between them, in memory of this process. It is derived
 * data: it starts empty, and the owner fills it. The contract, which contract/suite.ts proves:
 *
 *  1. A search finds entries that contain every term: as a word, as the beginning of a word, or,
 *     for terms of three characters or more, inside a word. Case and accents do not matter. Any
 *     text is a valid search.
 *  2. Hits are ordered by where the terms are: title, tags, text; words before parts of words.
 *  3. At most `maxCandidates` entries are ranked, so a common word costs no more than a rare one.
 *     `isComplete` is false when there were more.
 *  4. Only entries that the caller's places allow are found, counted or passed through.
 *  5. Walks along edges are bounded in depth and nodes. `isComplete` is false at the bound.
 *  6. Calls run one after the other in a thread of their own, in the order in which they were made.
 */
import type { JsonObject } from "../../kernel/json.ts";

export interface IndexEntry {
  /** Identifies the entry, and is its end of an edge. */
  readonly id: string;
  /** The namespace. */
  readonly place: string;
  readonly kind: string;
  readonly title: string;
  readonly tags: string;
  readonly text: string;
  /** Returned with a hit. */
  readonly shown: JsonObject;
  readonly edges: readonly IndexEdge[];
}

export interface IndexEdge {
  /** An entry that may not exist, or not yet. */
  readonly to: string;
  readonly type: string;
}

export type IndexChange =
  | { readonly kind: "put"; readonly entry: IndexEntry }
  | { readonly kind: "remove"; readonly id: string };

/** What a caller may see: a kind in these namespaces, or in all of them. */
export interface AllowedKind {
  readonly kind: string;
  /** Undefined: all. */
  readonly places: readonly string[] | undefined;
}

export interface TextQuery {
  readonly text: string;
  readonly allowed: readonly AllowedKind[];
  readonly limit: number;
}

export interface Hits {
  readonly hits: readonly Hit[];
  /** Entries that match, of those that were ranked. */
  readonly count: number;
  readonly isComplete: boolean;
}

export interface Hit {
  readonly id: string;
  readonly score: number;
  readonly shown: JsonObject;
}

export type Direction = "dependencies" | "dependants";

export interface WalkQuery {
  readonly from: string;
  readonly direction: Direction;
  readonly depth: number;
  readonly allowed: readonly AllowedKind[];
  /** Only edges of these types; all when left out. */
  readonly types?: readonly string[];
}

export interface Walk {
  readonly nodes: readonly WalkNode[];
  readonly edges: readonly WalkEdge[];
  readonly isComplete: boolean;
}

export interface WalkNode {
  readonly id: string;
  readonly depth: number;
  readonly shown: JsonObject;
}

export interface WalkEdge {
  readonly from: string;
  readonly to: string;
  readonly type: string;
}

export interface PathQuery {
  readonly from: string;
  readonly to: string;
  readonly allowed: readonly AllowedKind[];
  readonly types?: readonly string[];
}

export interface FoundPath {
  /** From the dependant to its dependency, both ends included; undefined when there is none. */
  readonly nodes: readonly WalkNode[] | undefined;
  readonly isComplete: boolean;
}

export interface TextIndex extends AsyncDisposable {
  apply(changes: readonly IndexChange[]): Promise<void>;
  /** Removes every entry. */
  clear(): Promise<void>;
  search(query: TextQuery): Promise<Hits>;
  walk(query: WalkQuery): Promise<Walk>;
  path(query: PathQuery): Promise<FoundPath>;
}

export type OpenTextIndex = () => TextIndex;

export const textIndexLimits = {
  /** Terms of a search; further ones are ignored. */
  maxTerms: 8,
  maxTermChars: 64,
  /** Entries that one search ranks. */
  maxCandidates: 1_000,
  /** Nodes that one walk visits. */
  maxNodes: 10_000,
  maxDepth: 50,
  /** Characters of one field that are indexed. */
  maxFieldChars: 8_192,
  /** Calls that wait for the thread. */
  maxWaiting: 1_000,
} as const;
