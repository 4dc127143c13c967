// PowerDNS as a person describes it who reads its manual: a connection, and kinds with their
// bindings. A zone is named by us and changed by a PUT that takes parts; a record set is an element
// of its zone, changed by commands; a key has an id that the service makes of its name, and a
// secret. The kinds that an import proposes from the service's own document are tested beside them.
import type { JsonObject } from "../../src/kernel/json.ts";
import {
  connectSchema,
  managedStatusSchema,
} from "../../src/modules/connect/kinds/managed-schema.ts";
import { powerDnsBase, powerDnsKey } from "../peers/powerdns.ts";

export const group = "dns.tests.dev";
export const apiVersion = `${group}/v1`;

export interface ConnectionOptions {
  readonly url: string;
  readonly name?: string;
  readonly timeoutSeconds?: number;
  readonly more?: JsonObject;
}

export function powerDnsConnection({
  url,
  name = "pdns",
  // A busy machine must not look like a service that does not answer.
  timeoutSeconds = 15,
  more = {},
}: ConnectionOptions): readonly JsonObject[] {
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "pdns", namespace: "default" },
      stringData: { key: powerDnsKey },
    },
    {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name },
      spec: {
        baseUrl: `${url}${powerDnsBase}`,
        secretNamespace: "default",
        auth: { kind: "apiKey", secret: "pdns", name: "X-API-Key" },
        timeoutSeconds,
        // One bad moment must not make the others wait, unless a test is about that.
        breaker: { failures: 1_000 },
        ...more,
      },
    },
  ];
}

const text = { type: "string" };
const texts = { type: "array", items: text };

export const zoneKind = definition("Zone", {
  type: "object",
  required: ["name"],
  properties: {
    name: { ...text, "x-setpoint-field-rule": "create-only" },
    kind: text,
    account: text,
    masters: texts,
    nameservers: { ...texts, "x-setpoint-field-rule": "create-only" },
    soa_edit_api: text,
    api_rectify: { type: "boolean" },
  },
});

export const zoneBinding = restKind("zones", {
  connection: "pdns",
  item: "/servers/{server_id}/zones/{zone_id}",
  collection: "/servers/{server_id}/zones",
  identity: { kind: "client", field: "/name", parameter: "zone_id" },
  parameters: { server_id: { value: "localhost" } },
  operations: {
    read: { method: "GET", query: { rrsets: "false" } },
    list: { method: "GET" },
    create: { method: "POST" },
    replace: { method: "PUT" },
    delete: { method: "DELETE" },
  },
  fields: [
    ...["id", "url", "serial", "edited_serial", "notified_serial", "last_check", "dnssec"].map(
      (name) => ({ path: `/${name}`, class: "read-only", from: "override" }),
    ),
    { path: "/name", class: "create-only", from: "override" },
    { path: "/nameservers", class: "create-only", from: "override" },
  ],
  resyncSeconds: 3_600,
});

export const recordKind = definition("Record", {
  type: "object",
  required: ["name", "type"],
  properties: {
    name: { ...text, "x-setpoint-field-rule": "create-only" },
    type: { ...text, "x-setpoint-field-rule": "create-only" },
    ttl: { type: "integer", minimum: 1 },
    records: {
      type: "array",
      items: {
        type: "object",
        required: ["content"],
        properties: { content: text, disabled: { type: "boolean" } },
      },
    },
  },
});

export const recordBinding = restKind("records", {
  connection: "pdns",
  item: "/servers/{server_id}/zones/{zone_id}",
  identity: { kind: "composite", fields: { name: "/name", type: "/type" } },
  parent: { kind: `zones.${group}`, path: "/servers/{server_id}/zones/{zone_id}" },
  parameters: { server_id: { value: "localhost" } },
  operations: {
    read: { method: "GET" },
    patch: { method: "PATCH", style: "set" },
  },
  element: {
    list: "/rrsets",
    keys: ["/name", "/type"],
    command: { field: "changetype", put: "REPLACE", delete: "DELETE" },
  },
  fields: [
    { path: "/name", class: "create-only", from: "override" },
    { path: "/type", class: "create-only", from: "override" },
  ],
  lists: [{ path: "/records", keys: ["/content"] }],
  resyncSeconds: 3_600,
});

export const keyKind = definition("TsigKey", {
  type: "object",
  required: ["name", "algorithm"],
  properties: {
    name: { ...text, "x-setpoint-field-rule": "create-only" },
    algorithm: text,
    key: { ...text, "x-setpoint-field-rule": "secret" },
  },
});

export const keyBinding = restKind("tsigkeys", {
  connection: "pdns",
  item: "/servers/{server_id}/tsigkeys/{tsigkey_id}",
  collection: "/servers/{server_id}/tsigkeys",
  identity: { kind: "server", field: "/id", parameter: "tsigkey_id" },
  parameters: { server_id: { value: "localhost" } },
  operations: {
    read: { method: "GET" },
    list: { method: "GET" },
    create: { method: "POST" },
    replace: { method: "PUT" },
    delete: { method: "DELETE" },
  },
  fields: [
    { path: "/id", class: "read-only", from: "override" },
    { path: "/type", class: "read-only", from: "override" },
    { path: "/name", class: "create-only", from: "override" },
    { path: "/key", class: "writable", isSecret: true, from: "override" },
  ],
  resyncSeconds: 3_600,
});

/** A key of DNSSEC: the service numbers it, and makes another one each time it is asked. */
export const cryptoKind = definition("CryptoKey", {
  type: "object",
  required: ["keytype"],
  properties: {
    keytype: { ...text, "x-setpoint-field-rule": "create-only" },
    algorithm: { ...text, "x-setpoint-field-rule": "create-only" },
    active: { type: "boolean" },
    published: { type: "boolean" },
  },
});

export const cryptoBinding = restKind("cryptokeys", {
  connection: "pdns",
  item: "/servers/{server_id}/zones/{zone_id}/cryptokeys/{cryptokey_id}",
  collection: "/servers/{server_id}/zones/{zone_id}/cryptokeys",
  identity: { kind: "server", field: "/id", parameter: "cryptokey_id" },
  parent: { kind: `zones.${group}`, path: "/servers/{server_id}/zones/{zone_id}" },
  parameters: { server_id: { value: "localhost" } },
  operations: {
    read: { method: "GET" },
    list: { method: "GET" },
    create: { method: "POST" },
    replace: { method: "PUT", takes: ["active", "published"] },
    delete: { method: "DELETE" },
  },
  fields: [
    ...["id", "type", "flags", "dnskey", "ds", "cds", "privatekey", "bits"].map((name) => ({
      path: `/${name}`,
      class: "read-only",
      from: "override",
    })),
    { path: "/keytype", class: "create-only", from: "override" },
    { path: "/algorithm", class: "create-only", from: "override" },
  ],
  resyncSeconds: 3_600,
});

export function definition(kind: string, spec: JsonObject): JsonObject {
  const plural = `${kind.toLowerCase()}s`;
  const properties = { spec, connect: connectSchema, status: managedStatusSchema };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase() },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties } },
        },
      ],
    },
  };
}

export function restKind(plural: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "RestKind",
    metadata: { name: `${plural}.${group}` },
    spec,
  };
}
