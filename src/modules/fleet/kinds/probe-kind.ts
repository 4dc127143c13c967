// The kind Probe: creates an instance in each region, verifies it and deletes it, again and again.
// Its instances are marked as internal. See docs/reference/fleet-operations.md.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import {
  anything,
  choice,
  described,
  list,
  name,
  object,
  text,
} from "../../../kernel/schema-parts.ts";
import { fleetLimits } from "../limits.ts";
import { fleetGroup } from "../names.ts";
import { age, readyColumns, time } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };
const message: JsonObject = { type: "string", maxLength: 1_024 };
const count: JsonObject = { type: "integer", minimum: 0 };

function secondsFrom(minimum: number, maximum: number): JsonObject {
  return { type: "integer", minimum, maximum };
}

const place = object({ provider: text, region: text }, ["provider", "region"]);

const verify = object(
  {
    url: described(text, "Read with GET. ${host} is the host of the instance."),
    status: described({ type: "integer", minimum: 100, maximum: 599 }, "Default: 200."),
    timeoutSeconds: described(secondsFrom(1, 60), "Of one request. Default: 10."),
    caBundle: described({ type: "string", maxLength: 65_536 }, "Authority of the host, as PEM."),
  },
  ["url"],
);

const spec: JsonObject = object(
  {
    offering: name,
    organisation: described(name, "The Organisation of the instances."),
    owner: described(text, "A member of it, who owns the instances."),
    regions: described(
      { ...list(place, fleetLimits.maxProbeRegions), minItems: 1 },
      "Absent: every enabled region that offers the type.",
    ),
    type: described(text, "Default: the first type of the Offering that is enabled."),
    parameters: described({ type: "object", ...anything }, "Of the instances."),
    intervalSeconds: described(
      { ...secondsFrom(10, 86_400), default: 300 },
      "From the start of one instance to the next. Default: 300.",
    ),
    timeoutSeconds: described(
      { ...secondsFrom(1, 86_400), default: 900 },
      "An instance that is not ready and verified after this long is a failure. Default: 900.",
    ),
    verify,
    isPaused: described(flag, "No further instance is created."),
  },
  ["offering", "organisation", "owner"],
);

const region = object({
  provider: text,
  region: text,
  state: choice("waiting", "creating", "deleting"),
  sequence: count,
  instance: name,
  startedAt: time,
  verdict: choice("success", "failure"),
  reason: message,
  deletingAt: time,
  isLate: flag,
  lastSuccessAt: time,
  lastFailureAt: time,
  lastFailure: message,
  failuresInRow: count,
  nextAt: time,
});

export const probeKind: KindInput = {
  group: fleetGroup,
  names: { plural: "probes", kind: "Probe", categories: ["fleet"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object(
        { spec, status: object({ regions: list(region, fleetLimits.maxProbeRegions) }) },
        ["spec"],
      ),
      printerColumns: [
        { name: "Offering", type: "string", jsonPath: ".spec.offering" },
        { name: "Interval", type: "integer", jsonPath: ".spec.intervalSeconds" },
        ...readyColumns.filter((column) => column !== age),
        age,
      ],
    },
  ],
  fieldRules: ["offering", "organisation"].map((field) => ({
    path: `/spec/${field}`,
    rule: "create-only",
  })),
};
