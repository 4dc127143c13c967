// Fields that a PATCH puts in the place of what was there, instead of merging them into it: what it
// says so of, and the tags of resources of Azure, which its rules replace as a whole. Merging there
// would take away what others have set.

import type { SchemaNode } from "../document/tree.ts";
import type { ServiceOperation } from "./operations.ts";

export function replacedFields(operation: ServiceOperation, patch: SchemaNode): readonly string[] {
  const isAzure =
    /\/providers\//i.test(operation.path.text) &&
    operation.parameters.some(({ name }) => /^api-version$/i.test(name));
  return [...patch.properties.values()]
    .filter((node) => isMap(node) && (says(node) || (isAzure && node.name === "tags")))
    .map(({ pointer }) => pointer);
}

function isMap({ additional, properties }: SchemaNode): boolean {
  return additional !== undefined || properties.size > 0;
}

/** "Tags, which replace all that were there", "replaces any existing labels". */
function says({ description }: SchemaNode): boolean {
  const text = description.slice(0, 1_000);
  return /\breplaces?\b (?:all|any|every|the (?:entire|existing|whole|current))\b/i.test(text);
}
