// Named CEL expressions over one JSON value, such as outputs over a response. Pure.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import { dynType } from "../../../kernel/cel/types.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { jsonOf } from "../../../kernel/template/cel-json.ts";

export type Evaluated =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "problem"; readonly message: string };

/** The message of a problem has the text of the expression, not of the value. */
export function evaluate(source: string, variable: string, value: Json): Evaluated {
  const compiled = compileExpression(source, { variables: { [variable]: dynType } });
  if (compiled.kind === "failed") return { kind: "problem", message: compiled.message };
  const bindings = { [variable]: dynamicValue(value) };
  const result = compiled.program.evaluate(bindings, limits.maxCelCallCost);
  if (result.kind !== "value") return { kind: "problem", message: "the expression has no value" };
  const json = jsonOf(result.value);
  if (json.kind === "problem") return { kind: "problem", message: `the value ${json.problem}` };
  return { kind: "value", value: json.json };
}

/** For admission: what is wrong with each expression of a map. */
export function expressionErrors(
  expressions: JsonObject,
  variable: string,
  field: string,
): readonly FieldError[] {
  return Object.keys(expressions).flatMap((name) => {
    const source = textAt(expressions, name);
    const compiled = compileExpression(source, { variables: { [variable]: dynType } });
    if (compiled.kind === "compiled") return [];
    return [invalidField(`${field}.${name}`, source, compiled.message)];
  });
}
