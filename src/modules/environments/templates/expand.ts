// From templates and parameters to the EnvironmentResources of an Environment: counts expanded,
// dependencies resolved to names, and each with the values that its expressions read. Pure.

import type { FieldError } from "../../../kernel/field-error.ts";
import { duplicateField, invalidField, tooManyItems } from "../../../kernel/field-error.ts";
import { getOwn, setOwn } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { TemplateProblem } from "../../../kernel/template/template.ts";
import { environmentLimits } from "../limits.ts";
import { environmentLabel, indexLabel, resourceLabel, resourceName } from "../names.ts";
import type { CompiledResource, CompiledTemplate } from "./compile.ts";
import { countProblem } from "./entry.ts";
import type { Parameters } from "./parameters.ts";

export interface Deployment {
  /** Of the Environment, as expressions read it: name, displayName, namespace, tags. */
  readonly environment: JsonObject;
  readonly templates: readonly NamedTemplate[];
  readonly parameters: Parameters;
  /** Generated values by name. */
  readonly secrets: JsonObject;
  readonly serviceAccountName: string;
}

export interface NamedTemplate {
  readonly name: string;
  readonly compiled: CompiledTemplate;
}

/** An EnvironmentResource that is wanted. */
export interface Instance {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

export interface Expansion {
  readonly instances: readonly Instance[];
  readonly errors: readonly FieldError[];
}

/** Pauses between entries. */
export function* expand(deployment: Deployment): Sliced<Expansion> {
  const errors: FieldError[] = [...sharedKeys(deployment.templates)];
  const environmentName = textAt(deployment.environment, "name");
  const positions = new Map<string, readonly (number | undefined)[]>();
  const most = environmentLimits.maxEnvironmentResources;
  let total = 0;
  const work = { units: environmentLimits.maxCountUnits };
  for (const { name, compiled } of deployment.templates) {
    for (const { entry } of compiled.entries.values()) {
      yield;
      if (errors.length >= limits.maxSchemaErrors) break;
      const counted = positionsOf({ entry }, deployment, name, work);
      if (typeof counted === "string") {
        errors.push(invalidField("spec.parameters", null, counted));
        continue;
      }
      total += counted.length;
      if (total > most) break;
      positions.set(entry.key, counted);
    }
  }
  if (total > most) errors.push(tooManyItems("spec.templates", total, most));
  if (errors.length > 0) return { instances: [], errors };
  errors.push(...dependencyErrors(deployment.templates, positions));
  if (errors.length > 0) return { instances: [], errors };
  const namesOf = (key: string): readonly string[] =>
    (positions.get(key) ?? []).map((index) => resourceName(environmentName, key, index));
  const instances: Instance[] = [];
  let bytes = 0;
  for (const { name, compiled } of deployment.templates) {
    for (const resource of compiled.entries.values()) {
      yield;
      const own = positions.get(resource.entry.key) ?? [];
      if (own.length === 0) continue;
      const shared = sharedSpec(resource, { deployment, template: name, compiled, namesOf });
      bytes += own.length * JSON.stringify(shared["input"]).length;
      if (bytes > environmentLimits.maxInputBytes) {
        return { instances: [], errors: [tooManyBytes(name)] };
      }
      for (const index of own) {
        instances.push(instanceOf(resource, index, own.length, shared, environmentName));
      }
    }
  }
  return { instances, errors };
}

/** A resource follows its dependencies one by one, and a limited number of them. */
function dependencyErrors(
  templates: readonly NamedTemplate[],
  positions: ReadonlyMap<string, readonly unknown[]>,
): readonly FieldError[] {
  const { maxInstanceDependencies: most, maxReadInstances } = environmentLimits;
  const { maxEnvironmentDependencies } = environmentLimits;
  const sizeOf = (keys: Iterable<string>): number => {
    let size = 0;
    for (const key of keys) size += positions.get(key)?.length ?? 0;
    return size;
  };
  // Each resource stores the names of its dependencies.
  let total = 0;
  const errors = templates.flatMap(({ name, compiled }) =>
    [...compiled.entries.values()].flatMap(({ entry, dependencies }) => {
      const readKeys = entry.reads.flatMap(([root, key = ""]) =>
        root === "resources" ? [key] : [],
      );
      const all = sizeOf(dependencies);
      total += all * (positions.get(entry.key)?.length ?? 0);
      const read = sizeOf(new Set(readKeys));
      if (all <= most && read <= maxReadInstances) return [];
      const what = all > most ? `depends on ${all}` : `reads the outputs of ${read}`;
      const bound = all > most ? most : maxReadInstances;
      const detail = `${name}: ${entry.path} ${what} resources: at most ${bound} are allowed`;
      return [invalidField("spec.parameters", null, detail)];
    }),
  );
  if (errors.length > 0 || total <= maxEnvironmentDependencies) return errors;
  const detail =
    `the resources have ${total} dependencies in all, with all counts: at most ` +
    `${maxEnvironmentDependencies} are allowed`;
  return [invalidField("spec.templates", null, detail)];
}

function tooManyBytes(template: string): FieldError {
  const most = environmentLimits.maxInputBytes;
  const detail =
    `${template}: the resources read more than ${most} bytes of parameters in all: ` +
    "read parts of a large parameter, or use fewer resources";
  return invalidField("spec.parameters", null, detail);
}

/** Resources are found by their keys, so two templates of an Environment cannot have the same. */
function sharedKeys(templates: readonly NamedTemplate[]): readonly FieldError[] {
  const seen = new Map<string, string>();
  const errors: FieldError[] = [];
  templates.forEach(({ name, compiled }, at) => {
    if (templates.findIndex((each) => each.name === name) < at) {
      errors.push(duplicateField(`spec.templates[${at}]`, name));
      return;
    }
    for (const key of compiled.entries.keys()) {
      if (errors.length >= limits.maxSchemaErrors) return;
      const other = seen.get(key);
      if (other !== undefined) {
        const detail = `both ${other} and ${name} have the resource ${key}`;
        errors.push(invalidField(`spec.templates[${at}]`, name, detail));
      }
      seen.set(key, name);
    }
  });
  return errors;
}

/** The positions of an entry; one without a position for an entry without a count. */
function positionsOf(
  { entry }: Pick<CompiledResource, "entry">,
  { parameters, environment }: Deployment,
  template: string,
  work: { units: number },
): readonly (number | undefined)[] | string {
  const { count } = entry;
  if (count === undefined) return [undefined];
  if (typeof count === "number") return Array.from({ length: count }, (_, index) => index);
  try {
    const rendered = count.renderWithin(work.units, {
      parameters: parameters.plain,
      environment,
    });
    work.units -= rendered.units;
    const value = rendered.result;
    const problem = typeof value === "number" ? countProblem(value) : countProblem("");
    if (problem !== undefined) return `${template}: ${entry.path}.count: the value ${problem}`;
    return Array.from({ length: Number(value) }, (_, index) => index);
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return `${template}: ${error.message}`;
  }
}

interface SharedInput {
  readonly deployment: Deployment;
  readonly template: string;
  readonly compiled: CompiledTemplate;
  readonly namesOf: (key: string) => readonly string[];
}

/** The spec that all instances of an entry have. */
function sharedSpec(resource: CompiledResource, input: SharedInput): JsonObject {
  const { deployment, template, compiled, namesOf } = input;
  const { entry, referred, dependencies } = resource;
  const json = entry.json;
  const dependsOn = dependencies.flatMap(namesOf);
  const externals = [...referred.externals].map((name) => compiled.externals.get(name) ?? name);
  const named: MutableJsonObject = {};
  for (const field of ["name", "description", "tags", "group"]) {
    const value = valueAt(json, field);
    if (value !== undefined) setOwn(named, field, value);
  }
  return {
    environment: textAt(deployment.environment, "name"),
    template,
    key: entry.key,
    ...named,
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...(externals.length === 0 ? {} : { externals }),
    input: inputOf(resource, deployment),
    serviceAccountName: deployment.serviceAccountName,
  };
}

/** The values that the expressions read, and no others: another value changes no generation. */
function inputOf({ entry, referred }: CompiledResource, deployment: Deployment): JsonObject {
  const { parameters, secrets, environment } = deployment;
  const plain = picked(parameters.plain, referred.parameters);
  const secret = picked(parameters.secret, referred.parameters);
  const generated = picked(secrets, referred.secrets);
  const read = entry.reads.filter(([root]) => root === "environment");
  const isWhole = read.some(([, name]) => name === undefined || name === "*");
  const names = new Set(read.map(([, name]) => name ?? ""));
  const about = isWhole ? environment : picked(environment, names);
  const hidden = {
    ...(Object.keys(secret).length === 0 ? {} : { parameters: secret }),
    ...(Object.keys(generated).length === 0 ? {} : { secrets: generated }),
  };
  return {
    ...(Object.keys(plain).length === 0 ? {} : { parameters: plain }),
    ...(Object.keys(about).length === 0 ? {} : { environment: about }),
    ...(Object.keys(hidden).length === 0 ? {} : { secrets: hidden }),
  };
}

function picked(from: JsonObject, names: ReadonlySet<string>): JsonObject {
  const found: MutableJsonObject = {};
  for (const name of names) {
    const value = getOwn(from, name);
    if (value !== undefined) setOwn(found, name, value);
  }
  return found;
}

function instanceOf(
  { entry }: CompiledResource,
  index: number | undefined,
  count: number,
  shared: JsonObject,
  environment: string,
): Instance {
  const position = index === undefined ? {} : { index, count };
  return {
    name: resourceName(environment, entry.key, index),
    labels: {
      [environmentLabel]: environment,
      [resourceLabel]: entry.key,
      ...(index === undefined ? {} : { [indexLabel]: String(index) }),
    },
    spec: { ...shared, ...position },
  };
}

/** What expressions read as `environment`. */
export function environmentFacts(metadata: JsonObject, spec: JsonObject): JsonObject {
  const name = textAt(metadata, "name");
  return {
    name,
    namespace: textAt(metadata, "namespace"),
    displayName: textAt(spec, "displayName") || name,
    tags: objectAt(spec, "tags"),
  };
}
