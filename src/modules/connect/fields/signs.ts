// The signs by which a field is guessed: words of its name and of the name above it, its type, a
// sentence of its description, and what examples and PATCH do with it. Each is a short text such as
// "w:state"; what each is worth stands in tables that were tuned on documents which say what is
// true.

import { wordsOf } from "../import/words.ts";
import { spokenClass } from "./described.ts";
import type { ExampleUse } from "./examples.ts";
import type { Field } from "./field-table.ts";
import { nodeOf } from "./field-table.ts";

export interface GuessContext {
  /**
   * What people set lies in one object, `properties`, and around it is what all objects of the
   * service have, such as a name that the address says already.
   */
  readonly isFramed: boolean;
  readonly examples: ExampleUse;
  /** There is a PATCH with a schema of its own that takes more than a field or two. */
  readonly patchTells: boolean;
  /** The schema of what makes an object requires the field. */
  readonly isNeeded: (field: Field) => boolean;
}

export function signsOf(field: Field, context: GuessContext): readonly string[] {
  const node = nodeOf(field);
  if (node === undefined) return [];
  const isElement = field.path.endsWith("/*");
  const isFrame = field.level === 0 && context.isFramed;
  const frame = [`top:${node.name.toLowerCase()}`];
  const signs = isFrame ? frame : isElement ? ["element"] : nameSigns(node.name);
  const above = field.parent === undefined ? undefined : nodeOf(field.parent);
  if (above !== undefined) {
    const words = wordsOf(above.name);
    signs.push(`p:${words.at(-1) ?? ""}`, `P:${words.join("")}`);
  }
  const level = field.level + (context.isFramed ? 0 : 1);
  if (!isFrame) signs.push(`level:${Math.min(level, 4)}`);
  for (const type of node.types) signs.push(`t:${type}`);
  const { format, enum: values, default: value } = node.keywords;
  if (typeof format === "string") signs.push(`format:${format}`);
  if (values !== undefined) signs.push(node.isOpenEnum ? "enum:open" : "enum");
  if (value !== undefined) signs.push("default");
  const isRequired = [field.parent?.at.create, field.parent?.at.replace].some(
    (one) => one?.required.has(node.name) === true,
  );
  if (isRequired) signs.push("required");
  const uses = useSigns(field, context);
  for (const use of uses) signs.push(use, `${use} ${node.types[0] ?? ""}`);
  const spoken = spokenClass(node.description);
  if (spoken !== undefined) signs.push(`says:${spoken}`);
  return signs;
}

function nameSigns(name: string): string[] {
  const words = wordsOf(name);
  return [
    `n:${words.join("")}`,
    `first:${words[0] ?? ""}`,
    `last:${words.at(-1) ?? ""}`,
    ...words.map((word) => `w:${word}`),
  ];
}

function useSigns({ path, at }: Field, { examples, patchTells }: GuessContext): readonly string[] {
  const { requests, answers } = examples;
  const signs: string[] = [];
  if (requests.size > 0) {
    if (requests.has(path)) signs.push("example:sent");
    else signs.push(answers.has(path) ? "example:answered" : "example:none");
  }
  if (patchTells) signs.push(at.patch === undefined ? "patch:without" : "patch:with");
  return signs;
}
