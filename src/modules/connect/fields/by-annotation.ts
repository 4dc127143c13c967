// The class of a field by what the document says of it: readOnly, writeOnly and x-ms-mutability. A
// name that is marked as read-only and still is in a schema that is only there to create objects
// names the object: it is fixed at creation. Other such fields are there because parts of schemas
// are shared.

import type { Field } from "./field-table.ts";
import type { Verdict } from "./judgement.ts";

export function verdictByAnnotation(field: Field, createIsItsOwn: boolean): Verdict | undefined {
  const { marks } = field;
  const where = field.isMarkedHere ? "" : " (above)";
  const say = (what: Verdict["class"], why: string, confidence = 1): Verdict => {
    return { class: what, from: "annotation", why: `${why}${where}`, confidence };
  };
  if (marks.isReadOnly) {
    const isNamed = createIsItsOwn && field.level === 0 && field.at.create?.name === "name";
    if (isNamed && field.at.replace === undefined && field.at.patch === undefined) {
      return say("create-only", "readOnly, but accepted on create", 0.9);
    }
    return say("read-only", "readOnly");
  }
  if (marks.mutability !== undefined) {
    const verdict = byMutability(marks.mutability);
    if (verdict !== undefined) {
      return say(verdict, `x-ms-mutability: ${marks.mutability.join(", ")}`);
    }
  }
  if (marks.isWriteOnly) return say("write-only", "writeOnly");
  if (marks.isSecret) return say("write-only", "secret");
  return undefined;
}

/** Undefined for what may be done at all times. */
function byMutability(words: readonly string[]): Verdict["class"] | undefined {
  const can = (word: string): boolean => words.includes(word);
  if (!can("create") && !can("update")) return "read-only";
  if (can("create") && !can("update")) return "create-only";
  if (!can("create")) return "update-only";
  return can("read") ? "writable" : "write-only";
}
