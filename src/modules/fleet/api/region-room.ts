// How many instances of a type still fit into a region, as the commit of a creation counts them.

import type { Store } from "../../../store/port.ts";
import { regionCounters } from "../names.ts";
import type { RegionOfType } from "../names.ts";
import type { Offering } from "../offering.ts";

/** Undefined: the region has no bound. */
export async function regionRoom(
  store: Pick<Store, "counter">,
  { name: offering, types }: Pick<Offering, "name" | "types">,
  place: Omit<RegionOfType, "offering">,
): Promise<number | undefined> {
  const rooms = await Promise.all(
    regionCounters({ offering, ...place }).map(async (counter) => {
      const { value, max = Infinity } = await store.counter(counter);
      return Math.max(max - value, 0);
    }),
  );
  const units = Math.min(...rooms);
  if (units === Infinity) return undefined;
  return Math.floor(units / (types.find(({ name }) => name === place.type)?.units ?? 1));
}
