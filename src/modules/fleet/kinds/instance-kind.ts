// The kind of the instances of an Offering. Its columns are also what the REST lists are filtered
// and sorted by, because the read model keeps the columns of a kind: see ADR 15 and ADR 22.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput, PrinterColumn } from "../../../kernel/kind.ts";
import { choice, list, map, name, object, text } from "../../../kernel/schema-parts.ts";
import { phases } from "../lifecycle/phases.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { age, time } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };
const reason: JsonObject = { type: "string", maxLength: 1_024 };
const texts = list(text, 100);

function specSchema(parameters: JsonObject | undefined): JsonObject {
  return object({
    id: text,
    owner: text,
    account: text,
    cloudProvider: text,
    region: text,
    multiAz: flag,
    type: text,
    quotaBackend: choice("list", "http"),
    /** What the quota service returned, for the release. */
    subscription: text,
    versions: map(text, 10),
    /** The last change of the versions by a Rollout: see rollouts/member.ts. */
    rollout: object({
      name,
      uid: text,
      from: map(text, 10),
      at: time,
      wasReady: flag,
      isRolledBack: flag,
    }),
    cluster: name,
    traits: texts,
    expiresAt: time,
    expiryReason: reason,
    suspension: object({ reason, at: time }, ["reason"]),
    isInternal: flag,
    /** When it was used before it was deleted and restored: see usage/. */
    earlierUse: list(object({ from: time, to: time }, ["from", "to"]), fleetLimits.maxEarlierUse),
    rotation: { type: "integer", minimum: 0, maximum: 1_000_000 },
    parameters: parameters ?? { type: "object", maxProperties: 0 },
  });
}

const route = object({ name: text, domain: text, router: text }, ["domain", "router"]);

const statusSchema: JsonObject = object({
  phase: choice(...phases),
  phaseSince: time,
  /** The first time that it was ready. */
  readyAt: time,
  updatedAt: time,
  enteredProvisioningAt: time,
  /** From when the time to become ready counts; absent: from the creation. */
  budgetSince: time,
  /** The children of the preparations. */
  preparations: list(object({ preparation: text, kind: text, name: text }), 1_000),
  host: text,
  namespace: text,
  routes: list(route, fleetLimits.maxRoutesPerInstance),
  /** The cluster that reported the routes. */
  routesFrom: name,
  /** The annotation with which an administrator has accepted them. */
  routesAccepted: text,
  routesCreated: flag,
  /** Clusters that still have a ManagedInstance of an earlier placement. */
  leaving: list(name, fleetLimits.maxPlacementReasons),
  placement: object({
    cluster: name,
    placementId: text,
    attempts: { type: "integer" },
    why: list(object({ cluster: name, reason }), fleetLimits.maxPlacementReasons),
    refusedBy: list(name, fleetLimits.maxPlacementReasons),
    at: time,
  }),
  /** What the quota service answered: see quota-service/. */
  quota: object({
    state: choice("notNeeded", "reserved", "refused", "unavailable"),
    subscription: text,
    code: choice("exceeded", "insufficient"),
    message: reason,
    at: time,
  }),
  desiredVersions: map(text, 10),
  actualVersions: map(text, 10),
  upgrading: map(flag, 10),
  failedReason: reason,
  expiredAt: time,
  deniedAt: time,
  suspendedAt: time,
});

const columns: readonly PrinterColumn[] = [
  { name: "Status", type: "string", jsonPath: ".status.phase" },
  { name: "Owner", type: "string", jsonPath: ".spec.owner" },
  { name: "Region", type: "string", jsonPath: ".spec.region" },
  { name: "Type", type: "string", jsonPath: ".spec.type" },
  { name: "Host", type: "string", jsonPath: ".status.host" },
  { name: "Cluster", type: "string", jsonPath: ".status.placement.cluster" },
  age,
  wide("Id", "string", ".spec.id"),
  wide("Provider", "string", ".spec.cloudProvider"),
  wide("Multi AZ", "boolean", ".spec.multiAz"),
  wide("Version", "string", ".status.actualVersions.product"),
  wide("Updated", "string", ".status.updatedAt"),
  wide("Failure", "string", ".status.failedReason"),
];

/** Shown by `kubectl get -o wide` alone. */
function wide(title: string, type: PrinterColumn["type"], jsonPath: string): PrinterColumn {
  return { name: title, type, jsonPath, priority: 1 };
}

export function instanceKindOf({ instances }: Offering): KindInput {
  const { group, kind, plural, singular, shortNames, parameters } = instances;
  return {
    group,
    names: {
      plural,
      kind,
      ...(singular === undefined ? {} : { singular }),
      shortNames,
      categories: ["fleet"],
    },
    scope: "Namespaced",
    subresources: { status: true },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: object({ spec: specSchema(parameters), status: statusSchema }, ["spec"]),
        printerColumns: columns,
      },
    ],
    fieldRules: ["id", "cloudProvider", "region", "multiAz", "quotaBackend", "isInternal"].map(
      (field) => ({ path: `/spec/${field}`, rule: "create-only" }),
    ),
  };
}
