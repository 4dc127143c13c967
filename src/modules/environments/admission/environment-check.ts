// What is wrong with the spec of an Environment, given its templates. Pure.

import type { FieldError } from "../../../kernel/field-error.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import { defaultServiceAccount } from "../environment/environment.ts";
import { environmentLimits } from "../limits.ts";
import { environmentLinks, linkErrors } from "../templates/compile.ts";
import { environmentFacts, expand } from "../templates/expand.ts";
import type { NamedTemplate } from "../templates/expand.ts";
import { checkParameters, joinedDeclarations } from "../templates/parameters.ts";
import { joinedKnown } from "../templates/references.ts";

/** Templates by the names in the spec; undefined for one that does not exist. */
export interface FoundTemplates {
  readonly found: readonly (NamedTemplate | undefined)[];
  /** Why there is no Template of a name. */
  readonly missing: (name: string) => string;
}

/** Pauses between entries. */
export function* deploymentErrors(
  metadata: JsonObject,
  spec: JsonObject,
  { found, missing }: FoundTemplates,
): Sliced<readonly FieldError[]> {
  const names = textsAt(spec, "templates");
  const errors = names.flatMap((name, at) => {
    if (found[at] !== undefined) return [];
    return [invalidField(`spec.templates[${at}]`, name, missing(name))];
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
  return [...expansion.errors, ...ownLinkErrors(spec, templates)];
}

/** What is wrong with the entry points and status endpoints of the Environment itself. */
export function ownLinkErrors(
  spec: JsonObject,
  templates: readonly NamedTemplate[],
): readonly FieldError[] {
  const { links, endpoints, errors } = environmentLinks(spec, "spec");
  if (errors.length > 0) return errors;
  const known = joinedKnown(templates.map(({ compiled }) => compiled.known));
  return linkErrors([...links, ...endpoints], known);
}

/** A shorter interval would be lengthened without a word. */
export function driftErrors(spec: JsonObject): readonly FieldError[] {
  const seconds = numberAt(spec, "drift", "checkSeconds") ?? 0;
  const { minDriftSeconds } = environmentLimits;
  if (seconds === 0 || seconds >= minDriftSeconds) return [];
  const detail = `must be 0, or at least ${minDriftSeconds}`;
  return [invalidField("spec.drift.checkSeconds", seconds, detail)];
}

/** Its name is a part of the names and a value of the labels of its resources. */
export function nameErrors({ metadata }: Resource): readonly FieldError[] {
  const { name } = metadata;
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) return [];
  const detail = "must have at most 63 lower-case letters, digits and dashes";
  return [invalidField("metadata.name", name, detail)];
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
