// The kind Offering: a managed service as data. Declaring one creates the kind of its instances and
// its three REST APIs. Only administrators create one.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import {
  anything,
  choice,
  described,
  list,
  map,
  name,
  object,
  text,
} from "../../../kernel/schema-parts.ts";
import { fleetLimits } from "../limits.ts";
import { fleetGroup } from "../names.ts";
import { readyColumns, seconds, secretKey } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };
const label: JsonObject = {
  type: "string",
  maxLength: 63,
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
};

/**
 * Without a default in the schema, as every field of a list item: `kubectl apply` replaces a list
 * that has other fields than the applied one, and shows an unchanged Offering as configured.
 */
const enabled = described(flag, "Default: true.");

const instances = object(
  {
    group: described(name, "API group of the instance kind, such as dinosaurs.example.dev."),
    kind: { type: "string", pattern: "^[A-Z][A-Za-z0-9]{0,62}$" },
    plural: { type: "string", pattern: "^[a-z][a-z0-9]{0,55}$" },
    singular: { type: "string", pattern: "^[a-z][a-z0-9]{0,55}$" },
    shortNames: list(label, 5),
    parameters: described(
      anything,
      "OpenAPI schema of spec.parameters of an instance. Absent: an instance has no parameters.",
    ),
  },
  ["group", "kind", "plural"],
);

const instanceType = object(
  {
    name: label,
    quota: described(
      choice("required", "none"),
      "required: for callers with a quota for this type. none: for all other callers.",
    ),
    enabled,
    onePerOwner: described(flag, "Each owner may have one instance of this type at a time."),
    lifespanSeconds: described(seconds, "Instances are removed this long after their creation."),
    units: described({ type: "integer", minimum: 1, maximum: 1_000 }, "Capacity of one instance."),
  },
  ["name", "quota"],
);

const region = object(
  {
    id: text,
    displayName: text,
    isDefault: flag,
    enabled,
    types: described(
      list(
        object({ name: label, limit: { type: "integer", minimum: 0, maximum: 1_000_000 } }, [
          "name",
        ]),
        20,
      ),
      "Types of instances that the region offers, each with an optional limit.",
    ),
  },
  ["id", "types"],
);

const provider = object(
  {
    id: text,
    displayName: text,
    isDefault: flag,
    enabled,
    regions: { ...list(region, 200), minItems: 1 },
  },
  ["id", "regions"],
);

const preparation = object(
  {
    name: label,
    phase: described(
      choice("preparing", "routes"),
      "preparing: before the agent starts. routes: when the agent has reported its routes.",
    ),
    forEach: described(choice("instance", "route"), "One resource, or one for each route."),
    template: described(
      { type: "object", ...anything },
      "A resource in the namespace of the organisation. A text of the form ${...} is CEL over " +
        "instance, cluster, organisation, offering and route.",
    ),
    readyWhen: described(text, "CEL over `resource`. Default: its condition Ready is True."),
  },
  ["name", "template"],
);

const apiClass = {
  issuers: described(
    list(text, 20),
    "Issuers whose tokens this API accepts. Absent: every user that the server authenticates.",
  ),
};

const claims = described(
  object({
    user: text,
    organisation: list(text, 5),
    account: text,
    isOrganisationAdmin: text,
    roles: text,
    cluster: text,
  }),
  "Keys in the extra information of a user, by meaning. Defaults: see the reference.",
);

const api = object({
  claims,
  public: object({
    ...apiClass,
    requestsPerSecond: described(
      { type: "integer", minimum: 1, maximum: 100_000 },
      "Requests of one organisation, for each server. Default: 50, with bursts of ten seconds.",
    ),
  }),
  admin: object({
    ...apiClass,
    roles: object({ read: list(text, 20), write: list(text, 20), full: list(text, 20) }),
  }),
  agent: object({
    issuers: described(
      list(text, 20),
      "Issuers whose tokens with the role are agents. Absent: only ServiceAccounts of clusters.",
    ),
    role: text,
  }),
});

