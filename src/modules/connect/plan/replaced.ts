// Learns that a PATCH puts a field in the place of what was there instead of merging it, as many
// services do with maps: of a map in which one field was written, another that is ours and was left
// alone is not shown any more. It is sent whole from then on, with what others have in it.

import { escapeToken, parsePointer } from "../../../kernel/pointer.ts";
import type { Binding } from "../binding.ts";
import type { Difference } from "./compare.ts";

/** `sent` are the pointers that were written; `left` is what differs right after. */
export function replacedBy(
  sent: readonly string[],
  left: readonly Difference[],
): readonly string[] {
  const inner = sent.map(parsePointer).filter((tokens) => tokens.length > 1);
  const touched = new Set(inner.map(([top]) => top));
  const wasSent = (path: string): boolean =>
    sent.some((one) => path === one || path.startsWith(`${one}/`));
  return left.flatMap(({ path, why, before }) => {
    const [top = ""] = parsePointer(path);
    const isLost = why === "drift" && before === undefined && !wasSent(path);
    return isLost && touched.has(top) ? [`/${escapeToken(top)}`] : [];
  });
}

/** The requests, with what was learnt about the PATCH among them. */
export function asLearnt(
  operations: Binding["operations"],
  learnt: readonly string[],
): Binding["operations"] {
  const { patch } = operations;
  if (patch === undefined || learnt.length === 0) return operations;
  const replaces = [...(patch.replaces ?? []), ...learnt];
  return { ...operations, patch: { ...patch, replaces } };
}
