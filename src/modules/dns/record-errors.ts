// The checks of a DnsRecord that its schema cannot express: its zone, its name and its values.

import type { SharedFound } from "../../intents/admission/shared-resource.ts";
import { duplicateField, forbiddenField, invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { isTrueAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { isWithin, nameRule, qualifiedName } from "./names/domain-name.ts";
import { canonicalValue, valueRules } from "./names/record-values.ts";
import type { RecordType } from "./names/record-values.ts";
import { isRecordType } from "./wanted-records.ts";
import { zoneName } from "./zone-access.ts";

export function recordErrors(record: Resource, found: SharedFound): readonly FieldError[] {
  const type = textAt(record, "spec", "type");
  // The schema has checked the type.
  const errors = isRecordType(type) ? valueErrors(record, type) : [];
  if (found.kind === "error") return [...errors, found.error];
  const { resource: zone } = found;
  const isTaking = isTrueAt(record, "spec", "takeOver");
  const taking =
    isTaking && !isTrueAt(zone, "spec", "allow", "takeOver")
      ? [forbiddenField("spec.takeOver", "the DnsZone does not have spec.allow.takeOver")]
      : [];
  return [...errors, ...taking, ...nameErrors(record, zone)];
}

function nameErrors(record: Resource, zone: Resource): readonly FieldError[] {
  const text = textAt(record, "spec", "name");
  const within = zoneName(zone);
  const wrong = (detail: string): readonly FieldError[] => {
    return [invalidField("spec.name", text, detail)];
  };
  const name = qualifiedName(text, within);
  if (name === undefined) return wrong(`${nameRule}, or @ for the zone itself`);
  if (!isWithin(name, within)) {
    return wrong(`must be within the zone ${within}; a name without a last dot is relative to it`);
  }
  if (name === within && textAt(record, "spec", "type") === "CNAME") {
    return wrong("the zone itself cannot have a CNAME record, because it has other records");
  }
  const suffixes = textsAt(zone, "spec", "allow", "suffixes");
  const isSuffixed = suffixes.some((suffix) => {
    return isWithin(name, qualifiedName(suffix, within) ?? within);
  });
  if (suffixes.length === 0 || isSuffixed) return [];
  return wrong(`the DnsZone allows only these names and names below them: ${suffixes.join(", ")}`);
}

function valueErrors(record: Resource, type: RecordType): readonly FieldError[] {
  const texts = textsAt(record, "spec", "values");
  const seen = new Set<string>();
  const errors = texts.flatMap((text, index): readonly FieldError[] => {
    const field = `spec.values[${index}]`;
    const value = canonicalValue(type, text);
    if (value === undefined) return [invalidField(field, text, valueRules[type])];
    if (seen.has(value)) return [duplicateField(field, text)];
    seen.add(value);
    return [];
  });
  if (type !== "CNAME" || texts.length <= 1) return errors;
  return [...errors, invalidField("spec.values", [...texts], "a CNAME record has one value")];
}
