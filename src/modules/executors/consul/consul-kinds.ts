// ConsulServer (cluster-wide, for administrators: it decides where a token is sent), ConsulKeys
// (keys of one resource, changed together) and ConsulService (the health of a service, read only).

import type { DeclaredKind } from "../../../contract/module.ts";
import { allowedNamespaces } from "../../../kernel/allowed-namespaces.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, map, name, object } from "../../../kernel/schema-parts.ts";
import { readyColumns } from "../columns.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { driftPolicySchema, targetStatus } from "../target/drift.ts";
import { secretRefSchema } from "../target/secret-reference.ts";

export const consulServersKind = `consulservers.${executorsGroup}`;
export const consulKeysKind = `consulkeys.${executorsGroup}`;
export const consulServicesKind = `consulservices.${executorsGroup}`;
/** As a resource that others use. */
export const sharedConsul = { kind: consulServersKind, word: "ConsulServer" } as const;
/** The index term by which a ConsulServer finds its users. */
export const serverField = "spec.server";

const fixed = { "x-setpoint-field-rule": "create-only" };
const index = { type: "integer", minimum: 0 };
const digest = { type: "string", maxLength: 64 };
const key = { type: "string", minLength: 1, maxLength: 512 };
const datacenter = { type: "string", pattern: "^[A-Za-z0-9_-]*$", maxLength: 64 };

const serverSpec = object(
  {
    url: described(
      { type: "string", pattern: "^https?://", maxLength: 2_048 },
      "Where the API begins, without /v1: https://consul.example:8501",
    ),
    datacenter: described(datacenter, "Default: the datacenter of the server."),
    token: described(secretRefSchema, "The ACL token, in a Secret."),
    ca: described(
      { type: "string", maxLength: 65_536 },
      "Additional trusted certificate authorities, as PEM.",
    ),
    resyncSeconds: described(
      { type: "integer", minimum: 5, maximum: 86_400, default: executorLimits.resyncSeconds },
      "How often keys are compared with the server.",
    ),
    allow: described(
      object({
        namespaces: allowedNamespaces,
        prefixes: described(
          list(key, 100),
          "Keys must begin with one of these. {namespace} is the namespace of the ConsulKeys.",
        ),
        takeOver: described(
          { type: "boolean" },
          "Whether ConsulKeys may replace keys that Setpoint did not create.",
        ),
      }),
      "Who may use the server for which keys. Without it, no namespace may.",
    ),
  },
  ["url"],
);

const values = map(
  { type: "string", maxLength: executorLimits.maxConsulBytes },
  executorLimits.maxConsulOperations,
);

const keysSpec = object(
  {
    server: described({ ...name, ...fixed }, "Name of the ConsulServer."),
    prefix: described(
      { type: "string", maxLength: 512, ...fixed },
      "Before every key. Keys below it that are not in the spec are reported as unexpected.",
    ),
    keys: described(values, "Values by key."),
    secretKeys: described(
      { ...values, "x-setpoint-field-rule": "secret" },
      "Values by key that are never shown.",
    ),
    takeOver: described(
      { type: "boolean" },
      "Whether to replace keys that Setpoint did not create. The ConsulServer must allow it.",
    ),
    driftPolicy: driftPolicySchema,
  },
  ["server"],
);

const keysStatus = object({
  ...targetStatus,
  applied: described(digest, "Digest of the keys and values that were written last."),
  keys: described(
    list(object({ key, createIndex: index, modifyIndex: index, digest }), 1_000),
    "The keys as they were after the last write.",
  ),
  intended: described(map(digest, 1_000), "Digests of values that a running write sets."),
});

const serviceSpec = object(
  {
    server: described({ ...name, ...fixed }, "Name of the ConsulServer."),
    service: described({ ...name, ...fixed }, "Name of the service in Consul."),
    tag: described({ type: "string", maxLength: 253 }, "Only instances with this tag."),
    datacenter: described(datacenter, "Default: that of the ConsulServer."),
  },
  ["server", "service"],
);

const healthWords = ["passing", "warning", "critical", "maintenance", "absent"] as const;

const serviceStatus = object({
  outputs: targetStatus["outputs"] ?? {},
  health: described(choice(...healthWords), "The best health of an instance."),
  instances: list(
    object({
      node: { type: "string" },
      address: { type: "string" },
      port: { type: "integer" },
      health: choice(...healthWords),
    }),
    executorLimits.maxConsulInstances,
  ),
});

const columns = {
  server: { name: "Server", type: "string", jsonPath: ".spec.server" },
  drift: { name: "Drift", type: "string", jsonPath: ".status.drift.state" },
} as const;

const serverKind: KindInput = {
  group: executorsGroup,
  names: { plural: "consulservers", kind: "ConsulServer", categories: ["executors"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: serverSpec, status: object({ leader: { type: "string" } }) }, [
        "spec",
      ]),
      printerColumns: [
        { name: "URL", type: "string", jsonPath: ".spec.url" },
        { name: "Leader", type: "string", jsonPath: ".status.leader" },
        ...readyColumns,
      ],
    },
  ],
};

const keysKind: KindInput = {
  group: executorsGroup,
  names: {
    plural: "consulkeys",
    singular: "consulkeyset",
    kind: "ConsulKeys",
    categories: ["executors"],
  },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: keysSpec, status: keysStatus }, ["spec"]),
      selectableFields: [`.${serverField}`],
      printerColumns: [
        columns.server,
        { name: "Prefix", type: "string", jsonPath: ".spec.prefix" },
        columns.drift,
        ...readyColumns,
      ],
    },
  ],
};

const serviceKind: KindInput = {
  group: executorsGroup,
  names: { plural: "consulservices", kind: "ConsulService", categories: ["executors"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: serviceSpec, status: serviceStatus }, ["spec"]),
      selectableFields: [`.${serverField}`],
      printerColumns: [
        columns.server,
        { name: "Service", type: "string", jsonPath: ".spec.service" },
        { name: "Health", type: "string", jsonPath: ".status.health" },
        ...readyColumns,
      ],
    },
  ],
};

export const consulKinds: readonly DeclaredKind[] = [
  { kind: serverKind, isReconciled: true, isQuiet: true },
  { kind: keysKind, isReconciled: true },
  { kind: serviceKind, isReconciled: true },
];
