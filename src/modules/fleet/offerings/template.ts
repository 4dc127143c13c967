// A document whose texts contain expressions: compiled once, rendered for each instance. A text
// that is one expression takes the type of its value; in other texts, values are inserted as text.
// Pure.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import { dynType } from "../../../kernel/cel/types.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import { isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import { jsonOf } from "./cel-json.ts";
import { textParts } from "./template-text.ts";

export type Variables = { readonly [name: string]: Json };

export interface Template {
  /** Throws TemplateProblem when an expression has no value. */
  readonly render: (variables: Variables) => Json;
}

/** The message names the field of the template. */
export class TemplateProblem extends Error {
  override readonly name = "TemplateProblem";
}

export type CompiledTemplate =
  | { readonly kind: "compiled"; readonly template: Template }
  | { readonly kind: "failed"; readonly errors: readonly FieldError[] };

/** `path` is where the document is, for errors. */
export function compileTemplate(
  document: Json,
  variables: readonly string[],
  path: string,
): CompiledTemplate {
  const errors: FieldError[] = [];
  const types = Object.fromEntries(variables.map((name) => [name, dynType]));
  const render = compileNode(document, { path, types, errors });
  if (errors.length > 0) return { kind: "failed", errors };
  return { kind: "compiled", template: { render } };
}

interface Compiling {
  readonly path: string;
  readonly types: Readonly<Record<string, typeof dynType>>;
  readonly errors: FieldError[];
}

type Render = (variables: Variables) => Json;

function compileNode(node: Json, given: Compiling): Render {
  if (typeof node === "string") return compileText(node, given);
  if (isJsonArray(node)) {
    const renders = node.map((item, at) =>
      compileNode(item, { ...given, path: `${given.path}[${at}]` }),
    );
    return (variables) => renders.map((render) => render(variables));
  }
  if (!isJsonObject(node)) return () => node;
  const renders = Object.entries(node).map(([key, value]): [string, Render] => [
    key,
    compileNode(value, { ...given, path: `${given.path}.${key}` }),
  ]);
  return (variables) => {
    const rendered: MutableJsonObject = {};
    for (const [key, render] of renders) setOwn(rendered, key, render(variables));
    return rendered;
  };
}

function compileText(text: string, given: Compiling): Render {
  if (!text.includes("${")) return () => text;
  const { path, types, errors } = given;
  const parts = textParts(text);
  if (parts === undefined) {
    errors.push(invalidField(path, text, "an expression that begins with ${ has no end }"));
    return () => text;
  }
  const renders = parts.map((part): Render => {
    if (part.kind === "text") return () => part.text;
    const compiled = compileExpression(part.source, { variables: types });
    if (compiled.kind === "compiled") {
      return (variables) => valueOf(compiled.program, variables, path);
    }
    errors.push(invalidField(path, text, compiled.message));
    return () => null;
  });
  const [only] = renders;
  if (parts.length === 1 && only !== undefined) return only;
  return (variables) => renders.map((render) => asText(render(variables), path)).join("");
}

function valueOf(program: Program, variables: Variables, path: string): Json {
  const bound = Object.entries(variables).map(([name, value]) => [name, dynamicValue(value)]);
  const bindings = Object.fromEntries(bound) as Parameters<Program["evaluate"]>[0];
  const result = program.evaluate(bindings, limits.maxCelCallCost);
  if (result.kind !== "value") throw new TemplateProblem(`${path}: ${result.message}`);
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
