// Which regions and types a Rollout may change: fixed when it is created, so that the unique names
// which it holds cover every instance that it can ever select. Pure.

import type { Offering } from "../offering.ts";
import { cellOf } from "./member.ts";
import type { RolloutSelector } from "./rollout.ts";

export interface ClusterPlace {
  readonly provider: string;
  readonly region: string;
}

/** `placeOf` is asked for the clusters of the selector; undefined for an unknown cluster. */
export function scopeOf(
  { providers }: Pick<Offering, "providers">,
  selector: RolloutSelector,
  placeOf: (cluster: string) => ClusterPlace | undefined,
): readonly string[] {
  const places = selector.clusters?.flatMap((cluster) => placeOf(cluster) ?? []);
  const isIncluded = (provider: string, region: string): boolean =>
    includes(selector.providers, provider) &&
    includes(selector.regions, region) &&
    (places === undefined ||
      places.some((place) => place.provider === provider && place.region === region));
  return providers.flatMap(({ id: provider, regions }) =>
    regions
      .filter(({ id }) => isIncluded(provider, id))
      .flatMap(({ id: region, types }) =>
        types
          .filter(({ name }) => includes(selector.types, name))
          .map(({ name: type }) => cellOf({ provider, region, type })),
      ),
  );
}

function includes(values: readonly string[] | undefined, value: string): boolean {
  return values === undefined || values.includes(value);
}
