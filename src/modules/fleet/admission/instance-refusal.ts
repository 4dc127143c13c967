// Why the store refused a name or a counter of an instance, as an error of the service. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import type { HeldFault } from "../../../kernel/held-fault.ts";
import { allOfferings, idName, onePerOwnerName } from "../names.ts";
import type { Offering } from "../offering.ts";

export interface RefusedInstance {
  readonly owner: string;
  readonly organisation: string;
  readonly type: string;
  readonly region: string;
}

/** Undefined for names and counters of other plugins. */
export function instanceRefusal(
  { name: offering, displayName }: Offering,
  { owner, organisation, type, region }: RefusedInstance,
  fault: HeldFault,
): SetpointError | undefined {
  if ("scope" in fault) {
    const perOwner = onePerOwnerName({ offering, organisation, type, owner });
    if (fault.scope === perOwner.scope) {
      const message = `${owner} has an instance of the type ${type}, and may have one`;
      return new SetpointError("fleet.capacity_reached", message, { details: { type } });
    }
    if (fault.scope !== idName(offering, "").scope) return undefined;
    const message = `spec.id: another instance has the id ${fault.name}`;
    return new SetpointError("fleet.restore_conflict", message, { details: { field: "spec.id" } });
  }
  if (!("max" in fault)) return undefined;
  if (fault.counter.startsWith(`fleet/quota/${offering}/`)) {
    const message = `the quota of ${fault.max} instances of the type ${type} is used up`;
    return new SetpointError("fleet.quota_exceeded", message, { details: { type } });
  }
  if (isOfRegion(offering, fault.counter)) {
    const message = `the region ${region} has no capacity for another instance of the type ${type}`;
    return new SetpointError("fleet.capacity_reached", message, { details: { region, type } });
  }
  if (fault.counter !== `fleet/offering/${offering}`) return undefined;
  const message = `${displayName} has reached its maximum of ${fault.max} instances`;
  return new SetpointError("fleet.capacity_reached", message);
}

/** Of the Offering, or of all Offerings together. */
function isOfRegion(offering: string, counter: string): boolean {
  return [offering, allOfferings].some((each) => counter.startsWith(`fleet/region/${each}/`));
}
