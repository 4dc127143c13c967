// All references in a file, without following any. Keys mean something only where a document
// has keywords: below `properties` a field may be called `$ref` or `example`, and what is an
// example is data in which nothing is a reference. Walks with a stack of its own, so depth costs
// nothing.

import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { formatPointer } from "../../../kernel/pointer.ts";

export interface FoundRefs {
  /** With the place where each stands first. */
  readonly refs: ReadonlyMap<string, string>;
  /** In x-ms-examples: files that may be absent without any harm. */
  readonly examples: ReadonlyMap<string, string>;
  /** Values in the file; more than asked for means that the walk was given up. */
  readonly nodes: number;
}

export function findRefs(value: Json, maxNodes: number): FoundRefs {
  const refs = new Map<string, string>();
  const examples = new Map<string, string>();
  const stack: Visit[] = [{ value, key: "", above: undefined, isNames: false, isExample: false }];
  let nodes = 0;
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    nodes += 1;
    if (nodes > maxNodes) break;
    const { value: at, isNames, isExample } = visit;
    if (isJsonArray(at)) {
      for (let index = at.length - 1; index >= 0; index -= 1) {
        push(stack, visit, String(index), at[index] ?? null, { isNames: false, isExample });
      }
    } else if (isJsonObject(at)) {
      for (const [key, child] of Object.entries(at).toReversed()) {
        if (isNames) push(stack, visit, key, child, { isNames: false, isExample });
        else if (key === "$ref" && typeof child === "string") {
          add(isExample ? examples : refs, child, visit);
        } else if (key === "mapping") addMapping(child, refs, visit);
        else if (!dataKeys.has(key)) {
          const isBelowExamples = isExample || key === "x-ms-examples";
          push(stack, visit, key, child, {
            isNames: nameKeys.has(key),
            isExample: isBelowExamples,
          });
        }
      }
    }
  }
  return { refs, examples, nodes };
}

interface Kinds {
  /** The keys are names that somebody chose. */
  readonly isNames: boolean;
  readonly isExample: boolean;
}

interface Visit extends Kinds {
  readonly value: Json;
  readonly key: string;
  readonly above: Visit | undefined;
}

/** The status of a response may be `default`. */
const nameKeys = new Set([
  "properties",
  "patternProperties",
  "definitions",
  "$defs",
  "schemas",
  "responses",
]);
const dataKeys = new Set(["example", "examples", "default", "enum", "const"]);

function push(stack: Visit[], above: Visit, key: string, value: Json, kinds: Kinds): void {
  // Only objects and lists can hold a reference.
  if (typeof value === "object" && value !== null) stack.push({ value, key, above, ...kinds });
}

function add(found: Map<string, string>, ref: string, visit: Visit): void {
  if (found.has(ref)) return;
  const tokens: string[] = [];
  for (let at: Visit | undefined = visit; at?.above !== undefined; at = at.above) {
    tokens.push(at.key);
  }
  found.set(ref, formatPointer(tokens.toReversed()));
}

/** The values of a discriminator's mapping are references or bare names of schemas. */
function addMapping(value: Json, refs: Map<string, string>, visit: Visit): void {
  if (!isJsonObject(value)) return;
  for (const target of Object.values(value)) {
    if (typeof target === "string" && target.includes("/")) add(refs, target, visit);
  }
}
