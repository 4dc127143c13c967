// The class of a field by what it is called, how it is described and what examples do with it, for
// documents that say nothing better. Each sign speaks for or against with a weight; the sum is a
// probability. Nothing here is certain, and reports say so. What a creation has to be given is
// never guessed to be read-only: without it in the spec no object could be made.

import { wordsOf } from "../import/words.ts";
import { spokenClass } from "./described.ts";
import type { Field } from "./field-table.ts";
import { nodeOf } from "./field-table.ts";
import type { Verdict } from "./judgement.ts";
import { signsOf } from "./signs.ts";
import type { GuessContext } from "./signs.ts";
import { createOnlyWeights } from "./weights-create-only.ts";
import { readOnlyWeights } from "./weights-read-only.ts";
import type { Weights } from "./weights.ts";
import { probabilityOf } from "./weights.ts";

export function verdictByGuess(field: Field, context: GuessContext): Verdict | undefined {
  const node = nodeOf(field);
  // A field without a read-only schema of its own that is called a name is what people choose.
  if (node === undefined || (field.level === 0 && !context.isFramed && node.name === "name")) {
    return undefined;
  }
  const spoken = spokenClass(node.description);
  if (spoken === "write-only") {
    return { class: spoken, from: "name", why: "by its description", confidence: 0.7 };
  }
  const isNeeded = context.isNeeded(field);
  if (field.level === 0 && !context.isFramed && isCounted(node.name) && !isNeeded) {
    return { class: "read-only", from: "name", why: "by its name", confidence: 0.7 };
  }
  const signs = signsOf(field, context);
  const readOnly = isNeeded ? 0 : probabilityOf(readOnlyWeights, signs).probability;
  // What may be read-only is not guessed to be something else.
  if (readOnly >= readOnlyWeights.threshold) {
    return guessed("read-only", readOnlyWeights, signs, spoken);
  }
  return guessed("create-only", createOnlyWeights, signs, spoken);
}

/**
 * A wrong guess that a field is read-only removes it from the spec, and a wrong guess that it is
 * create-only refuses its changes. A field that is left writable by mistake costs nothing until a
 * user sets it. So a guess counts if it is probably right, or if the description says the same.
 */
const leastProbability = 0.6;

function guessed(
  what: Verdict["class"],
  weights: Weights,
  signs: readonly string[],
  spoken: string | undefined,
): Verdict | undefined {
  const { probability, strongest } = probabilityOf(weights, signs);
  const least = spoken === what ? weights.threshold : Math.max(weights.threshold, leastProbability);
  if (probability < least) return undefined;
  const isExample = strongest.startsWith("example:");
  const isDescribed = strongest.startsWith("says:");
  const why = isExample
    ? "returned, never sent"
    : isDescribed
      ? "by its description"
      : "by its name";
  const confidence = Math.min(0.9, Math.round(probability * 100) / 100);
  return { class: what, from: isExample ? "example" : "name", why, confidence };
}

/** What services count or stamp themselves, right in the object. */
function isCounted(name: string): boolean {
  const words = wordsOf(name);
  const [first = "", tail = ""] = [words[0], words.at(-1)];
  const isStamp = ["created", "modified", "updated"].includes(first) && words.length <= 2;
  return isStamp || ["serial", "etag"].includes(tail);
}
