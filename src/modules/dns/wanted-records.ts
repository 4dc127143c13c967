// The record set that a DnsRecord wants, from its spec and its zone. Admission has checked the
// spec, against the rules of the version of Setpoint that ran then.

import { ReconcileFailure, failed } from "../../engine/outcome.ts";
import { numberAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { qualifiedName } from "./names/domain-name.ts";
import { canonicalValue, recordTypes } from "./names/record-values.ts";
import type { RecordType } from "./names/record-values.ts";
import type { RecordSetKey, WantedRecords } from "./server/record-set.ts";
import { zoneName } from "./zone-access.ts";

const fallbackTtlSeconds = 300;

export function wantedRecords(record: Resource, zone: Resource): WantedRecords {
  const key = recordSetKey(record, zone);
  const values = textsAt(record, "spec", "values").map((text) => {
    return canonicalValue(key.type, text) ?? unusable("spec.values");
  });
  const ttl =
    numberAt(record, "spec", "ttl") ?? numberAt(zone, "spec", "defaultTtl") ?? fallbackTtlSeconds;
  return { ...key, ttl, values: [...new Set(values)].toSorted() };
}

export function recordSetKey(record: Resource, zone: Resource): RecordSetKey {
  const name = qualifiedName(textAt(record, "spec", "name"), zoneName(zone));
  const type = textAt(record, "spec", "type");
  return {
    name: name ?? unusable("spec.name"),
    type: isRecordType(type) ? type : unusable("spec.type"),
  };
}

export function isRecordType(text: string): text is RecordType {
  return (recordTypes as readonly string[]).includes(text);
}

function unusable(field: string): never {
  const message = `${field} is not valid in this version of Setpoint`;
  throw new ReconcileFailure(failed("Invalid", message, { retry: "never" }));
}
