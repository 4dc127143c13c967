// The checks of a DnsZone that its schema cannot express.

import { selectorFieldErrors } from "../../intents/builtin/syntax-checks.ts";
import { certificatesProblem } from "../../kernel/certificates.ts";
import { forbiddenField, invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { baseUrlProblem, isHttps, isLoopbackHttp } from "../../kernel/secure-url.ts";
import { canonicalName, isWithin, nameRule, qualifiedName } from "./names/domain-name.ts";

export function zoneErrors(zone: Resource): readonly FieldError[] {
  const spec = objectAt(zone, "spec");
  const text = textAt(spec, "zone");
  const name = canonicalName(text);
  const errors = [...urlErrors(textAt(spec, "powerdns", "url")), ...caErrors(spec)];
  const allowed = objectAt(spec, "allow", "namespaces");
  errors.push(...selectorFieldErrors(allowed, "selector", "spec.allow.namespaces"));
  if (name === undefined) return [...errors, invalidField("spec.zone", text, nameRule)];
  return [...errors, ...suffixErrors(spec, name)];
}

/** The API key is sent in every request. */
export function zoneWarnings(spec: JsonObject): readonly string[] {
  const text = textAt(spec, "powerdns", "url");
  if (isHttps(text) || isLoopbackHttp(text)) return [];
  return ["spec.powerdns.url: the API key is sent without encryption; use https"];
}

function urlErrors(text: string): FieldError[] {
  const problem = baseUrlProblem(text);
  // The value may contain a password, which is the mistake.
  return problem === undefined ? [] : [forbiddenField("spec.powerdns.url", problem)];
}

function caErrors(spec: JsonObject): FieldError[] {
  const ca = textAt(spec, "powerdns", "ca");
  const problem = ca === "" ? undefined : certificatesProblem(ca);
  return problem === undefined ? [] : [forbiddenField("spec.powerdns.ca", problem)];
}

function suffixErrors(spec: JsonObject, zone: string): readonly FieldError[] {
  return textsAt(spec, "allow", "suffixes").flatMap((text, index) => {
    const suffix = qualifiedName(text, zone);
    const field = `spec.allow.suffixes[${index}]`;
    if (suffix === undefined) return [invalidField(field, text, nameRule)];
    if (isWithin(suffix, zone)) return [];
    return [invalidField(field, text, `must be a name within the zone ${zone}`)];
  });
}
