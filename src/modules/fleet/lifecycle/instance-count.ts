// How many instances exist, as the store knows it: for refusals that state the number.

import type { Store } from "../../../store/port.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { instanceKindId } from "../offerings/offering-index.ts";

export interface InstanceCount {
  /** Not more than fleetLimits.maxCountedInstances for each Offering. */
  readonly instances: number;
  /** Such as "1 instance" or "more than 1000 instances". */
  readonly text: string;
}

/** In one namespace, or in all. */
export async function instanceCount(
  store: Pick<Store, "list">,
  offerings: readonly Offering[],
  namespace?: string,
): Promise<InstanceCount> {
  let instances = 0;
  let isMore = false;
  for (const offering of offerings) {
    const { records, next } = await store.list({
      kind: instanceKindId(offering),
      limit: fleetLimits.maxCountedInstances,
      ...(namespace === undefined ? {} : { namespace }),
    });
    instances += records.length;
    isMore ||= next !== undefined;
  }
  const count = `${isMore ? "more than " : ""}${instances}`;
  return { instances, text: `${count} instance${instances === 1 ? "" : "s"}` };
}
