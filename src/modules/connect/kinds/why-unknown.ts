// Why a kind does not declare a field that its service has: the RestKind classifies it as
// read-only, by the document or by a guess. A user who knows better corrects the class there.

import { escapeToken } from "../../../kernel/pointer.ts";
import type { CompiledBinding } from "./compiled-binding.ts";

/** For a path as messages have it: `spec.owner.name` or `spec.rules[0].serial`. */
export function whyUnknown({ kind, binding }: CompiledBinding, path: string): string | undefined {
  const [first, ...keys] = path.replaceAll(/\[\d+\]/g, ".*").split(".");
  if (first !== "spec" || keys.length === 0) return undefined;
  let pointer = "";
  for (const key of keys) {
    const [exact, each] = [`${pointer}/${escapeToken(key)}`, `${pointer}/*`];
    const entry = binding.fields.find((field) => field.path === exact || field.path === each);
    pointer = exact;
    if (entry?.class !== "read-only") continue;
    const { from, why = "", confidence = 1 } = entry;
    const reason = why === "" ? from : why;
    const sure = from === "name" || from === "example" ? `, confidence ${confidence}` : "";
    return `only the service sets it, according to the RestKind ${kind}: ${reason}${sure}`;
  }
  return undefined;
}
