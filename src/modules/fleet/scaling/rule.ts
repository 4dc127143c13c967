// A ScalingRule as the module reads it: the stored document with its defaults. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface ScalingRule {
  readonly name: string;
  readonly uid: string;
  readonly offering: string;
  readonly provider: string;
  readonly region: string;
  /** Undefined: all types. */
  readonly type: string | undefined;
  readonly slack: { readonly units: number | undefined; readonly percent: number | undefined };
  readonly maxClusters: number;
  readonly minClusters: number;
  readonly template: JsonObject;
  /** Undefined: clusters are never removed. */
  readonly removeAfterMs: number | undefined;
  readonly isDryRun: boolean;
  /** The cluster that is not needed, as earlier runs found it. */
  readonly surplus: Surplus | undefined;
  /** Of the last cluster name. */
  readonly sequence: number;
}

export interface Surplus {
  readonly cluster: string;
  readonly sinceMs: number;
}

export function readScalingRule({ metadata, spec, status }: Resource): ScalingRule {
  const removeAfter = numberAt(spec, "removeAfterSeconds");
  const type = textAt(spec, "type");
  return {
    name: metadata.name,
    uid: metadata.uid,
    offering: textAt(spec, "offering"),
    provider: textAt(spec, "provider"),
    region: textAt(spec, "region"),
    type: type === "" ? undefined : type,
    slack: {
      units: numberAt(spec, "slack", "units"),
      percent: numberAt(spec, "slack", "percent"),
    },
    maxClusters: numberAt(spec, "maxClusters") ?? 1,
    minClusters: Math.max(1, numberAt(spec, "minClusters") ?? 1),
    template: objectAt(spec, "template"),
    removeAfterMs: removeAfter === undefined ? undefined : removeAfter * 1_000,
    // The schema sets the default, true.
    isDryRun: valueAt(spec, "dryRun") !== false,
    surplus: surplusOf(objectAt(status, "surplus")),
    sequence: numberAt(status, "sequence") ?? 0,
  };
}

function surplusOf(surplus: JsonObject): Surplus | undefined {
  const [cluster, sinceMs] = [textAt(surplus, "cluster"), Date.parse(textAt(surplus, "since"))];
  return cluster === "" || Number.isNaN(sinceMs) ? undefined : { cluster, sinceMs };
}
