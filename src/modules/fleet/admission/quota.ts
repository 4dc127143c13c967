// Which quota an instance counts against, and which type its owner gets. Pure.

import type { CounterUse } from "../../../store/port.ts";
import { offeringCounter, regionCounters } from "../names.ts";
import type { InstanceType, Offering } from "../offering.ts";
import { quotaCounter } from "../organisations/organisation-check.ts";
import type { Organisation, OrganisationQuota } from "../organisations/organisation.ts";

/** The quota of the organisation comes before the quota of the user. */
export function quotaFor(
  { quotas }: Organisation,
  offering: string,
  type: string,
  owner: string,
): OrganisationQuota | undefined {
  const own = quotas.filter((quota) => quota.offering === offering && quota.type === type);
  return (
    own.find(({ user, users }) => user === undefined && users?.includes(owner) !== false) ??
    own.find(({ user }) => user === owner)
  );
}

/** Whether the instance needs a listed quota that its owner does not have. */
export function lacksListedQuota(
  { name, types }: Offering,
  organisation: Organisation,
  { owner, type, quotaBackend, isInternal }: Omit<CountedSpec, "provider" | "region">,
): boolean {
  if (quotaBackend !== "list" || isInternal) return false;
  if (types.find((each) => each.name === type)?.quota !== "required") return false;
  return (quotaFor(organisation, name, type, owner)?.max ?? 0) === 0;
}

/**
 * Callers do not choose: a type that needs a quota for owners who have one, otherwise a type that
 * needs none. Undefined when the Offering has no such type.
 */
export function typeFor(
  { name, types }: Offering,
  organisation: Organisation,
  owner: string,
): InstanceType | undefined {
  const withQuota = types.find(
    (type) =>
      type.quota === "required" && quotaFor(organisation, name, type.name, owner) !== undefined,
  );
  return withQuota ?? types.find(({ quota }) => quota === "none");
}

export interface CountedSpec {
  readonly owner: string;
  readonly provider: string;
  readonly region: string;
  readonly type: string;
  readonly quotaBackend: string;
  /** An instance of a probe uses capacity, and counts against no limit of customers. */
  readonly isInternal: boolean;
}

/** What an instance counts against. */
export function instanceUses(
  offering: Offering,
  organisation: Organisation,
  { owner, provider, region, type, quotaBackend, isInternal }: CountedSpec,
): readonly CounterUse[] {
  const own = offering.types.find((each) => each.name === type);
  const units = own?.units ?? 1;
  const place = { offering: offering.name, provider, region, type };
  const capacity = regionCounters(place).map((counter) => ({ counter, amount: units }));
  if (isInternal) return capacity;
  const uses = [{ counter: offeringCounter(offering.name), amount: 1 }, ...capacity];
  const isCounted = own?.quota === "required" && quotaBackend === "list";
  const quota = isCounted ? quotaFor(organisation, offering.name, type, owner) : undefined;
  if (quota === undefined) return uses;
  return [...uses, { counter: quotaCounter(organisation.id, quota), amount: 1 }];
}
