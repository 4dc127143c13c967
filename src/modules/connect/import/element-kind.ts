// The kind of the elements of a list that are written by commands: it has the parent's requests,
// and an element is told from others by some of its fields, which are therefore fixed at creation.

import type { Binding, FieldEntry } from "../binding.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { classify } from "../fields/classify.ts";
import type { Classified } from "../fields/classify.ts";
import { noExamples } from "../fields/examples.ts";
import type { Judgement } from "../fields/judgement.ts";
import { fieldEntries } from "./binding-of.ts";
import { makeDefinition } from "./definition-of.ts";
import type { FoundElement } from "./element.ts";
import type { KindName } from "./names.ts";

export interface ElementKindInput {
  readonly element: FoundElement;
  readonly parent: { readonly id: string; readonly binding: Binding };
  readonly group: string;
  readonly name: KindName;
  readonly overrides?: readonly FieldEntry[];
}

export interface ElementKind {
  readonly id: string;
  readonly name: KindName;
  readonly definition: JsonObject;
  readonly binding: Binding;
  readonly classified: Classified;
  readonly isComparable: boolean;
  readonly notes: readonly string[];
}

export function elementKind(input: ElementKindInput): ElementKind {
  const { element: found, group, name, overrides } = input;
  const { element, tree, command } = found;
  const trees = { read: tree, create: tree };
  const plain = classify({
    trees,
    isComparable: false,
    examples: noExamples,
    ...(overrides === undefined ? {} : { overrides }),
  });
  const commandPath = `/${command}`;
  const judgements = new Map<string, Judgement>();
  for (const [path, judgement] of plain.judgements) {
    if (path === commandPath) continue;
    const isKey = element.keys.includes(path) && judgement.from !== "override";
    judgements.set(path, isKey ? { ...judgement, ...keyVerdict } : judgement);
  }
  const table = new Map([...plain.table].filter(([path]) => path !== commandPath));
  const classified: Classified = { ...plain, table, judgements };
  const made = makeDefinition({ group, name, trees, classified, without: new Set([commandPath]) });
  return {
    id: `${name.plural}.${group}`,
    name,
    definition: made.definition,
    binding: elementBinding(input, classified),
    classified,
    isComparable: true,
    notes: made.problem === undefined ? [] : [`its definition would be refused: ${made.problem}`],
  };
}

const keyVerdict = {
  class: "create-only",
  from: "difference",
  why: "identifies the element",
  confidence: 0.9,
} as const;

function elementBinding(
  { element: { element }, parent }: ElementKindInput,
  classified: Classified,
): Binding {
  const { connection, item, operations } = parent.binding;
  const fields = element.keys.map((key) => [key.slice(1), key] as const);
  const { read } = operations;
  return {
    connection,
    item,
    identity: { kind: "composite", fields: Object.fromEntries(fields) },
    parent: { kind: parent.id, path: item },
    operations: {
      ...(read === undefined ? {} : { read }),
      patch: { method: "PATCH", style: "set" },
    },
    element,
    fields: fieldEntries(classified),
  };
}
