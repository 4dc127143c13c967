// What a Rollout knows about one instance. Compact, because an index holds one for each instance of
// an Offering. Pure.

import { isTrueAt, objectAt, presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { keyOf } from "../../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { isEnding, isPhase } from "../lifecycle/phases.ts";
import type { Phase } from "../lifecycle/phases.ts";
import { organisationOf } from "../names.ts";
import { versionsAt } from "./rollout.ts";
import type { Rollout, RolloutSelector, Versions } from "./rollout.ts";

export interface Member {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly id: string;
  readonly organisation: string;
  readonly provider: string;
  readonly region: string;
  readonly type: string;
  /** Where it is placed; empty before. */
  readonly cluster: string;
  readonly traits: readonly string[];
  readonly isInternal: boolean;
  readonly isDeleting: boolean;
  readonly phase: Phase;
  readonly phaseSinceMs: number;
  /** What it should run: what was set for it, or what its placement chose. */
  readonly desired: Versions;
  readonly actual: Versions;
  readonly isUpgrading: boolean;
  /** The last change by a Rollout. */
  readonly change: RolloutChange | undefined;
}

/** `spec.rollout` of an instance, written in the commit that changes its versions. */
export interface RolloutChange {
  /** Of the Rollout. */
  readonly uid: string;
  /** What the instance should run before, for a rollback. */
  readonly from: Versions;
  readonly atMs: number;
  /** False: the instance was not ready when it was updated, and does not count as a failure. */
  readonly wasReady: boolean;
  readonly isRolledBack: boolean;
}

export function readMember(kind: string, resource: Resource): Member {
  const { metadata, spec, status } = resource;
  const phase = textAt(status, "phase");
  const sinceMs = Date.parse(textAt(status, "phaseSince"));
  return {
    key: keyOf(kind, resource),
    uid: metadata.uid,
    id: textAt(spec, "id"),
    organisation: organisationOf(metadata.namespace ?? "") ?? "",
    provider: textAt(spec, "cloudProvider"),
    region: textAt(spec, "region"),
    type: textAt(spec, "type"),
    cluster: textAt(status, "placement", "cluster"),
    traits: textsAt(spec, "traits"),
    isInternal: isTrueAt(spec, "isInternal"),
    isDeleting: metadata.deletionTimestamp !== undefined,
    phase: isPhase(phase) ? phase : "accepted",
    phaseSinceMs: Number.isNaN(sinceMs) ? 0 : sinceMs,
    desired: { ...versionsAt(status, "desiredVersions"), ...versionsAt(spec, "versions") },
    actual: versionsAt(status, "actualVersions"),
    isUpgrading: Object.values(objectAt(status, "upgrading")).includes(true),
    change: changeOf(spec),
  };
}

function changeOf(spec: Resource["spec"]): RolloutChange | undefined {
  const change = presentObjectAt(spec, "rollout");
  if (change === undefined) return undefined;
  const atMs = Date.parse(textAt(change, "at"));
  return {
    uid: textAt(change, "uid"),
    from: versionsAt(change, "from"),
    atMs: Number.isNaN(atMs) ? 0 : atMs,
    wasReady: isTrueAt(change, "wasReady"),
    isRolledBack: isTrueAt(change, "isRolledBack"),
  };
}

/**
 * Whether the Rollout is about the instance. One that it has changed stays its own, although the
 * selector may not match any more: a rollback returns it.
 */
export function memberTest({ uid, selector, scope }: Rollout): (member: Member) => boolean {
  const cells = new Set(scope);
  return (member) => {
    if (member.isInternal || member.isDeleting || isEnding(member.phase)) return false;
    if (member.change?.uid === uid) return true;
    return cells.has(cellOf(member)) && matches(selector, member);
  };
}

/** The region and type of an instance, which one Rollout at a time changes. */
export function cellOf(part: {
  readonly provider: string;
  readonly region: string;
  readonly type: string;
}): string {
  return [part.provider, part.region, part.type].map(encodeURIComponent).join("/");
}

function matches(selector: RolloutSelector, member: Member): boolean {
  const { providers, regions, clusters, types, organisations, traits } = selector;
  return (
    includes(providers, member.provider) &&
    includes(regions, member.region) &&
    includes(clusters, member.cluster) &&
    includes(types, member.type) &&
    includes(organisations, member.organisation) &&
    (traits === undefined || traits.some((trait) => member.traits.includes(trait)))
  );
}

function includes(values: readonly string[] | undefined, value: string): boolean {
  return values === undefined || values.includes(value);
}
