// What is wrong with an Offering by itself: each error names the field and the fix. Pure.

import { definitionErrors } from "../../../intents/kinds/definition-check.ts";
import { defaultDefinition } from "../../../intents/kinds/definition-defaults.ts";
import { definitionOfKind } from "../../../intents/kinds/kind-definition.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { duplicateField, forbiddenField, invalidField } from "../../../kernel/field-error.ts";
import { requiredField } from "../../../kernel/field-error.ts";
import { textAt, textsAt } from "../../../kernel/json-read.ts";
import { dnsLabelProblems, subdomainProblems } from "../../../kernel/names.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { instanceKindOf } from "../kinds/instance-kind.ts";
import { fleetGroup } from "../names.ts";
import type { Offering, Provider } from "../offering.ts";
import { preparationsOf } from "./preparation.ts";

export function offeringErrors(resource: Resource, offering: Offering): readonly FieldError[] {
  return [
    ...nameErrors(offering),
    ...typeErrors(offering),
    ...providerErrors(offering),
    ...kindErrors(offering),
    ...preparationsOf(offering).errors,
    ...urlErrors(resource),
    ...quotaErrors(offering),
  ];
}

function nameErrors({ name, domain, instances }: Offering): readonly FieldError[] {
  const errors = dnsLabelProblems(name).map((why) => invalidField("metadata.name", name, why));
  if (domain !== undefined) {
    errors.push(
      ...subdomainProblems(domain).map((why) => invalidField("spec.domain", domain, why)),
    );
  }
  if (instances.group === fleetGroup || !instances.group.includes(".")) {
    const why = `must be a domain name of your own, such as ${instances.plural}.example.dev`;
    errors.push(invalidField("spec.instances.group", instances.group, why));
  }
  return errors;
}

function typeErrors({ types }: Offering): readonly FieldError[] {
  const names = types.map(({ name }) => name);
  return repeated(names).map((at) => duplicateField(`spec.types[${at}].name`, names[at] ?? ""));
}

function providerErrors({ providers, types }: Offering): readonly FieldError[] {
  const errors: FieldError[] = [];
  const ids = providers.map(({ id }) => id);
  for (const at of repeated(ids)) {
    errors.push(duplicateField(`spec.providers[${at}].id`, ids[at] ?? ""));
  }
  errors.push(...defaultErrors(providers, "spec.providers", "provider"));
  const known = new Set(types.map(({ name }) => name));
  for (const [at, provider] of providers.entries()) {
    errors.push(...regionErrors(provider, `spec.providers[${at}].regions`, known));
  }
  return errors;
}

function regionErrors(
  { regions }: Provider,
  path: string,
  known: ReadonlySet<string>,
): readonly FieldError[] {
  const ids = regions.map(({ id }) => id);
  const errors: FieldError[] = repeated(ids).map((at) =>
    duplicateField(`${path}[${at}].id`, ids[at] ?? ""),
  );
  errors.push(...defaultErrors(regions, path, "region"));
  for (const [at, { types }] of regions.entries()) {
    const names = types.map(({ name }) => name);
    if (names.length === 0) {
      const why = "name a type of spec.types, or set enabled of the region to false";
      errors.push(requiredField(`${path}[${at}].types`, why));
    }
    for (const [index, name] of names.entries()) {
      const field = `${path}[${at}].types[${index}].name`;
      if (!known.has(name)) errors.push(invalidField(field, name, "is not a type in spec.types"));
      else if (names.indexOf(name) !== index) errors.push(duplicateField(field, name));
    }
  }
  return errors;
}

function defaultErrors(
  all: readonly { readonly isDefault: boolean; readonly isEnabled: boolean }[],
  path: string,
  what: string,
): readonly FieldError[] {
  const defaults = [...all.entries()].filter(([, { isDefault }]) => isDefault);
  const [first, second] = defaults;
  if (first === undefined) {
    return [requiredField(path, `set isDefault to true for exactly one ${what}`)];
  }
  if (second !== undefined) {
    const why = `only one ${what} can be the default: ${path}[${first[0]}] is, too`;
    return [forbiddenField(`${path}[${second[0]}].isDefault`, why)];
  }
  if (first[1].isEnabled) return [];
  return [
    forbiddenField(`${path}[${first[0]}].isDefault`, `a disabled ${what} cannot be the default`),
  ];
}

/** Errors of the definition of the instance kind, at the fields of the Offering they come from. */
function kindErrors(offering: Offering): readonly FieldError[] {
  const { parameters } = offering.instances;
  if (parameters !== undefined && textAt(parameters, "type") !== "object") {
    return [requiredField("spec.instances.parameters.type", "must be object")];
  }
  try {
    const definition = defaultDefinition(definitionOfKind(instanceKindOf(offering)));
    return definitionErrors(definition).map((error) => atOwnPath(error));
  } catch (error) {
    if (!isSetpointError(error, "resource.invalid")) throw error;
    return [forbiddenField("spec.instances", error.message)];
  }
}

function atOwnPath(error: FieldError): FieldError {
  return { ...error, path: ownPath(error.path) };
}

function ownPath(path: string): string {
  const [, rest] = /^spec\..*properties\[spec\]\.properties\[parameters\](.*)$/.exec(path) ?? [];
  if (rest !== undefined) return `spec.instances.parameters${rest}`;
  const [, name] = /^spec\.names\.(\w+)/.exec(path) ?? [];
  return name === undefined ? "spec.instances" : `spec.instances.${name}`;
}

function urlErrors({ spec }: Resource): readonly FieldError[] {
  const issuers = ["public", "admin", "agent"].flatMap((part) =>
    textsAt(spec, "api", part, "issuers").map((url, at): [string, string] => [
      `spec.api.${part}.issuers[${at}]`,
      url,
    ]),
  );
  const others: readonly [string, string][] = [
    ["spec.terms.url", textAt(spec, "terms", "url")],
    ["spec.quota.http.url", textAt(spec, "quota", "http", "url")],
    ["spec.metrics.prometheus.url", textAt(spec, "metrics", "prometheus", "url")],
  ];
  return [...issuers, ...others].flatMap(([path, url]) =>
    url === "" || isHttpUrl(url) ? [] : [invalidField(path, url, "must be an http or https URL")],
  );
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function quotaErrors({ quota }: Offering): readonly FieldError[] {
  const isMissing = quota.backend === "http" && quota.http === undefined;
  return isMissing ? [requiredField("spec.quota.http", "spec.quota.backend is http")] : [];
}

/** The positions of texts that occurred before. */
function repeated(texts: readonly string[]): readonly number[] {
  return [...texts.entries()].flatMap(([at, text]) => (texts.indexOf(text) === at ? [] : [at]));
}
