// One rule of a HealthRule or of `spec.healthChecks`: CEL over `object`. Pure.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import { boolType, dynType, sameType, stringType } from "../../../kernel/cel/types.ts";
import type { CelType } from "../../../kernel/cel/types.ts";
import type { CelValue } from "../../../kernel/cel/values.ts";
import { invalidField, requiredField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Health, HealthStatus } from "./health.ts";

/** In this order: what is wrong counts before what is right. */
const tests: readonly (readonly [field: string, status: HealthStatus])[] = [
  ["degraded", "Degraded"],
  ["suspended", "Suspended"],
  ["progressing", "Progressing"],
  ["healthy", "Healthy"],
];

const expressions: readonly (readonly [field: string, type: CelType])[] = [
  ...tests.map(([field]) => [field, boolType] as const),
  ["message", stringType],
];

type Part = { readonly kind: "program"; readonly program: Program } | { readonly problem: string };

export interface HealthRule {
  readonly tests: readonly {
    readonly field: string;
    readonly status: HealthStatus;
    readonly part: Part;
  }[];
  readonly message: Part | undefined;
}

export function compileHealthRule(rule: JsonObject): HealthRule {
  const message = textAt(rule, "message");
  return {
    tests: tests.flatMap(([field, status]) => {
      const source = textAt(rule, field);
      return source === "" ? [] : [{ field, status, part: partOf(source, boolType) }];
    }),
    message: message === "" ? undefined : partOf(message, stringType),
  };
}

/** What is wrong with rules, for admission. */
export function healthRuleErrors(
  rules: readonly JsonObject[],
  path: string,
): readonly FieldError[] {
  return rules.flatMap((rule, index) => {
    const at = `${path}[${index}]`;
    const errors = expressions.flatMap(([field, type]) => {
      const source = textAt(rule, field);
      const part = source === "" ? undefined : partOf(source, type);
      return part !== undefined && "problem" in part
        ? [invalidField(`${at}.${field}`, source, part.problem)]
        : [];
    });
    if (textAt(rule, "healthy") !== "") return errors;
    const detail = "a CEL expression over `object`; without it no object is ever Healthy";
    return [requiredField(`${at}.healthy`, detail), ...errors];
  });
}

/** Bounded in cost by expression; the caller bounds the work of all. */
export function assessByRule(rule: HealthRule, live: JsonObject): Health {
  const object = dynamicValue(live);
  let absent = "";
  for (const { field, status, part } of rule.tests) {
    const result = evaluated(part, object);
    if (result.kind === "absent") absent = `${field}: ${result.message}`;
    else if (result.kind === "failed") {
      return { status: "Unknown", message: `${field}: ${result.message}` };
    } else if (typeof result.value !== "boolean") {
      return { status: "Unknown", message: `${field}: the result is not a boolean` };
    } else if (result.value) return { status, message: messageOf(rule, object) };
  }
  return { status: "Progressing", message: messageOf(rule, object) || absent };
}

/** A message that cannot be computed does not change the health. */
function messageOf({ message }: HealthRule, object: CelValue): string {
  if (message === undefined) return "";
  const result = evaluated(message, object);
  return result.kind === "value" && typeof result.value === "string" ? result.value : "";
}

type Evaluated =
  | { readonly kind: "value"; readonly value: CelValue }
  /** A field that does not exist yet: a controller may write it later. */
  | { readonly kind: "absent"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

function evaluated(part: Part, object: CelValue): Evaluated {
  if ("problem" in part) return { kind: "failed", message: part.problem };
  const result = part.program.evaluate({ object }, limits.maxCelCallCost);
  if (result.kind === "value") return result;
  const isAbsent = result.kind === "error" && result.message.startsWith("no such key");
  return { kind: isAbsent ? "absent" : "failed", message: result.message };
}

function partOf(source: string, type: CelType): Part {
  const compiled = compileExpression(source, { variables: { object: dynType } });
  if (compiled.kind === "failed") return { problem: compiled.message };
  const { program } = compiled;
  if (sameType(program.type, type) || sameType(program.type, dynType)) {
    return { kind: "program", program };
  }
  return { problem: `must evaluate to ${type === boolType ? "bool" : "string"}` };
}
