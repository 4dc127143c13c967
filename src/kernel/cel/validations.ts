// x-kubernetes-validations: rules in CEL at any place of a schema. They run on every write of a
// document, each within a budget and all within a larger one, so that no schema can make writes
// slow without bound. What was wrong before and has not changed is not complained about again.

import type { FieldError } from "../field-error.ts";
import { duplicateField, forbiddenField, invalidField, requiredField } from "../field-error.ts";
import { hiddenText } from "../hidden-values.ts";
import { getOwn, isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { canonicalJson } from "../canonical-json.ts";
import { limits } from "../limits.ts";
import { correlateIndex, correlateKey, isUnchanged } from "../schema/correlate.ts";
import type { Correlation } from "../schema/correlate.ts";
import type { Schema } from "../schema/schema.ts";
import { childPath, shownPath } from "../schema/trail.ts";
import { planRules } from "./rule-tree.ts";
import type { RuleNode } from "./rule-tree.ts";
import { ruleProblems } from "./rule-problems.ts";
import { plainMessage, ruleMessage, ruleText, runRule } from "./rule-run.ts";
import type { Bindings } from "./rule-run.ts";
import type { CompiledRule } from "./rules.ts";
import { valueOf } from "./schema-values.ts";
import { noneOptional, optionalOf } from "./values.ts";

export interface Validations {
  /** For who writes the schema. */
  readonly problems: readonly FieldError[];
  /** Undefined when the schema has no rules. */
  readonly validator: Validator | undefined;
}

export interface ValidatorOptions {
  /** For all rules together; the default is that of Kubernetes. */
  readonly budget?: number;
  /** Told of what would be an error had it not been there before. */
  readonly onForgiven?: (error: FieldError) => void;
}

/** The old value is undefined when the document is new. */
export type Validator = (
  value: Json,
  old: Json | undefined,
  options?: ValidatorOptions,
) => readonly FieldError[];

/** The path is that of the schema; it begins the paths of the problems. */
export function compileValidations(schema: Schema, path = "openAPIV3Schema"): Validations {
  return { problems: ruleProblems(schema, path), validator: compileValidator(schema) };
}

/** Without looking for problems: for a schema that was accepted before. */
export function compileValidator(schema: Schema): Validator | undefined {
  const root = planRules(schema);
  if (root === undefined) return undefined;
  return (value, old, { budget = limits.maxCelDocumentCost, onForgiven } = {}) => {
    const run: Run = { errors: [], onForgiven, remaining: budget };
    const current = old === undefined ? undefined : { schema, value, old };
    visit(run, root, "", value, old, { current, nearest: undefined });
    return run.errors;
  };
}

/**
 * Rules are not run on a document whose values do not have the form that the rules rely on; this
 * is what is said in their place. Undefined when nothing is in the way.
 */
export function blockedRules(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ kind }) => blocking.has(kind))) return undefined;
  const detail =
    "some validation rules were not checked because the object was invalid; " +
    "correct the existing errors to complete validation";
  return invalidField(shownPath(""), undefined, detail);
}

const blocking: ReadonlySet<FieldError["kind"]> = new Set([
  "unsupported",
  "required",
  "too-long",
  "too-many",
  "type",
]);

interface Run {
  readonly errors: FieldError[];
  readonly onForgiven: ValidatorOptions["onForgiven"];
  /** Negative: used up, nothing further runs. */
  remaining: number;
}

/** What the value was before, and otherwise the nearest value around it of which that is known. */
interface Ratchet {
  readonly current: Correlation | undefined;
  readonly nearest: Correlation | undefined;
}

function visit(
  run: Run,
  node: RuleNode,
  path: string,
  value: Json,
  old: Json | undefined,
  ratchet: Ratchet,
): void {
  if (value === null || run.remaining < 0) return;
  if (node.rules.length > 0) runRules(run, node, path, value, old ?? undefined, ratchet);
  for (const part of node.allOf) {
    visit(run, part, path, value, old, { current: undefined, nearest: ratchet.nearest });
  }
  if (isJsonArray(value)) visitItems(run, node, path, value, old, ratchet);
  else if (isJsonObject(value)) visitFields(run, node, path, value, old, ratchet);
}

function visitItems(
  run: Run,
  node: RuleNode,
  path: string,
  value: readonly Json[],
  old: Json | undefined,
  ratchet: Ratchet,
): void {
  const { items } = node;
  if (items === undefined) return;
  const find = oldItems(node.schema, old);
  for (const [index, item] of value.entries()) {
    if (run.remaining < 0) return;
    const inner =
      ratchet.current === undefined
        ? ratchet
        : { current: correlateIndex(ratchet.current, index), nearest: ratchet.current };
    visit(run, items, `${path}[${index}]`, item, find(item), inner);
  }
}

/** Only the items of lists with map keys are found again. */
function oldItems(schema: Schema, old: Json | undefined): (item: Json) => Json | undefined {
  if (schema.listType !== "map" || !isJsonArray(old ?? null)) return () => undefined;
  const keyOf = (item: JsonObject): string =>
    canonicalJson(schema.listMapKeys.map((key) => getOwn(item, key) ?? null));
  const byKey = new Map<string, Json>();
  for (const item of isJsonArray(old) ? old : []) {
    if (isJsonObject(item)) byKey.set(keyOf(item), item);
  }
  return (item) => (isJsonObject(item) ? byKey.get(keyOf(item)) : undefined);
}

