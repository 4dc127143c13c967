// What is wrong with the spec of an Environment, given its templates. Pure.

import type { FieldError } from "../../../kernel/field-error.ts";
import { forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import type { EnvironmentsConfiguration } from "../configuration.ts";
import { defaultServiceAccount } from "../environment/environment.ts";
import { environmentFacts, expand } from "../templates/expand.ts";
import type { NamedTemplate } from "../templates/expand.ts";
import { checkParameters, joinedDeclarations } from "../templates/parameters.ts";

/** Templates by the names in the spec; undefined for one that does not exist. */
export type FoundTemplates = readonly (NamedTemplate | undefined)[];

/** Pauses between entries. */
export function* deploymentErrors(
  metadata: JsonObject,
  spec: JsonObject,
  found: FoundTemplates,
): Sliced<readonly FieldError[]> {
  const names = textsAt(spec, "templates");
  const errors = names.flatMap((name, at) => {
    if (found[at] !== undefined) return [];
    const detail = "there is no Template of this name in the namespace";
    return [invalidField(`spec.templates[${at}]`, name, detail)];
  });
  if (errors.length > 0) return errors;
  const templates = found.filter((each) => each !== undefined);
  const given = {
    plain: objectAt(spec, "parameters"),
    secret: objectAt(spec, "secretParameters"),
  };
  const declared = joinedDeclarations(templates.map(({ compiled }) => compiled.spec));
  const parameters = yield* checkParameters(declared, given, "spec");
  if (parameters.errors.length > 0) return parameters.errors;
  const expansion = yield* expand({
    environment: environmentFacts(metadata, spec),
    templates,
    parameters,
    secrets: {},
    serviceAccountName: textAt(spec, "serviceAccountName") || defaultServiceAccount,
  });
  return expansion.errors;
}

/** Its name is a part of the names and a value of the labels of its resources. */
export function nameErrors({ metadata }: Resource): readonly FieldError[] {
  const { name } = metadata;
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return [];
  const detail = "must have at most 63 lower-case letters, digits and dashes";
  return [invalidField("metadata.name", name, detail)];
}

export interface Lifetime {
  /** Seconds from the creation; 0: none. */
  readonly defaultSeconds: number;
  readonly maximumSeconds: number;
}

/** The strictest of the templates and the configuration. */
export function lifetimeOf(
  templates: readonly JsonObject[],
  configuration: EnvironmentsConfiguration,
): Lifetime {
  const of = (field: string, fallback: number): number => {
    const given = templates.map((spec) => numberAt(spec, "lifetime", field) ?? 0);
    const stated = given.filter((value) => value > 0);
    return stated.length > 0 ? Math.min(...stated) : fallback;
  };
  const maxima = [configuration.maximumLifetimeSeconds, of("maximumSeconds", 0)];
  const positive = maxima.filter((value) => value > 0);
  const maximumSeconds = positive.length === 0 ? 0 : Math.min(...positive);
  const wanted = of("defaultSeconds", configuration.defaultLifetimeSeconds);
  const defaultSeconds = wanted === 0 ? maximumSeconds : wanted;
  const isCut = maximumSeconds > 0 && defaultSeconds > maximumSeconds;
  return { defaultSeconds: isCut ? maximumSeconds : defaultSeconds, maximumSeconds };
}

export function lifetimeErrors(
  spec: JsonObject,
  { maximumSeconds }: Lifetime,
  createdMs: number,
): readonly FieldError[] {
  const at = textAt(spec, "plannedDestruction", "at");
  if (maximumSeconds === 0) return [];
  const path = "spec.plannedDestruction.at";
  const latestMs = createdMs + maximumSeconds * 1_000;
  if (at === "") {
    return [forbiddenField(path, `must be set: the maximum lifetime is ${maximumSeconds} s`)];
  }
  if (Date.parse(at) <= latestMs + 1_000) return [];
  const latest = new Date(latestMs).toISOString();
  const detail = `must not be after ${latest}: the maximum lifetime is ${maximumSeconds} s`;
  return [invalidField(path, at, detail)];
}

/** Whether a user may do what a template restricts. */
export function isPermitted(
  spec: JsonObject,
  verb: "deploy" | "approve" | "destroy",
  user: { readonly name: string; readonly groups: readonly string[] },
): boolean {
  const permissions = objectAt(spec, "permissions");
  if (!Object.hasOwn(permissions, verb)) return true;
  const users = textsAt(permissions, verb, "users");
  const groups = textsAt(permissions, verb, "groups");
  return users.includes(user.name) || groups.some((group) => user.groups.includes(group));
}
