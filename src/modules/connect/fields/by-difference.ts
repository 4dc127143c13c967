// The class of a field by where it occurs: read but never taken, taken at creation but not later,
// and so on. Only told where schemas of reading and writing differ and have enough in common; where
// they are the same schema, their difference says nothing.

import type { Field } from "./field-table.ts";
import type { Verdict } from "./judgement.ts";

/** Which operations there are, and what can be learnt from comparing them. */
export interface Comparable {
  readonly hasRead: boolean;
  readonly hasCreate: boolean;
  readonly hasReplace: boolean;
  readonly hasPatch: boolean;
  /** What is read has a schema of its own. */
  readonly readDiffers: boolean;
  /** What creates has another schema than what changes. */
  readonly createDiffers: boolean;
  /** PATCH takes more than a few fields such as tags, and has a schema of its own. */
  readonly patchTells: boolean;
}

export function verdictByDifference(field: Field, known: Comparable): Verdict | undefined {
  const { read, create, replace, patch } = field.at;
  const isWritten = create !== undefined || replace !== undefined || patch !== undefined;
  const say = (what: Verdict["class"], why: string, confidence: number): Verdict => {
    return { class: what, from: "difference", why, confidence };
  };
  // What is below something that only one side knows is judged there.
  if (!isWritten) {
    return known.readDiffers ? say("read-only", "returned, never accepted", 0.85) : undefined;
  }
  const isUpdated = replace !== undefined || patch !== undefined;
  const canUpdate = known.hasReplace || known.hasPatch;
  if (known.createDiffers && known.hasCreate && canUpdate) {
    if (create !== undefined && !isUpdated) {
      if (read === undefined && known.hasRead && known.readDiffers) {
        return say("write-only", "accepted on create only, never returned", 0.8);
      }
      return say("create-only", "accepted on create only", 0.85);
    }
    if (create === undefined && isUpdated) return say("update-only", "not accepted on create", 0.7);
  }
  if (known.hasRead && known.readDiffers && read === undefined) {
    return say("write-only", "accepted, never returned", 0.75);
  }
  return undefined;
}
