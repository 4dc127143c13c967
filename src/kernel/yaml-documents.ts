// All documents of a YAML text as kubectl reads them, one after the other, each with its lines.
// Repositories are hostile: nesting and what aliases repeat are bounded, and errors name a line
// and never quote the text, which may be that of a Secret.

import { LineCounter, isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Document, Pair, Scalar, YAMLMap, YAMLParseError, YAMLSeq } from "yaml";
import { isSetpointError } from "./errors.ts";
import { setOwn } from "./json.ts";
import type { Json, MutableJsonObject } from "./json.ts";
import { limits } from "./limits.ts";
import { plainValue } from "./manifests/plain-scalar.ts";
import type { PlainValue } from "./manifests/plain-scalar.ts";
import { composeDocuments } from "./yaml.ts";

export interface YamlDocument {
  readonly value: Json;
  /** Where its first value begins, from 1. */
  readonly line: number;
  /** Where each item of its `items` begins, for a List. */
  readonly itemLines: readonly number[];
}

export interface YamlProblem {
  readonly line: number;
  readonly problem: string;
}

/** Ends after the first problem. Empty documents are left out. */
export function* readDocuments(text: string): Generator<YamlDocument | YamlProblem, void> {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  try {
    for (const document of composeDocuments(text, lines)) {
      const [error] = document.errors;
      if (error !== undefined) {
        yield { line: lineAt(error.pos[0]), problem: inWords(error) };
        return;
      }
      const read = readDocument(document, lineAt);
      if (read !== undefined) yield read;
    }
  } catch (error) {
    if (error instanceof Unreadable) {
      yield { line: lineAt(error.offset), problem: error.message };
    } else if (isSetpointError(error, "request.invalid")) {
      yield ofComposer(error.details, error.message);
    } else throw error;
  }
}

function ofComposer(details: Readonly<Record<string, unknown>>, message: string): YamlProblem {
  const { line } = details;
  const problem = message.replace(/^yaml: (?:line \d+: )?/, "");
  return { line: typeof line === "number" ? line : 1, problem };
}

function readDocument(
  document: Document.Parsed,
  lineAt: (offset: number) => number,
): YamlDocument | undefined {
  const { contents } = document;
  if (contents === null) return undefined;
  const value = new Reader().read(contents);
  if (value === null) return undefined;
  const items = isMap(contents) ? itemsOf(contents) : [];
  return {
    value,
    line: lineAt(startOf(contents)),
    itemLines: items.map((item) => lineAt(startOf(item))),
  };
}

function itemsOf(map: YAMLMap): readonly unknown[] {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === "items");
  return isSeq(pair?.value) ? pair.value.items : [];
}

interface Anchored {
  readonly value: Json;
  readonly node: unknown;
  readonly chars: number;
}

/** Turns the nodes of one document into a value. */
class Reader {
  readonly #anchors = new Map<string, Anchored>();
  /** About as long as the text of the value, with all that aliases repeat. */
  #chars = 0;
  #aliasChars = 0;

  read(node: unknown, depth: number = limits.maxJsonDepth): Json {
    if (depth <= 0) throw new Unreadable("the nesting is too deep", node);
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.#aliased(node.source, node).value;
    const before = this.#chars;
    const value = this.#plain(node, depth);
    const { anchor } = node as { readonly anchor?: string };
    if (anchor !== undefined) {
      this.#anchors.set(anchor, { value, node, chars: this.#chars - before });
    }
    return value;
  }

