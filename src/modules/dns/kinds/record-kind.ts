// The kind DnsRecord: one record set of a zone. Name and type identify it at the server, so they
// cannot be changed: another name is another DnsRecord.

import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, name, object, text } from "../../../kernel/schema-parts.ts";
import { dnsLimits } from "../limits.ts";
import { recordTypes } from "../names/record-values.ts";
import { readyColumns } from "./columns.ts";
import { dnsGroup } from "./group.ts";

export const recordsKind = `dnsrecords.${dnsGroup}`;
/** The index term by which a zone finds its records. */
export const zoneField = "spec.zone";

const fixed = { "x-setpoint-field-rule": "create-only" };

const spec = object(
  {
    zone: described({ ...name, ...fixed }, "Name of the DnsZone."),
    name: described(
      { ...text, maxLength: 254, ...fixed },
      "Name of the record: relative to the zone, fully qualified, or @ for the zone itself.",
    ),
    type: { ...choice(...recordTypes), ...fixed },
    ttl: {
      type: "integer",
      minimum: 1,
      maximum: dnsLimits.maxTtlSeconds,
      description: "Seconds. Default: defaultTtl of the DnsZone.",
    },
    values: {
      ...list({ type: "string", minLength: 1, maxLength: dnsLimits.maxTextBytes }),
      minItems: 1,
      maxItems: dnsLimits.maxValues,
      description: "IPv4 addresses (A), IPv6 addresses (AAAA), one host name (CNAME), texts (TXT).",
    },
    takeOver: {
      type: "boolean",
      description:
        "Whether to replace a record set that Setpoint did not create. The DnsZone must allow it.",
    },
  },
  ["zone", "name", "type", "values"],
);

const status = object({
  host: described({ type: "string" }, "The fully qualified name, without its last dot."),
  ttl: { type: "integer" },
  values: described(list({ type: "string" }), "The values that the server has."),
});

export const recordDefinition: KindInput = {
  group: dnsGroup,
  names: { plural: "dnsrecords", kind: "DnsRecord", categories: ["dns"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      selectableFields: [`.${zoneField}`],
      printerColumns: [
        { name: "Host", type: "string", jsonPath: ".status.host" },
        { name: "Type", type: "string", jsonPath: ".spec.type" },
        { name: "Values", type: "string", jsonPath: ".status.values" },
        ...readyColumns,
      ],
    },
  ],
};