function visitFields(
  run: Run,
  node: RuleNode,
  path: string,
  value: JsonObject,
  old: Json | undefined,
  ratchet: Ratchet,
): void {
  const oldObject = isJsonObject(old) ? old : undefined;
  const oldField = (key: string): Json | undefined =>
    oldObject === undefined ? undefined : getOwn(oldObject, key);
  if (node.values !== undefined) {
    for (const key of Object.keys(value)) {
      if (run.remaining < 0) return;
      const inner = value[key] ?? null;
      visit(run, node.values, `${path}[${key}]`, inner, oldField(key), keyRatchet(ratchet, key));
    }
  }
  for (const [key, field] of node.fields) {
    const inner = getOwn(value, key);
    if (inner === undefined || run.remaining < 0) continue;
    visit(run, field, childPath(path, key), inner, oldField(key), keyRatchet(ratchet, key));
  }
}

/** The version and the kind of a document were converted, so they are never taken as unchanged. */
function keyRatchet(ratchet: Ratchet, key: string): Ratchet {
  if (ratchet.current === undefined) return ratchet;
  if (ratchet.nearest === undefined && (key === "apiVersion" || key === "kind")) {
    return { current: undefined, nearest: undefined };
  }
  return { current: correlateKey(ratchet.current, key), nearest: ratchet.current };
}

function isForgiven({ current, nearest }: Ratchet): boolean {
  const known = current ?? nearest;
  return known !== undefined && isUnchanged(known);
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

function runRules(
  run: Run,
  node: RuleNode,
  path: string,
  value: Json,
  old: Json | undefined,
  ratchet: Ratchet,
): void {
  const { celSchema, schema } = node;
  if (run.remaining <= 0) {
    run.errors.push(invalidField(shownPath(path), schema.type, outOfBudget));
    run.remaining = -1;
    return;
  }
  const self = valueOf(celSchema, value);
  const oldSelf = old === undefined || old === null ? undefined : valueOf(celSchema, old);
  const plain: Bindings = { self, oldSelf };
  const optional: Bindings = {
    self,
    oldSelf: oldSelf === undefined ? noneOptional : optionalOf(oldSelf),
  };
  for (const lazy of node.rules) {
    const compiled = lazy();
    const isOptional = compiled.rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && oldSelf === undefined && !isOptional) continue;
    const bindings = isOptional ? optional : plain;
    const fail = (error: FieldError): void => {
      if (!compiled.usesOldSelf && isForgiven(ratchet)) run.onForgiven?.(error);
      else run.errors.push(error);
    };
    applyRule(run, compiled, bindings, { path: shownPath(path), base: path, schema, value, fail });
    if (run.remaining < 0) return;
  }
}

interface RulePlace {
  readonly path: string;
  readonly base: string;
  readonly schema: Schema;
  readonly value: Json;
  readonly fail: (error: FieldError) => void;
}

function applyRule(run: Run, compiled: CompiledRule, bindings: Bindings, place: RulePlace): void {
  const { path, schema } = place;
  const complain = (detail: string): void => {
    run.errors.push(invalidField(path, schema.type, detail));
  };
  // What a rule fails at may be a value.
  const computed = (what: string, after: string): void => {
    const plain = `${hiddenText}${after}`;
    const error = invalidField(path, schema.type, `${what}${after}`);
    run.errors.push({ ...error, computed: { of: place.base, plain } });
  };
  if (compiled.problem !== undefined) return complain(`rule compile error: ${compiled.problem}`);
  if (compiled.program === undefined) return;
  const outcome = runRule(compiled.program, bindings, run.remaining);
  run.remaining = outcome.remaining;
  switch (outcome.kind) {
    case "outOfBudget":
      return complain(outOfBudget);
    case "tooExpensive": {
      const why = "no further validation rules will be run due to call cost exceeds limit for rule";
      return complain(`'${outcome.message}': ${why}: ${ruleText(compiled.rule)}`);
    }
    case "error": {
      const text = ruleText(compiled.rule);
      if (!outcome.message.startsWith("no such overload")) {
        return computed(outcome.message, ` evaluating rule: ${text}`);
      }
      const why =
        "call arguments did not match a supported operator, function or macro signature for rule";
      return computed(`'${outcome.message}'`, `: ${why}: ${text}`);
    }
    case "value":
      if (outcome.value !== true) report(run, compiled, bindings, place);
  }
}

/** The rule is broken: says so in the words of its author, if those can be found. */
function report(run: Run, compiled: CompiledRule, bindings: Bindings, place: RulePlace): void {
  const { fieldPath, rule } = compiled;
  const field = shownPath(fieldPath === "" ? place.base : childPath(place.base, fieldPath));
  const message = ruleMessage(compiled, bindings, run.remaining);
  run.remaining = message.remaining;
  if (message.kind === "stopped") {
    place.fail(invalidField(field, place.schema.type, message.problem));
    return;
  }
  const errorWith = (detail: string): FieldError =>
    errorForReason(field, place.schema, place.value, detail, rule.reason);
  const error = errorWith(message.text);
  if (compiled.message === undefined) return place.fail(error);
  place.fail({ ...error, computed: { of: place.base, plain: plainMessage(rule) } });
}

/** Objects and lists are not repeated in the message. */
function errorForReason(
  field: string,
  schema: Schema,
  value: Json,
  detail: string,
  reason: string,
): FieldError {
  const isLarge = schema.type === "object" || schema.type === "array";
  switch (reason) {
    case "FieldValueForbidden":
      return forbiddenField(field, detail);
    case "FieldValueRequired":
      return requiredField(field, detail);
    case "FieldValueDuplicate":
      return isLarge
        ? { kind: "duplicate", path: field, detail: "" }
        : duplicateField(field, value);
    default:
      return isLarge
        ? { kind: "invalid", path: field, detail }
        : invalidField(field, value, detail);
  }
}
