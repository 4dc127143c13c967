// One entry of `spec.resources` of a Template, compiled: its document, its expressions, and what
// they read. Pure.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import type { ReadPath } from "../../../kernel/cel/reads.ts";
import { boolType, dynType, formatType, isDyn, sameType } from "../../../kernel/cel/types.ts";
import type { CelType } from "../../../kernel/cel/types.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { listAt, objectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import { compileTemplate } from "../../../kernel/template/template.ts";
import type { Template } from "../../../kernel/template/template.ts";
import { environmentLimits } from "../limits.ts";
import { compileLinks, linkTexts } from "./links.ts";
import type { LinkTemplate } from "./links.ts";

/** What the expressions of a document may read. */
export const documentVariables = [
  "parameters",
  "environment",
  "resources",
  "externals",
  "secrets",
  "index",
  "count",
] as const;

/** Texts about a resource that is ready may also read its outputs. */
export const linkVariables = ["parameters", "environment", "outputs", "index", "count"] as const;

const countVariables = ["parameters", "environment"] as const;

export interface Entry {
  readonly key: string;
  readonly path: string;
  readonly json: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly document: Template;
  readonly readyWhen: Program | undefined;
  /** Undefined: the outputs are those in the status of the target. */
  readonly outputs: ReadonlyMap<string, Program> | undefined;
  /** Undefined: one instance without a position. */
  readonly count: Template | number | undefined;
  readonly links: readonly LinkTemplate[];
  readonly endpoints: readonly LinkTemplate[];
  /** As they are written: keys, or external/NAME. */
  readonly dependsOn: readonly string[];
  /** All reads of the document, the links and the endpoints. */
  readonly reads: readonly ReadPath[];
}

export interface CompiledEntry {
  readonly entry: Entry | undefined;
  readonly errors: readonly FieldError[];
}

export function compileEntry(json: JsonObject, path: string): CompiledEntry {
  const errors: FieldError[] = [];
  const part = (document: Json, variables: readonly string[], at: string): Template | undefined => {
    const compiled = compileTemplate(document, variables, at);
    if (compiled.kind === "compiled") return compiled.template;
    errors.push(...compiled.errors);
    return undefined;
  };
  const template = objectAt(json, "template");
  const apiVersion = textAt(template, "apiVersion");
  const kind = textAt(template, "kind");
  for (const [field, text] of Object.entries({ apiVersion, kind })) {
    if (!text.includes("${")) continue;
    const detail = "must not contain an expression: it decides which fields are secret";
    errors.push(invalidField(`${path}.template.${field}`, text, detail));
  }
  const document = part(template, documentVariables, `${path}.template`);
  const [links, endpoints] = (["entryPoints", "statusEndpoints"] as const).map((field) => {
    const compiled = compileLinks(listAt(json, field), linkVariables, `${path}.${field}`);
    errors.push(...compiled.errors);
    return compiled.links;
  }) as [readonly LinkTemplate[], readonly LinkTemplate[]];
  const readyWhen = programAt(json, ["readyWhen"], { path, expects: boolType, errors });
  const outputs = outputsOf(json, path, errors);
  const count = countOf(json, `${path}.count`, part, errors);
  if (document === undefined) return { entry: undefined, errors };
  const texts = [...document.texts, ...linkTexts([...links, ...endpoints])];
  const reads = [
    ...texts.flatMap((text) => text.reads),
    ...(typeof count === "object" ? count.texts.flatMap((text) => text.reads) : []),
  ];
  const dependsOn = textsAt(json, "dependsOn");
  const key = textAt(json, "key");
  const compiled = { readyWhen, outputs, count, links, endpoints, dependsOn, reads };
  return { entry: { key, path, json, apiVersion, kind, document, ...compiled }, errors };
}

interface ProgramInput {
  readonly path: string;
  readonly expects?: CelType;
  readonly errors: FieldError[];
}

/** Expressions over the target: the whole text is the expression. */
function programAt(
  json: JsonObject,
  at: readonly string[],
  { path, expects, errors }: ProgramInput,
): Program | undefined {
  const source = textAt(json, ...at);
  if (source === "") return undefined;
  const compiled = compileExpression(source, {
    variables: { resource: dynType },
  });
  const field = `${path}.${at.join(".")}`;
  if (compiled.kind === "compiled" && expects !== undefined && !fits(compiled.program, expects)) {
    errors.push(invalidField(field, source, `must evaluate to ${formatType(expects)}`));
    return undefined;
  }
  if (compiled.kind === "failed") {
    errors.push(invalidField(field, source, compiled.message));
    return undefined;
  }
  return compiled.program;
}

/** The type of a part of the target is not known. */
function fits({ type }: Program, expected: CelType): boolean {
  return isDyn(type) || sameType(type, expected);
}

function outputsOf(
  json: JsonObject,
  path: string,
  errors: FieldError[],
): ReadonlyMap<string, Program> | undefined {
  if (valueAt(json, "outputs") === undefined) return undefined;
  const outputs = new Map<string, Program>();
  for (const name of Object.keys(objectAt(json, "outputs"))) {
    const program = programAt(json, ["outputs", name], { path, errors });
    if (program !== undefined) outputs.set(name, program);
  }
  return outputs;
}

function countOf(
  json: JsonObject,
  path: string,
  part: (document: Json, variables: readonly string[], at: string) => Template | undefined,
  errors: FieldError[],
): Entry["count"] {
  const count = valueAt(json, "count");
  if (count === undefined) return undefined;
  if (typeof count === "string" && count.includes("${")) return part(count, countVariables, path);
  const problem = countProblem(count);
  if (problem === undefined) return Number(count);
  errors.push(invalidField(path, count, problem));
  return undefined;
}

export function countProblem(count: Json): string | undefined {
  const most = environmentLimits.maxCount;
  const isValid = Number.isSafeInteger(Number(count)) && Number(count) >= 0 && count !== "";
  if (isValid && typeof count !== "boolean" && Number(count) <= most) return undefined;
  return `must be a whole number from 0 to ${most}, or an expression in \${…} that is one`;
}
