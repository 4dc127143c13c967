// Kinds that the module alone writes: the capacity of a region, which bounds a counter, and the
// record of a deleted instance.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { anything, name, object, text } from "../../../kernel/schema-parts.ts";
import { fleetGroup } from "../names.ts";
import { age, time } from "./kind-parts.ts";

const capacity: JsonObject = object(
  {
    offering: name,
    provider: text,
    region: text,
    type: text,
    max: { type: "integer", minimum: 0, maximum: 1_000_000_000 },
  },
  ["provider", "region", "type"],
);

/**
 * Without `offering` it is about all Offerings together. Without `max` the region has no bound. The
 * bound is part of every commit that creates an instance.
 */
export const regionCapacityKind: KindInput = {
  group: fleetGroup,
  names: { plural: "regioncapacities", kind: "RegionCapacity" },
  scope: "Cluster",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: capacity }, ["spec"]),
      printerColumns: [
        { name: "Offering", type: "string", jsonPath: ".spec.offering" },
        { name: "Region", type: "string", jsonPath: ".spec.region" },
        { name: "Type", type: "string", jsonPath: ".spec.type" },
        { name: "Max", type: "integer", jsonPath: ".spec.max" },
        age,
      ],
    },
  ],
};

const record: JsonObject = object(
  {
    offering: name,
    id: text,
    name,
    owner: text,
    createdAt: time,
    /** The first time that it was ready. */
    readyAt: time,
    /** When the deletion was requested. */
    endedAt: time,
    deletedAt: time,
    /** The module removed the instance: it counts against the removals of an hour. */
    isAutomatic: { type: "boolean" },
    removalAt: time,
    lastPhase: text,
    reason: { type: "string", maxLength: 1_024 },
    instance: { type: "object", ...anything },
  },
  ["offering", "id", "name"],
);

/**
 * `spec.instance` is the spec that a restore creates again. An automatic removal writes the record
 * before the instance is deleted, without `deletedAt`.
 */
export const deletedInstanceKind: KindInput = {
  group: fleetGroup,
  names: { plural: "deletedinstances", kind: "DeletedInstance" },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec: record }, ["spec"]),
      printerColumns: [
        { name: "Offering", type: "string", jsonPath: ".spec.offering" },
        { name: "Instance", type: "string", jsonPath: ".spec.name" },
        { name: "Owner", type: "string", jsonPath: ".spec.owner" },
        { name: "Deleted", type: "date", jsonPath: ".spec.deletedAt" },
        age,
      ],
    },
  ],
};
