// The kind DnsZone: a zone of a PowerDNS server, and who may put records into it. Only
// administrators create one, because it decides where an API key is sent.

import { allowedNamespaces } from "../../../kernel/allowed-namespaces.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { described, list, name, object, text } from "../../../kernel/schema-parts.ts";
import { dnsLimits } from "../limits.ts";
import { dnsGroup } from "./group.ts";
import { readyColumns } from "./columns.ts";

export const zonesKind = `dnszones.${dnsGroup}`;
/** As a resource that others use. */
export const sharedZone = { kind: zonesKind, word: "DnsZone" } as const;

const ttl = { type: "integer", minimum: 1, maximum: dnsLimits.maxTtlSeconds };

const secretRef = object({ namespace: name, name, key: text }, ["namespace", "name", "key"]);

const powerdns = object(
  {
    url: described(
      { type: "string", pattern: "^https?://", maxLength: 2_048 },
      "Where the API of the server begins, without /api/v1: https://dns.example:8081",
    ),
    server: described(
      { type: "string", pattern: "^[A-Za-z0-9._-]+$", maxLength: 253, default: "localhost" },
      "Name of the server in its own API. PowerDNS has only localhost.",
    ),
    apiKey: described(object({ secretRef }, ["secretRef"]), "The API key, in a Secret."),
    ca: {
      type: "string",
      maxLength: 65_536,
      description: "Additional trusted certificate authorities, as PEM.",
    },
  },
  ["url", "apiKey"],
);

const allow = described(
  object({
    namespaces: allowedNamespaces,
    suffixes: described(
      list(name, 100),
      "Names within the zone. Records must have one of these names or a name below one.",
    ),
    takeOver: {
      type: "boolean",
      description: "Whether records may replace record sets that Setpoint did not create.",
    },
  }),
  "Who may put which records into the zone. Without it, no namespace may.",
);

const spec = object(
  {
    zone: described(
      { ...name, "x-setpoint-field-rule": "create-only" },
      "Name of the zone, such as dinosaurs.example.",
    ),
    powerdns,
    defaultTtl: { ...ttl, default: 300, description: "Seconds, for records without a ttl." },
    resyncSeconds: {
      type: "integer",
      minimum: 5,
      maximum: 86_400,
      default: dnsLimits.resyncSeconds,
      description: "How often records are compared with the server.",
    },
    allow,
    isRemoved: {
      type: "boolean",
      description:
        "The zone was removed from the server with its records: a DnsRecord can be deleted.",
    },
  },
  ["zone", "powerdns"],
);

const status = object({
  serial: described({ type: "integer" }, "Serial of the zone when it was last read."),
  kind: described({ type: "string" }, "How the server has the zone, such as Native."),
});

export const zoneDefinition: KindInput = {
  group: dnsGroup,
  names: { plural: "dnszones", kind: "DnsZone", categories: ["dns"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      printerColumns: [
        { name: "Zone", type: "string", jsonPath: ".spec.zone" },
        { name: "Serial", type: "integer", jsonPath: ".status.serial" },
        ...readyColumns,
      ],
    },
  ],
};
