// Every field of a resource once, with where it occurs (in what is read, made, replaced, patched)
// and what the document says of it. What is said of an object or list holds for all below it,
// except that mutability said of a list is about adding and removing elements, not about what is in
// them.

import { noMarks } from "../document/facts.ts";
import type { Marks } from "../document/facts.ts";
import { childrenOf } from "../document/tree.ts";
import type { SchemaNode } from "../document/tree.ts";

export interface ResourceTrees {
  readonly read?: SchemaNode;
  readonly create?: SchemaNode;
  readonly replace?: SchemaNode;
  readonly patch?: SchemaNode;
}

export type Side = keyof ResourceTrees;

export interface Field {
  readonly path: string;
  /** Undefined at the top. */
  readonly parent: Field | undefined;
  readonly level: number;
  /** By side; where there is none it does not occur there. */
  readonly at: { readonly [S in Side]?: SchemaNode };
  /** Said in so many words, here or above. */
  readonly marks: Marks;
  /** Whether that was said here. */
  readonly isMarkedHere: boolean;
}

/** Parents before children, in the order of the document. */
export function fieldTable(trees: ResourceTrees, useMarks = true): ReadonlyMap<string, Field> {
  const table = new Map<string, Field>();
  addLevel(trees, { parent: undefined, marks: noMarks, level: 0, useMarks }, table);
  return table;
}

export const sides: readonly Side[] = ["read", "create", "replace", "patch"];

interface Above {
  readonly parent: Field | undefined;
  readonly marks: Marks;
  readonly level: number;
  readonly useMarks: boolean;
}

function addLevel(at: Field["at"], above: Above, table: Map<string, Field>): void {
  const children = new Map<string, { [S in Side]?: SchemaNode }>();
  for (const side of sides) {
    const node = at[side];
    if (node === undefined) continue;
    for (const child of childrenOf(node)) {
      const known = children.get(child.pointer) ?? {};
      known[side] = child;
      children.set(child.pointer, known);
    }
  }
  const isList = sides.some((side) => at[side]?.items !== undefined);
  for (const [path, nodes] of children) {
    const { marks, isMarkedHere } = above.useMarks
      ? marksBelow(above.marks, nodes, isList)
      : { marks: noMarks, isMarkedHere: false };
    const { parent, level } = above;
    const field: Field = { path, parent, level, at: nodes, marks, isMarkedHere };
    table.set(path, field);
    addLevel(nodes, { ...above, parent: field, marks, level: level + 1 }, table);
  }
}

function marksBelow(
  above: Marks,
  nodes: Field["at"],
  isInList: boolean,
): { readonly marks: Marks; readonly isMarkedHere: boolean } {
  const own = sides.flatMap((side) => nodes[side]?.marks ?? []);
  const says = (key: "isReadOnly" | "isWriteOnly" | "isSecret"): boolean =>
    own.some((marks) => marks[key]);
  const mutability = own.find((marks) => marks.mutability !== undefined)?.mutability;
  const inherited = isInList ? undefined : above.mutability;
  const given = mutability ?? inherited;
  return {
    marks: {
      isReadOnly: above.isReadOnly || says("isReadOnly"),
      isWriteOnly: above.isWriteOnly || says("isWriteOnly"),
      isSecret: above.isSecret || says("isSecret"),
      ...(given === undefined ? {} : { mutability: given }),
    },
    isMarkedHere:
      mutability !== undefined || says("isReadOnly") || says("isWriteOnly") || says("isSecret"),
  };
}

/** One of its schemas; what is written comes first, since that is what people set. */
export function nodeOf({ at }: Field): SchemaNode | undefined {
  return at.create ?? at.replace ?? at.patch ?? at.read;
}
