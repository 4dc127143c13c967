// Runs one rule and finds the message for a broken one, and keeps the account: each call has its
// own limit, and what it cost is taken from what is left for the whole document.

import { limits } from "../limits.ts";
import type { ValidationRule } from "../schema/schema.ts";
import type { Program } from "./environment.ts";
import type { CompiledRule } from "./rules.ts";
import type { CelValue } from "./values.ts";

export type Bindings = Readonly<Record<"self" | "oldSelf", CelValue | undefined>>;

/** Negative remains stop everything. */
export type RuleOutcome = { readonly remaining: number } & (
  | { readonly kind: "value"; readonly value: CelValue }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "tooExpensive"; readonly message: string }
  | { readonly kind: "outOfBudget" }
);

export function runRule(program: Program, bindings: Bindings, remaining: number): RuleOutcome {
  const result = program.evaluate(bindings, limits.maxCelCallCost);
  if (result.cost > remaining) return { kind: "outOfBudget", remaining: -1 };
  const left = remaining - result.cost;
  if (result.kind === "value") return { kind: "value", value: result.value, remaining: left };
  if (result.kind === "error") return { kind: "error", message: result.message, remaining: left };
  return { kind: "tooExpensive", message: result.message, remaining: -1 };
}

export type RuleMessage = { readonly remaining: number } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "stopped"; readonly problem: string }
);

/** A message that cannot be computed, or is not fit to be shown, gives way to the plain one. */
export function ruleMessage(
  { rule, message }: CompiledRule,
  bindings: Bindings,
  remaining: number,
): RuleMessage {
  const plain = plainMessage(rule);
  if (message === undefined) return { kind: "text", text: plain, remaining };
  const outcome = runRule(message, bindings, remaining);
  if (outcome.kind === "outOfBudget") {
    const problem =
      "messageExpression evaluation failed due to running out of cost budget, " +
      "no further validation rules will be run";
    return { kind: "stopped", problem, remaining: -1 };
  }
  if (outcome.kind === "tooExpensive") {
    const why = "no further validation rules will be run due to call cost exceeds limit for";
    const problem = `${why} messageExpression: ${JSON.stringify(rule.messageExpression)}`;
    return { kind: "stopped", problem, remaining: -1 };
  }
  const text = outcome.kind === "value" ? fitText(outcome.value) : undefined;
  return { kind: "text", text: text ?? plain, remaining: outcome.remaining };
}

function fitText(value: CelValue): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  const isFit = text !== "" && !text.includes("\n");
  return isFit && Buffer.byteLength(text) <= limits.maxCelMessageBytes ? text : undefined;
}

/** The words that its author gave it, which no value changes. */
export function plainMessage(rule: ValidationRule): string {
  return rule.message === "" ? `failed rule: ${ruleText(rule)}` : rule.message.trim();
}

/** How messages name a rule. */
export function ruleText(rule: ValidationRule): string {
  return (rule.message === "" ? rule.rule : rule.message).trim();
}