const access = object({
  isInMaintenance: described(flag, "Only the allowed organisations may use the public API."),
  allowedOrganisations: list(text, 10_000),
  deniedUsers: list(text, 10_000),
});

const quota = object({
  backend: choice("list", "http"),
  http: object(
    {
      url: text,
      token: secretKey,
      timeoutSeconds: { type: "integer", minimum: 1, maximum: 30 },
      onOutage: described(
        choice("refuse", "withoutQuota"),
        "refuse: creations fail. withoutQuota: callers get a type that needs no quota.",
      ),
    },
    ["url"],
  ),
});

const timeouts = object({
  creation: described(seconds, "accepted, preparing and provisioning together. Default: 3600."),
  placement: described(seconds, "accepted without a cluster. Default: 3600."),
  versions: described(seconds, "accepted on a cluster without a usable version. Default: 300."),
  preparation: described(seconds, "preparing while external systems fail. Default: 300."),
});

const suspension = object({
  deniedGrace: described(
    seconds,
    "From suspension of a denied owner to removal. Default: 14 days.",
  ),
  expiryGrace: described(seconds, "From expiry to removal. Default: 14 days."),
  expiresWithoutQuota: described(
    flag,
    "An instance expires while its owner has no quota for its type, in the backend list.",
  ),
  maxRemovalsPerHour: described(
    { type: "integer", minimum: 0, maximum: 1_000_000 },
    "Further removals of denied and expired instances are delayed. Default: 20.",
  ),
});

const metrics = object({
  prometheus: object({ url: text, token: secretKey }, ["url"]),
  queries: list(object({ name: text, query: text }, ["name", "query"]), 100),
  labels: described(list(text, 50), "Labels that customers see."),
});

const spec: JsonObject = object(
  {
    displayName: text,
    instances,
    types: { ...list(instanceType, 20), minItems: 1 },
    providers: { ...list(provider, 50), minItems: 1 },
    requiresMultiAz: flag,
    terms: object({ version: text, url: text }, ["version"]),
    access,
    quota,
    maxInstances: { type: "integer", minimum: 0, maximum: 10_000_000 },
    domain: described(text, "Domain of hosts. Absent: the domain of the cluster."),
    preparations: list(preparation, fleetLimits.maxPreparations),
    timeouts,
    suspension,
    retention: described(
      seconds,
      "How long the record of a deleted instance is kept. Default: 7 days.",
    ),
    agent: object({
      applies: object({ apiVersion: text, kind: text }, ["apiVersion", "kind"]),
      pollSeconds: { type: "integer", minimum: 1, maximum: 3_600 },
      resyncSeconds: { type: "integer", minimum: 1, maximum: 86_400 },
    }),
    api,
    metrics,
    documentation: described(text, "A text for the documentation pages of the APIs."),
  },
  ["instances", "types", "providers"],
);

const status: JsonObject = object({
  endpoints: map(text, 10),
  instances: map({ type: "integer" }, 20),
  regions: list(
    object({
      provider: text,
      region: text,
      type: text,
      capacity: { type: "integer" },
      used: { type: "integer" },
    }),
    10_000,
  ),
});

export const offeringKind: KindInput = {
  group: fleetGroup,
  names: { plural: "offerings", kind: "Offering", categories: ["fleet"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      printerColumns: [
        { name: "Instances", type: "string", jsonPath: ".spec.instances.kind" },
        { name: "Ready Instances", type: "integer", jsonPath: ".status.instances.ready" },
        { name: "Failed Instances", type: "integer", jsonPath: ".status.instances.failed" },
        { name: "API", type: "string", jsonPath: ".status.endpoints.public" },
        ...readyColumns,
      ],
    },
  ],
  fieldRules: [
    { path: "/spec/instances/group", rule: "create-only" },
    { path: "/spec/instances/kind", rule: "create-only" },
    { path: "/spec/instances/plural", rule: "create-only" },
  ],
};