  #plain(node: unknown, depth: number): Json {
    this.#chars += 2;
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return this.#list(node, depth);
    if (!isScalar(node)) throw new Unreadable("a value cannot be read", node);
    const value = scalarValue(node);
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new Unreadable("infinity and NaN are not values of JSON", node);
    }
    this.#chars += typeof value === "string" ? value.length : 8;
    return value;
  }

  #list({ items }: YAMLSeq, depth: number): Json {
    return items.map((item) => this.read(item, depth - 1));
  }

  #map({ items }: YAMLMap, depth: number): Json {
    const object: MutableJsonObject = {};
    const names = new Set<string>();
    for (const { key, value } of items as readonly Pair[]) {
      if (isMergeKey(key)) this.#merge(object, value, depth);
      else {
        const name = this.#keyOf(key);
        if (names.has(name)) throw new Unreadable("the key occurs twice in one object", key);
        names.add(name);
        this.#chars += name.length + 2;
        setOwn(object, name, this.read(value, depth - 1));
      }
    }
    return object;
  }

  /** As kubectl: a key that is merged replaces those above it, and of a list the first wins. */
  #merge(object: MutableJsonObject, value: unknown, depth: number): void {
    const { node, value: merged } = isAlias(value)
      ? this.#aliased(value.source, value)
      : { node: value, value: this.read(value, depth - 1) };
    const sources = isSeq(node) && Array.isArray(merged) ? merged.toReversed() : [merged];
    for (const source of sources as readonly Json[]) {
      if (typeof source !== "object" || source === null || Array.isArray(source)) {
        throw new Unreadable("a merge (<<) needs an object or a list of objects", value);
      }
      for (const [key, inner] of Object.entries(source)) setOwn(object, key, inner);
    }
  }

  #keyOf(key: unknown): string {
    if (isAlias(key)) return keyText(this.#aliased(key.source, key).value, key);
    if (!isScalar(key)) throw new Unreadable("a key must be text", key);
    return keyText(this.read(key), key);
  }

  #aliased(name: string, node: unknown): Anchored {
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) throw new Unreadable("an alias has no anchor before it", node);
    this.#chars += anchored.chars;
    this.#aliasChars += anchored.chars;
    if (this.#aliasChars > limits.maxAliasChars) {
      throw new Unreadable("aliases repeat too much of the document", node);
    }
    return anchored;
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === "PLAIN" && key.value === "<<" && key.tag === undefined;
}

function keyText(value: Json, node: unknown): string {
  if (value === null || typeof value === "object") {
    throw new Unreadable("a key must be text", node);
  }
  return String(value);
}

function scalarValue(node: Scalar): PlainValue {
  const text = typeof node.value === "string" ? node.value : "";
  switch (node.tag) {
    case undefined:
      return node.type === "PLAIN" || node.type === undefined ? plainValue(text) : text;
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
      return tagged(node, text, (value) => typeof value === "number" || typeof value === "bigint");
    case "tag:yaml.org,2002:bool":
      return tagged(node, text, (value) => typeof value === "boolean");
    case "tag:yaml.org,2002:null":
      return tagged(node, text, (value) => value === null);
    case "tag:yaml.org,2002:binary":
      return Buffer.from(text, "base64").toString("utf8");
    default:
      return text;
  }
}

function tagged(node: Scalar, text: string, isRight: (value: PlainValue) => boolean): PlainValue {
  const value = plainValue(text);
  if (!isRight(value)) throw new Unreadable("a value is not what its tag states", node);
  return value;
}

/** With the place of the node in the text. */
class Unreadable extends Error {
  readonly offset: number;

  constructor(message: string, node: unknown) {
    super(message);
    this.offset = startOf(node);
  }
}

function startOf(node: unknown): number {
  return (node as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
}

/** Never the message of the library, which quotes the text. */
function inWords({ code }: YAMLParseError): string {
  switch (code) {
    case "BLOCK_AS_IMPLICIT_KEY":
    case "BLOCK_IN_FLOW":
      return "mapping values are not allowed in this context";
    case "TAB_AS_INDENT":
      return "a tab is used as indentation; use spaces";
    case "BAD_INDENT":
      return "the indentation is wrong";
    case "MISSING_CHAR":
      return "a quote, bracket, colon or comma is missing";
    case "BAD_DQ_ESCAPE":
      return "an escape sequence in double quotes is invalid";
    case "BAD_SCALAR_START":
      return "a value begins with a reserved character; put it in quotes";
    case "MULTILINE_IMPLICIT_KEY":
    case "KEY_OVER_1024_CHARS":
      return "a key is too long or has several lines";
    case "BAD_ALIAS":
    case "ALIAS_PROPS":
    case "MULTIPLE_ANCHORS":
      return "an anchor or alias is invalid";
    case "MULTIPLE_TAGS":
    case "TAG_RESOLVE_FAILED":
    case "BAD_COLLECTION_TYPE":
      return "a tag is invalid";
    case "BAD_DIRECTIVE":
      return "a directive (%) is invalid";
    default:
      return "the text is not YAML";
  }
}
