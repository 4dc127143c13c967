import type { Operation } from "./document.ts";

/** Operations that contain every word, in the order of the document. */
export function matching(operations: readonly Operation[], text: string): readonly Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter((operation) => {
    const { id, summary, tag, command = "" } = operation;
    const all = `${id} ${summary} ${tag} ${command}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export interface TagGroup {
  readonly tag: string;
  readonly operations: readonly Operation[];
}

export function byTag(operations: readonly Operation[]): readonly TagGroup[] {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const found = groups.get(operation.tag);
    if (found === undefined) groups.set(operation.tag, [operation]);
    else found.push(operation);
  }
  return [...groups].map(([tag, found]) => ({ tag, operations: found }));
}
