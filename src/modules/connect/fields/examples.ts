// Which fields examples send and which they are answered with. A field that is answered and never
// sent is set by the server, or filled in by it.

import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { getAt, parsePointer, escapeToken } from "../../../kernel/pointer.ts";
import type { SchemaNode } from "../document/tree.ts";

export interface ExampleUse {
  /** Paths of fields that were sent. */
  readonly requests: ReadonlySet<string>;
  readonly answers: ReadonlySet<string>;
}

export const noExamples: ExampleUse = { requests: new Set(), answers: new Set() };

export interface ExampleBodies {
  readonly requests: readonly Json[];
  readonly answers: readonly Json[];
}

/** The bodies are without their envelopes. */
export function exampleUse(bodies: ExampleBodies, trees: readonly SchemaNode[]): ExampleUse {
  const requests = new Set<string>();
  const answers = new Set<string>();
  for (const tree of trees) {
    for (const body of bodies.requests) collect(body, tree, requests);
    for (const body of bodies.answers) collect(body, tree, answers);
  }
  return { requests, answers };
}

export function unwrapped(body: Json, pointer: string): Json {
  return getAt(body, parsePointer(pointer)) ?? null;
}

/** Walks beside the schema, so that keys of maps become `*`. */
function collect(value: Json, node: SchemaNode, found: Set<string>): void {
  if (isJsonArray(value)) {
    if (node.items === undefined) return;
    found.add(node.items.pointer);
    for (const item of value) collect(item, node.items, found);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    const property = node.properties.get(key);
    const free = node.additional === true ? undefined : node.additional;
    const next = property ?? free;
    if (next === undefined) continue;
    found.add(property === undefined ? `${node.pointer}/*` : `${node.pointer}/${escapeToken(key)}`);
    collect(child, next, found);
  }
}
