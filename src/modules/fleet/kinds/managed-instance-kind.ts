// The kind ManagedInstance: what the agent of a cluster applies, and what it reports. The instance
// reconciler writes the spec under its claim. The agent writes status.report and nothing else.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { anything, list, map, name, object, text } from "../../../kernel/schema-parts.ts";
import { fleetLimits } from "../limits.ts";
import { fleetGroup } from "../names.ts";
import { age, time } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };
const message: JsonObject = { type: "string", maxLength: fleetLimits.maxReportMessageChars };

const spec: JsonObject = object(
  {
    offering: name,
    instance: object({ namespace: name, name, uid: text }, ["namespace", "name", "uid"]),
    placementId: text,
    type: text,
    units: { type: "integer", minimum: 1, maximum: 1_000 },
    owners: list(text, 20),
    organisation: text,
    host: text,
    versions: map(text, 10),
    isSuspended: flag,
    traits: list(text, 100),
    parameters: { type: "object", ...anything },
  },
  ["offering", "instance", "placementId", "type"],
);

const condition = object(
  { type: text, status: text, reason: { type: "string", maxLength: 256 }, message },
  ["type"],
);

const route = object({ name: text, prefix: { type: "string", maxLength: 63 }, router: text }, [
  "router",
]);

const status: JsonObject = object({
  report: object({
    placementId: text,
    at: time,
    conditions: list(condition, 50),
    versions: map(text, 10),
    routes: list(route, fleetLimits.maxRoutesPerInstance),
  }),
});

export const managedInstanceKind: KindInput = {
  group: fleetGroup,
  names: { plural: "managedinstances", kind: "ManagedInstance", shortNames: ["mi"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      printerColumns: [
        { name: "Offering", type: "string", jsonPath: ".spec.offering" },
        { name: "Organisation", type: "string", jsonPath: ".spec.organisation" },
        { name: "Instance", type: "string", jsonPath: ".spec.instance.name" },
        { name: "Host", type: "string", jsonPath: ".spec.host" },
        {
          name: "Reported",
          type: "string",
          jsonPath: '.status.report.conditions[?(@.type=="Ready")].status',
        },
        {
          name: "Reason",
          type: "string",
          jsonPath: '.status.report.conditions[?(@.type=="Ready")].reason',
        },
        age,
      ],
    },
  ],
};
