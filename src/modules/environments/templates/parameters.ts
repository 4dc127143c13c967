// The parameters of templates: their declarations, and the values that an Environment gives. Pure.

import { appendAll } from "../../../kernel/append.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { forbiddenField, invalidField, requiredField } from "../../../kernel/field-error.ts";
import { withoutHiddenValues } from "../../../kernel/hidden-values.ts";
import type { Hiding } from "../../../kernel/hidden-values.ts";
import { getOwn, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { suggester } from "../../../kernel/nearest-name.ts";
import { compileSchema } from "../../../kernel/schema/compile.ts";
import { addDefaults } from "../../../kernel/schema/defaults.ts";
import { structuralProblems } from "../../../kernel/schema/structural-problems.ts";
import { validateValue } from "../../../kernel/schema/validate.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { withoutKey } from "../../../kernel/without-key.ts";

export interface Parameters {
  readonly plain: JsonObject;
  readonly secret: JsonObject;
}

export interface CheckedParameters extends Parameters {
  readonly errors: readonly FieldError[];
}

/** What is wrong with the declarations in `spec.parameters` of a Template. */
export function* declarationErrors(
  declared: JsonObject,
  path: string,
): Sliced<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const [name, declaration] of Object.entries(declared)) {
    yield;
    appendAll(errors, errorsOf(name, declaration, `${path}.${name}`));
  }
  return errors;
}

function errorsOf(name: string, declaration: Json, at: string): readonly FieldError[] {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) {
    const detail = "must be a name that expressions can read, such as nodeCount";
    return [invalidField(at, name, detail)];
  }
  if (!isJsonObject(declaration)) return [];
  const schema = schemaOf(declaration);
  const problems = structuralProblems({ type: "object", properties: { value: schema } }, at);
  const wrong = problems.map(declarationError);
  if (wrong.length > 0) return wrong;
  return defaultErrors(declaration, schema, at).concat(secretErrors(declaration, at));
}

function declarationError(error: FieldError): FieldError {
  return { ...error, path: error.path.replace(".properties[value]", "") };
}

function defaultErrors(
  declaration: JsonObject,
  schema: JsonObject,
  path: string,
): readonly FieldError[] {
  const value = getOwn(declaration, "default");
  if (value === undefined) return [];
  return validateValue(compileSchema(schema), value, `${path}.default`);
}

function secretErrors(declaration: JsonObject, path: string): readonly FieldError[] {
  const isShown = isTrueAt(declaration, "secret") && getOwn(declaration, "default") !== undefined;
  return isShown
    ? [forbiddenField(`${path}.default`, "a secret parameter cannot have a default")]
    : [];
}

/** The schema of a value, without the parts that describe the parameter itself. */
function schemaOf(declaration: JsonObject): JsonObject {
  let schema = declaration;
  for (const key of ["required", "secret", "default"]) schema = withoutKey(schema, key);
  const type = declaration["type"];
  // JSON Schema says nothing about the items of a list; a structural schema must.
  if (type === "array" && schema["items"] === undefined) {
    return { ...schema, items: { "x-kubernetes-preserve-unknown-fields": true } };
  }
  if (type === "object" && schema["properties"] === undefined) {
    return { ...schema, "x-kubernetes-preserve-unknown-fields": true };
  }
  return schema;
}

/**
 * The values with defaults, and what is wrong with them. `declared` has the parameters of all
 * templates of an Environment.
 */
export function* checkParameters(
  declared: JsonObject,
  given: Parameters,
  path: string,
): Sliced<CheckedParameters> {
  const errors: FieldError[] = [
    ...unknownErrors(declared, given.plain, `${path}.parameters`),
    ...unknownErrors(declared, given.secret, `${path}.secretParameters`),
  ];
  const plain: MutableJsonObject = {};
  const secret: MutableJsonObject = {};
  for (const [name, declaration] of Object.entries(declared)) {
    yield;
    if (!isJsonObject(declaration)) continue;
    const isSecret = isTrueAt(declaration, "secret");
    const at = `${path}.${isSecret ? "secretParameters" : "parameters"}`;
    const wrongPlace = getOwn(isSecret ? given.plain : given.secret, name);
    if (wrongPlace !== undefined) errors.push(placeError(name, isSecret, path));
    const own = getOwn(isSecret ? given.secret : given.plain, name) ?? declaration["default"];
    if (own === undefined || own === null) {
      if (isTrueAt(declaration, "required")) {
        errors.push(requiredField(`${at}.${name}`, "the template requires this parameter"));
      }
      continue;
    }
    // As a property of an object, so that errors have the path of a property.
    const properties = { [name]: schemaOf(declaration) };
    const schema = compileSchema({ type: "object", properties });
    const wrong = validateValue(schema, { [name]: own }, at);
    appendAll(errors, isSecret ? withoutHiddenValues(hidingAt(at), wrong) : wrong);
    const value = getOwn(addDefaults(schema, { [name]: own }) as JsonObject, name);
    if (value !== undefined) setOwn(isSecret ? secret : plain, name, value);
  }
  return { plain, secret, errors };
}

/** Also for errors that become a status, where the rules of no kind hide a value. */
function hidingAt(path: string): Hiding {
  const segments = path.split(".");
  return { fieldRules: [{ path: `/${segments.join("/")}`, rule: "secret", segments }] };
}

function unknownErrors(
  declared: JsonObject,
  given: JsonObject,
  path: string,
): readonly FieldError[] {
  const names = Object.keys(declared);
  const suggest = suggester();
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(declared, name))
    .slice(0, limits.maxSchemaErrors)
    .map((name) => ({
      kind: "unknown" as const,
      path: `${path}.${name}`,
      detail: `no template has the parameter ${shortText(name, 100)}${suggest(name, names)}`,
    }));
}

function placeError(name: string, isSecret: boolean, path: string): FieldError {
  const wrong = isSecret ? "parameters" : "secretParameters";
  const right = isSecret ? "secretParameters" : "parameters";
  const what = isSecret ? "is secret" : "is not secret";
  return forbiddenField(`${path}.${wrong}.${name}`, `the parameter ${what}: state it in ${right}`);
}

/** The declarations of several templates; a later one adds to an earlier one of the same name. */
export function joinedDeclarations(specs: readonly (Json | undefined)[]): JsonObject {
  const joined: MutableJsonObject = {};
  for (const spec of specs) {
    for (const [name, declaration] of Object.entries(objectAt(spec, "parameters"))) {
      const before = getOwn(joined, name);
      const isBoth = isJsonObject(before) && isJsonObject(declaration);
      setOwn(joined, name, isBoth ? { ...before, ...declaration } : declaration);
    }
  }
  return joined;
}
