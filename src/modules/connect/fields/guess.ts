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
  return (
    (isNeeded ? undefined : guessed("read-only", readOnlyWeights, signs)) ??
    guessed("create-only", createOnlyWeights, signs)
  );
}

function guessed(
  what: Verdict["class"],
  weights: Weights,
  signs: readonly string[],
): Verdict | undefined {
  const { probability, strongest } = probabilityOf(weights, signs);
  if (probability < weights.threshold) return undefined;
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
