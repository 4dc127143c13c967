// A binding made ready for the loop: its fields as a tree, its expressions compiled, its templates
// judged. What is wrong with it is told all at once, each problem by its field.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import { boolType, dynType } from "../../../kernel/cel/types.ts";
import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import { parsePointer } from "../../../kernel/pointer.ts";
import type { Binding, FieldEntry, Operation } from "../binding.ts";
import { fieldTree } from "../plan/fields.ts";
import type { FieldTree } from "../plan/fields.ts";
import { templateNames } from "../plan/requests.ts";

export interface CompiledBinding {
  /** The id of the kind. */
  readonly kind: string;
  readonly binding: Binding;
  readonly tree: FieldTree;
  readonly ready: Rule | undefined;
  readonly gone: Rule | undefined;
}

/** Whether it holds; a problem when it cannot be told. */
export type Rule = (documents: { readonly [name: string]: Json }) => boolean | RuleProblem;

export interface RuleProblem {
  readonly problem: string;
}

export type CompiledOr =
  | { readonly kind: "compiled"; readonly compiled: CompiledBinding }
  | { readonly kind: "refused"; readonly problems: readonly string[] };

export function compileBinding(kind: string, spec: JsonObject): CompiledOr {
  // The schema of RestKind has seen to the types.
  const binding = spec as unknown as Binding;
  const problems = [...pointerProblems(binding), ...templateProblems(binding)];
  const ready = ruleOf("ready", binding.ready, ["observed", "joined"], problems);
  const gone = ruleOf("gone", binding.gone, ["observed"], problems);
  if (problems.length === 0) problems.push(...operationProblems(binding));
  if (problems.length > 0) return { kind: "refused", problems };
  const tree = fieldTree(effectiveFields(binding), binding.lists ?? []);
  return { kind: "compiled", compiled: { kind, binding, tree, ready, gone } };
}

/** Whether any request changes an object that exists. */
export function canUpdate({ operations, element }: Binding): boolean {
  const { patch, replace, create } = operations;
  return (patch ?? replace ?? element) !== undefined || create?.method === "PUT";
}

/** Without a request that changes an object, every field is fixed at the creation. */
function effectiveFields(binding: Binding): Binding["fields"] {
  const { fields } = binding;
  if (canUpdate(binding)) return fields;
  return [{ path: "/*", class: "create-only", from: "difference" }, ...fields.map(asFixed)];
}

function asFixed(field: FieldEntry): FieldEntry {
  return field.class === "writable" ? { ...field, class: "create-only" } : field;
}

function ruleOf(
  field: string,
  source: string | undefined,
  variables: readonly string[],
  problems: string[],
): Rule | undefined {
  if (source === undefined) return undefined;
  const types = Object.fromEntries(variables.map((variable) => [variable, dynType]));
  const compiled = compileExpression(source, { variables: types });
  if (compiled.kind === "failed") {
    problems.push(`${field}: ${compiled.message}`);
    return undefined;
  }
  const { program } = compiled;
  if (program.type.kind !== boolType.kind && program.type.kind !== dynType.kind) {
    problems.push(`${field}: must evaluate to bool`);
    return undefined;
  }
  return (documents) => evaluated(program, documents);
}

function evaluated(
  program: Program,
  documents: { readonly [name: string]: Json },
): boolean | RuleProblem {
  const values = Object.entries(documents).map(([key, value]) => [key, dynamicValue(value)]);
  const result = program.evaluate(
    Object.fromEntries(values) as Parameters<Program["evaluate"]>[0],
    limits.maxCelCallCost,
  );
  if (result.kind !== "value") return { problem: result.message };
  return typeof result.value === "boolean"
    ? result.value
    : { problem: "the result is not a boolean" };
}

function pointerProblems(binding: Binding): string[] {
  const { fields, lists = [], element, ownerMarker, identity, operations } = binding;
  const { replaces = [] } = operations.patch ?? {};
  const given: (readonly [string, string])[] = [
    ...fields.map(({ path }, index) => [`fields[${index}].path`, path] as const),
    ...lists.map(({ path }, index) => [`lists[${index}].path`, path] as const),
    ...replaces.map((path, index) => [`operations.patch.replaces[${index}]`, path] as const),
    ...(element === undefined ? [] : [["element.list", element.list] as const]),
    ...(ownerMarker === undefined ? [] : [["ownerMarker", ownerMarker] as const]),
  ];
  if ("field" in identity && identity.field !== undefined) {
    given.push(["identity.field", identity.field]);
  }
  return given.flatMap(([field, path]) => {
    try {
      parsePointer(path);
      return [];
    } catch {
      return [`${field}: ${JSON.stringify(path)} is not a JSON Pointer`];
    }
  });
}

/** Every name in a path has to come from somewhere. */
function templateProblems(binding: Binding): string[] {
  const { item, collection, identity, parent, parameters = {}, joins = [] } = binding;
  const problems: string[] = [];
  if (parent !== undefined && item !== parent.path && !item.startsWith(`${parent.path}/`)) {
    problems.push("parent.path: must be a prefix of item");
  }
  const known = new Set([
    ...Object.keys(parameters),
    ...(parent === undefined ? [] : templateNames(parent.path)),
  ]);
  if (identity.kind === "client" || identity.kind === "server") known.add(identity.parameter);
  if (identity.kind === "composite") for (const key of Object.keys(identity.fields)) known.add(key);
  const itemNames = new Set(templateNames(item));
  const paths = [
    ["item", item],
    ["collection", collection ?? ""],
    ...Object.entries<Operation | undefined>({ ...binding.operations }).map(
      ([name, operation]) => [`operations.${name}.path`, operation?.path ?? ""] as const,
    ),
    ...joins.map(({ path }, index) => [`joins[${index}].path`, path] as const),
  ] as const;
  for (const [field, path] of paths) {
    for (const name of templateNames(path)) {
      if (known.has(name) || (field !== "item" && itemNames.has(name))) continue;
      problems.push(
        `${field}: the parameter {${name}} has no source; add it to parameters, such as ` +
          `{"${name}": {"given": true}}`,
      );
    }
  }
  return problems;
}

function operationProblems({ operations, element, collection, identity }: Binding): string[] {
  const problems: string[] = [];
  const { create, read, list } = operations;
  if (read === undefined && list === undefined) {
    problems.push("operations.read: is required to observe objects");
  }
  if (create?.method === "POST" && create.path === undefined && collection === undefined) {
    problems.push("collection: is required to create objects with POST");
  }
  if (element !== undefined && operations.patch === undefined && operations.replace === undefined) {
    problems.push("operations.patch: is required to change an element of its parent");
  }
  if (element !== undefined && identity.kind === "server") {
    problems.push("identity: must be left out, because an element is identified by its keys");
  }
  return problems;
}
