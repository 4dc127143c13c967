// The preparations of an Offering, compiled once for each version of it. Pure.

import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import { boolType, dynType } from "../../../kernel/cel/types.ts";
import { findCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { duplicateField, forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import { requiredField } from "../../../kernel/field-error.ts";
import type { Json } from "../../../kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Offering, Preparation } from "../offering.ts";
import { shapesOf } from "./template-shapes.ts";
import { compileTemplate } from "../../../kernel/template/template.ts";
import type { Template } from "../../../kernel/template/template.ts";

export interface CompiledPreparation {
  readonly name: string;
  readonly phase: Preparation["phase"];
  readonly forEach: Preparation["forEach"];
  readonly template: Template;
  readonly isReady: (resource: Resource) => boolean;
}

export interface CompiledPreparations {
  readonly preparations: readonly CompiledPreparation[];
  readonly errors: readonly FieldError[];
}

/** What the texts of a template may use. */
const variables = ["instance", "cluster", "organisation", "offering"] as const;

const compiledOfferings = new WeakMap<Offering, CompiledPreparations>();

export function preparationsOf(offering: Offering): CompiledPreparations {
  const known = compiledOfferings.get(offering);
  if (known !== undefined) return known;
  const errors: FieldError[] = [];
  const names = offering.preparations.map(({ name }) => name);
  const preparations = offering.preparations.flatMap((preparation, at) => {
    const path = `spec.preparations[${at}]`;
    if (names.indexOf(preparation.name) !== at) {
      errors.push(duplicateField(`${path}.name`, preparation.name));
    }
    return compiled(preparation, { path, errors, offering }) ?? [];
  });
  const result = { preparations, errors };
  compiledOfferings.set(offering, result);
  return result;
}

interface Compiling {
  readonly path: string;
  readonly errors: FieldError[];
  readonly offering: Offering;
}

function compiled(
  { name, phase, forEach, template: document, readyWhen }: Preparation,
  { path, errors, offering }: Compiling,
): CompiledPreparation | undefined {
  errors.push(...documentErrors(document, `${path}.template`));
  if (forEach === "route" && phase !== "routes") {
    const why = "can be route only in the phase routes, because the routes are not known before";
    errors.push(forbiddenField(`${path}.forEach`, why));
  }
  const known = forEach === "route" ? [...variables, "route"] : variables;
  const template = compileTemplate(document, known, `${path}.template`, shapesOf(offering));
  if (template.kind === "failed") errors.push(...template.errors);
  const rule = readyWhen === undefined ? undefined : readyRule(readyWhen, path, errors);
  if (template.kind === "failed") return undefined;
  const isReady = (resource: Resource): boolean =>
    rule === undefined ? isConditionTrue(resource) : isTrue(rule, resource);
  return { name, phase, forEach, template: template.template, isReady };
}

function documentErrors(document: Json, path: string): readonly FieldError[] {
  const errors: FieldError[] = ["apiVersion", "kind"].flatMap((field) => {
    const text = textAt(document, field);
    if (text === "") return [requiredField(`${path}.${field}`, "names the kind of the resource")];
    if (!text.includes("${")) return [];
    return [invalidField(`${path}.${field}`, text, "must be a fixed text")];
  });
  if (valueAt(document, "metadata", "namespace") !== undefined) {
    const why = "must be absent: the resource is in the namespace of the organisation";
    errors.push(forbiddenField(`${path}.metadata.namespace`, why));
  }
  if (valueAt(document, "status") !== undefined) {
    errors.push(forbiddenField(`${path}.status`, "is written by the reconciler of the resource"));
  }
  return errors;
}

function readyRule(source: string, path: string, errors: FieldError[]): Program | undefined {
  const compilation = compileExpression(source, { variables: { resource: dynType } });
  const at = `${path}.readyWhen`;
  if (compilation.kind === "failed") {
    errors.push(invalidField(at, source, compilation.message));
    return undefined;
  }
  const { type } = compilation.program;
  if (type.kind === boolType.kind || type.kind === dynType.kind) return compilation.program;
  errors.push(invalidField(at, source, "must evaluate to bool"));
  return undefined;
}

/** A rule without a value, such as one about a status that does not exist yet, does not hold. */
function isTrue(rule: Program, resource: Resource): boolean {
  const result = rule.evaluate({ resource: dynamicValue(resource) }, limits.maxCelCallCost);
  return result.kind === "value" && result.value === true;
}

function isConditionTrue({ status, metadata }: Resource): boolean {
  const conditions = objectsAt(status, "conditions") as unknown as readonly Condition[];
  const ready = findCondition(conditions, "Ready");
  const isCurrent = (ready?.observedGeneration ?? metadata.generation) === metadata.generation;
  return ready?.status === "True" && isCurrent;
}
