// The rules of one place in a schema, compiled: programs for the rule and for its message, with
// their worst costs. A rule that does not compile is kept with the reason, because the author is
// told of it when the schema is written, and every document when it was stored regardless.

import { once } from "../once.ts";
import type { Schema, ValidationRule } from "../schema/schema.ts";
import { compileExpression } from "./environment.ts";
import type { Program } from "./environment.ts";
import { normalizeFieldPath } from "./field-path.ts";
import { celTypeOf, sizeHints } from "./schema-types.ts";
import type { CelSchema } from "./schema-types.ts";
import { boolType, optionalType, stringType } from "./types.ts";
import type { CelType } from "./types.ts";

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined when the rule is empty or does not compile. */
  readonly program: Program | undefined;
  readonly problem: string | undefined;
  readonly usesOldSelf: boolean;
  /** The worst cost of one evaluation; zero when there is no program. */
  readonly maxCost: () => number;
  readonly message: Program | undefined;
  readonly messageProblem: string | undefined;
  readonly maxMessageCost: () => number;
  /** Appended to the path of errors; empty for none. */
  readonly fieldPath: string;
}

/** The name is that of Kubernetes, without the number that it draws anew for each schema. */
const selfTypeName = "selfType";

export function compileRules(
  rules: readonly ValidationRule[],
  schema: Schema,
  celSchema: CelSchema,
): readonly CompiledRule[] {
  return lazyRules(rules, schema, celSchema).map((compiled) => compiled());
}

/** Compiles the rule on its first call. */
export type LazyRule = () => CompiledRule;

export function lazyRules(
  rules: readonly ValidationRule[],
  schema: Schema,
  celSchema: CelSchema,
): readonly LazyRule[] {
  const self = once(() => celTypeOf(celSchema, selfTypeName));
  return rules.map((rule) => once(() => compileRule(rule, schema, celSchema, self())));
}

function compileRule(
  rule: ValidationRule,
  schema: Schema,
  celSchema: CelSchema,
  self: CelType,
): CompiledRule {
  const oldSelf = rule.optionalOldSelf === true ? optionalType(self) : self;
  const variables = { self, oldSelf };
  const hints = sizeHints(celSchema);
  const nothing = {
    rule,
    program: undefined,
    problem: undefined,
    usesOldSelf: false,
    maxCost: zero,
    message: undefined,
    messageProblem: undefined,
    maxMessageCost: zero,
    fieldPath: "",
  };
  if (rule.rule.trim() === "") return nothing;
  const compiled = compileExpression(rule.rule, {
    variables,
    expects: boolType,
    expectation: "cel expression must evaluate to a bool",
  });
  if (compiled.kind === "failed") return { ...nothing, problem: compiled.message };
  const { program } = compiled;
  return {
    ...nothing,
    program,
    usesOldSelf: program.mentions("oldSelf"),
    maxCost: () => program.estimateCost(hints).max,
    ...compileMessage(rule, variables, hints),
    fieldPath: normalizeFieldPath(rule.fieldPath, schema) ?? "",
  };
}

function compileMessage(
  rule: ValidationRule,
  variables: Readonly<Record<string, CelType>>,
  hints: ReturnType<typeof sizeHints>,
): Partial<CompiledRule> {
  if (rule.messageExpression === "") return {};
  const compiled = compileExpression(rule.messageExpression, {
    variables,
    expects: stringType,
    expectation: "messageExpression must evaluate to a string",
  });
  if (compiled.kind === "compiled") {
    const { program } = compiled;
    return { message: program, maxMessageCost: () => program.estimateCost(hints).max };
  }
  const messageProblem = compiled.message
    .replace(/^compilation failed/, "messageExpression compilation failed")
    .replace(/^program instantiation failed/, "messageExpression instantiation failed");
  return { messageProblem };
}

function zero(): number {
  return 0;
}
