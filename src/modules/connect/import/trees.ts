// The trees of schemas that are looked at now. Reading and writing often share one schema, so the
// last few are remembered; all of a large document at once would be too many.

import type { Documents } from "../document/load.ts";
import { follow, idOf } from "../document/place.ts";
import type { Place } from "../document/place.ts";
import { emptyTree, treeOf } from "../document/tree.ts";
import type { SchemaNode } from "../document/tree.ts";

export interface Trees {
  of(schema: Place | undefined): SchemaNode;
}

const remembered = 16;

export function treesOf(documents: Documents): Trees {
  const known = new Map<string, SchemaNode>();
  return {
    of: (schema) => {
      if (schema === undefined) return emptyTree;
      const { refs, layers } = follow(documents, schema);
      // Keys beside a reference make it a schema of its own.
      const id = layers.length === 2 && hasOnlyRef(schema) ? (refs[0] ?? "") : idOf(schema);
      const found = known.get(id);
      if (found !== undefined) return found;
      const tree = treeOf(documents, schema);
      known.set(id, tree);
      const [oldest] = known.keys();
      if (known.size > remembered && oldest !== undefined) known.delete(oldest);
      return tree;
    },
  };
}

function hasOnlyRef({ node }: Place): boolean {
  return typeof node === "object" && node !== null && Object.keys(node).length === 1;
}
