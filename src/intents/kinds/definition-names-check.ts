// The syntax of a definition's names, of those it asks for and of those it was granted.

import { invalidField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { namesIn } from "./definition-parts.ts";
import { labelProblem } from "./definition-syntax.ts";

/** Names that a definition cannot do without. */
export function missingNameErrors(holder: JsonObject, path: string): readonly FieldError[] {
  const names = namesIn(holder);
  const needed = ["plural", "singular", "kind", "listKind"] as const;
  return needed.filter((key) => names[key] === "").map((key) => requiredField(`${path}.${key}`));
}

/** Empty names are passed over. */
export function nameSyntaxErrors(holder: JsonObject, path: string): readonly FieldError[] {
  const names = namesIn(holder);
  const errors: FieldError[] = [];
  const check = (key: string, name: string, label = name, prefix = "") => {
    const problem = labelProblem(label);
    if (problem !== undefined) {
      errors.push(invalidField(`${path}.${key}`, name, `${prefix}${problem}`));
    }
  };
  for (const key of ["plural", "singular"] as const) {
    if (names[key] !== "") check(key, names[key]);
  }
  for (const key of ["kind", "listKind"] as const) {
    const mixed = "may have mixed case, but should otherwise match: ";
    if (names[key] !== "") check(key, names[key], names[key].toLowerCase(), mixed);
  }
  for (const [index, name] of names.shortNames.entries()) check(`shortNames[${index}]`, name);
  if (names.kind !== "" && names.kind === names.listKind) {
    const detail = "kind and listKind may not be the same";
    errors.push(invalidField(`${path}.listKind`, names.listKind, detail));
  }
  for (const [index, name] of names.categories.entries()) check(`categories[${index}]`, name);
  return errors;
}
