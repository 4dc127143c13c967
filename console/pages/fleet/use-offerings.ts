import { fleetApi, offeringsKind } from "../../api/fleet.ts";
import type { Listed, Offering } from "../../api/fleet.ts";
import { kinds } from "../../api/kinds.ts";
import { useQuery } from "../../query/query.ts";
import type { QueryState } from "../../query/query.ts";

/** Not read before the kinds are known: without its kind, a list is empty. */
export function useOfferings(): QueryState<Listed<Offering>> {
  return useQuery(
    kinds.value === undefined ? undefined : "fleet offerings",
    async (signal) => await fleetApi.offerings(signal),
    { live: ({ kind }) => kind === offeringsKind },
  );
}
