// A document whose texts contain expressions: compiled once, rendered many times. A text that is
// one expression takes the type of its value; in other texts, values are inserted as text. Pure.

import { compileExpression } from "../cel/environment.ts";
import type { Program } from "../cel/environment.ts";
import type { ReadPath } from "../cel/reads.ts";
import { dynamicValue } from "../cel/schema-values.ts";
import { dynType } from "../cel/types.ts";
import type { CelType } from "../cel/types.ts";
import type { FieldError } from "../field-error.ts";
import { invalidField } from "../field-error.ts";
import { withinUnits } from "../inline-time.ts";
import { isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import type { Tokens } from "../pointer.ts";
import { jsonOf } from "./cel-json.ts";
import { textParts } from "./template-text.ts";

export type Variables = { readonly [name: string]: Json };

/** Variables with `hidden` contain secrets: the error of an expression does not quote them. */
export type VariablesOf = (
  text: TemplateText,
) => { readonly values: Variables; readonly hidden: boolean } | undefined;

export interface Template {
  /** Throws TemplateProblem when an expression has no value. */
  readonly render: (variables: Variables) => Json;
  /** With the units of work that it took; throws TemplateProblem beyond the given ones. */
  readonly renderWithin: (units: number, variables: Variables) => { result: Json; units: number };
  /** Renders with variables by text, and without the texts that have none. */
  readonly renderPart: (variablesOf: VariablesOf) => Json;
  /** The texts that contain expressions. */
  readonly texts: readonly TemplateText[];
}

/** A text of the document that contains expressions. */
export interface TemplateText {
  /** For errors, as in "spec.template.spec.ports[0]". */
  readonly path: string;
  /** Where it is in the document. */
  readonly place: Tokens;
  /** The text as it is written. */
  readonly text: string;
  /** The parts of the variables that its expressions read. */
  readonly reads: readonly ReadPath[];
}

/** The message names the field of the template. */
export class TemplateProblem extends Error {
  override readonly name = "TemplateProblem";
}

export type CompiledTemplate =
  | { readonly kind: "compiled"; readonly template: Template }
  | { readonly kind: "failed"; readonly errors: readonly FieldError[] };

/** `path` is where the document is, for errors. `shapes`: the fields that variables have. */
export function compileTemplate(
  document: Json,
  variables: readonly string[],
  path: string,
  shapes: Readonly<Record<string, CelType>> = {},
): CompiledTemplate {
  const errors: FieldError[] = [];
  const texts: TemplateText[] = [];
  const types = Object.fromEntries(variables.map((name) => [name, dynType]));
  const isShaped = Object.keys(shapes).length > 0;
  const shaped = isShaped ? { ...types, ...shapes } : undefined;
  const size = { expressions: 0, chars: 0 };
  const render = compileNode(document, { path, place: [], types, shaped, errors, texts, size });
  if (errors.length > 0) return { kind: "failed", errors };
  const within = (
    units: number,
    variablesOf: VariablesOf,
  ): ReturnType<Template["renderWithin"]> => {
    const most = Math.min(units, limits.maxTemplateUnits);
    const rendered = withinUnits(most, () => render(variablesOf) ?? null);
    if (rendered !== undefined) return rendered;
    throw new TemplateProblem(`${path}: the expressions need too much work: make them simpler`);
  };
  const renderPart: Template["renderPart"] = (variablesOf) =>
    within(limits.maxTemplateUnits, variablesOf).result;
  return {
    kind: "compiled",
    template: {
      render: (values) => renderPart(() => ({ values, hidden: false })),
      renderWithin: (units, values) => within(units, () => ({ values, hidden: false })),
      renderPart,
      texts,
    },
  };
}

interface Compiling {
  readonly path: string;
  readonly place: Tokens;
  readonly types: Readonly<Record<string, CelType>>;
  /** Undefined where no fields are known. */
  readonly shaped: Readonly<Record<string, CelType>> | undefined;
  readonly errors: FieldError[];
  readonly texts: TemplateText[];
  /** Of the expressions so far. */
  readonly size: { expressions: number; chars: number };
}

/** Undefined: left out. */
type Render = (variablesOf: VariablesOf) => Json | undefined;

function compileNode(node: Json, given: Compiling): Render {
  if (typeof node === "string") return compileText(node, given);
  const { path, place, size } = given;
  // The document is refused: its other parts are not compiled.
  if (size.expressions === Infinity) return () => null;
  if (isJsonArray(node)) {
    const renders = node.map((item, at) =>
      isPlain(item)
        ? () => item
        : compileNode(item, { ...given, path: `${path}[${at}]`, place: [...place, String(at)] }),
    );
    return (variablesOf) => renders.map((render) => render(variablesOf) ?? null);
  }
  if (!isJsonObject(node)) return () => node;
  const renders = Object.entries(node).map(([key, value]): [string, Render] => [
    key,
    isPlain(value)
      ? () => value
      : compileNode(value, { ...given, path: `${path}.${key}`, place: [...place, key] }),
  ]);
  return (variablesOf) => {
    const rendered: MutableJsonObject = {};
    for (const [key, render] of renders) {
      const value = render(variablesOf);
      if (value !== undefined) setOwn(rendered, key, value);
    }
    return rendered;
  };
}

function isPlain(node: Json): boolean {
  return typeof node === "string" ? !node.includes("${") : typeof node !== "object";
}

type Part = (variables: Variables, hidden: boolean) => Json;

function compileText(text: string, given: Compiling): Render {
  if (!text.includes("${")) return () => text;
  const { path, place, types, errors, texts } = given;
  if (given.size.expressions === Infinity) return () => null;
  const parts = textParts(text);
  if (parts === undefined) {
    errors.push(invalidField(path, text, "an expression that begins with ${ has no end }"));
    return () => text;
  }
  const reads: ReadPath[] = [];
  const renders = parts.map((part): Part => {
    if (part.kind === "text") return () => part.text;
    const problem = sizeProblem(part.source, given.size);
    if (problem !== undefined) {
      // One error is enough for a document that is too large.
      if (given.size.expressions !== Infinity) errors.push(invalidField(path, null, problem));
      given.size.expressions = Infinity;
      return () => null;
    }
    const compiled = compileExpression(part.source, { variables: types });
    if (compiled.kind === "compiled") {
      const unknown = unknownField(part.source, given.shaped);
      if (unknown !== undefined) errors.push(invalidField(path, text, unknown));
      reads.push(...compiled.program.reads());
      return (variables, hidden) => valueOf(compiled.program, variables, path, hidden);
    }
    errors.push(invalidField(path, text, `${compiled.message}${literalAdvice(text)}`));
    return () => null;
  });
  const written: TemplateText = { path, place, text, reads };
  if (parts.some(({ kind }) => kind === "expression")) texts.push(written);
  const [only] = renders;
  const render: Part =
    parts.length === 1 && only !== undefined
      ? only
      : (variables, hidden) =>
          renders.map((each) => asText(each(variables, hidden), path)).join("");
  return (variablesOf) => {
    const variables = variablesOf(written);
    return variables === undefined ? undefined : render(variables.values, variables.hidden);
  };
}

/** A text of several lines is often a file of another language that has "${" as well. */
function literalAdvice(text: string): string {
  return text.includes("\n") ? '\nWrite "$${" for a "${" that is not an expression.' : "";
}

/** Counts an expression. Compiling one takes some hundred nanoseconds for each character. */
function sizeProblem(source: string, size: Compiling["size"]): string | undefined {
  size.expressions++;
  size.chars += source.length;
  const { maxTemplateExpressionChars, maxTemplateExpressions, maxTemplateChars } = limits;
  if (source.length > maxTemplateExpressionChars) {
    return `an expression has at most ${maxTemplateExpressionChars} characters`;
  }
  if (size.expressions > maxTemplateExpressions) {
    return `a document has at most ${maxTemplateExpressions} expressions`;
  }
  if (size.chars <= maxTemplateChars) return undefined;
  return `the expressions of a document have at most ${maxTemplateChars} characters`;
}

/** Types are not compared: a text may hold any value, and an index has any key. */
function unknownField(source: string, variables: Compiling["shaped"]): string | undefined {
  if (variables === undefined) return undefined;
  const checked = compileExpression(source, { variables });
  const isUnknown = checked.kind === "failed" && checked.message.includes("undefined field");
  return isUnknown ? checked.message : undefined;
}

function valueOf(program: Program, variables: Variables, path: string, hidden: boolean): Json {
  const bound = Object.entries(variables).map(([name, value]) => [name, dynamicValue(value)]);
  const bindings = Object.fromEntries(bound) as Parameters<Program["evaluate"]>[0];
  const result = program.evaluate(bindings, limits.maxCelCallCost);
  if (result.kind !== "value") {
    // An error may quote a value, such as a key that does not exist.
    const why = hidden ? "the expression has no value; the reason is hidden" : result.message;
    throw new TemplateProblem(`${path}: ${why}`);
  }
  const json = jsonOf(result.value);
  if (json.kind === "problem") throw new TemplateProblem(`${path}: the value ${json.problem}`);
  return json.json;
}

function asText(value: Json, path: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new TemplateProblem(`${path}: a value inside a text must be a text, number or boolean`);
}

/** For documents whose outermost form is an object. */
export function renderedObject(template: Template, variables: Variables): JsonObject {
  const rendered = template.render(variables);
  if (isJsonObject(rendered)) return rendered;
  throw new TemplateProblem("the template is not an object");
}
