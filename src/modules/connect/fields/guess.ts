// The class of a field by what it is called and by what examples do with it, for documents that say
// nothing better. Each sign speaks for or against "the server sets it" with a weight; the sum is a
// probability. Nothing here is certain, and reports say so.

import { wordsOf } from "../import/words.ts";
import { spokenClass } from "./described.ts";
import type { ExampleUse } from "./examples.ts";
import type { Field } from "./field-table.ts";
import { nodeOf } from "./field-table.ts";
import type { Verdict } from "./judgement.ts";

export interface GuessContext {
  /**
   * The id is in the path of the request that creates, so a name or type in the body says nothing
   * new.
   */
  readonly isNamedByPath: boolean;
  readonly examples: ExampleUse;
}

export function verdictByGuess(field: Field, context: GuessContext): Verdict | undefined {
  const node = nodeOf(field);
  if (node === undefined) return undefined;
  const spoken = spokenClass(node.description);
  if (spoken !== undefined) {
    return { class: spoken, from: "name", why: "by its description", confidence: 0.7 };
  }
  const { requests, answers } = context.examples;
  if (answers.has(field.path) && !requests.has(field.path) && requests.size > 0) {
    return { class: "read-only", from: "example", why: "answered, never sent", confidence: 0.6 };
  }
  if (isServerName(field, context)) {
    return { class: "read-only", from: "name", why: "by its name", confidence: 0.7 };
  }
  return undefined;
}

function isServerName({ path, level }: Field, { isNamedByPath }: GuessContext): boolean {
  const last = path.slice(path.lastIndexOf("/") + 1);
  const words = wordsOf(last);
  const tail = words.at(-1) ?? "";
  if (level === 0 && ["id", "url", "etag", "self", "href", "uuid"].includes(last)) return true;
  if (level === 0 && isNamedByPath && ["name", "type"].includes(last)) return true;
  if (words[0] === "created" || words[0] === "modified" || words[0] === "updated") return true;
  return ["state", "status", "etag", "serial"].includes(tail) || /(?:At|Time)stamp$/.test(last);
}
