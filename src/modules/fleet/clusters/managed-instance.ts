// A ManagedInstance as the module reads it. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { clusterOf } from "../names.ts";

export interface ManagedInstance {
  /** Of the instance; the name of the ManagedInstance. */
  readonly id: string;
  readonly cluster: string;
  readonly offering: string;
  /** The name that the customer gave to the instance. */
  readonly name: string;
  readonly placementId: string;
  readonly type: string;
  readonly host: string;
  readonly owners: readonly string[];
  readonly organisation: string;
  readonly versions: JsonObject;
  readonly traits: readonly string[];
  readonly parameters: JsonObject;
  readonly isSuspended: boolean;
  readonly deletedAtMs: number | undefined;
  /** As stored; undefined when the agent has not reported. */
  readonly report: JsonObject | undefined;
}

export function readManagedInstance({ metadata, spec, status }: Resource): ManagedInstance {
  const { name, namespace = "", deletionTimestamp } = metadata;
  return {
    id: name,
    cluster: clusterOf(namespace) ?? "",
    offering: textAt(spec, "offering"),
    name: textAt(spec, "instance", "name"),
    placementId: textAt(spec, "placementId"),
    type: textAt(spec, "type"),
    host: textAt(spec, "host"),
    owners: textsAt(spec, "owners"),
    organisation: textAt(spec, "organisation"),
    versions: objectAt(spec, "versions"),
    traits: textsAt(spec, "traits"),
    parameters: objectAt(spec, "parameters"),
    isSuspended: isTrueAt(spec, "isSuspended"),
    deletedAtMs: deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp),
    report: presentObjectAt(status, "report"),
  };
}

/** The report about the current placement; a report about an earlier one is stale. */
export function currentReport({ report, placementId }: ManagedInstance): JsonObject | undefined {
  return textAt(report, "placementId") === placementId ? report : undefined;
}
