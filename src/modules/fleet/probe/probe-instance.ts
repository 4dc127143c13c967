// The instances of a Probe: their names and documents. Pure.

import { hash } from "node:crypto";
import type { JsonObject } from "../../../kernel/json.ts";
import { organisationNamespace, probeLabel } from "../names.ts";
import type { Offering } from "../offering.ts";
import { typeOf } from "./probe.ts";
import type { Probe, ProbePlace, ProbeRun } from "./probe.ts";

/** Differs between Probes and regions. A number is used once. */
export function probeInstanceName(probe: Probe, place: ProbePlace, sequence: number): string {
  const text = JSON.stringify([probe.uid, place.provider, place.region]);
  return `probe-${hash("sha256", text, "hex").slice(0, 10)}-${sequence}`;
}

export function probeInstance(probe: Probe, offering: Offering, run: ProbeRun): JsonObject {
  const { group, kind } = offering.instances;
  const { provider, region, instance = "" } = run;
  const type = typeOf(probe, offering);
  return {
    apiVersion: `${group}/v1`,
    kind,
    metadata: {
      name: instance,
      namespace: organisationNamespace(probe.organisation),
      labels: { [probeLabel]: probe.name },
    },
    spec: {
      owner: probe.owner,
      cloudProvider: provider,
      region,
      isInternal: true,
      ...(offering.requiresMultiAz ? { multiAz: true } : {}),
      ...(type === undefined ? {} : { type }),
      ...(probe.parameters === undefined ? {} : { parameters: probe.parameters }),
    },
  };
}
