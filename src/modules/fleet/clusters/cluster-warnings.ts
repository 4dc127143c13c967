// What is suspicious about a DataPlaneCluster: names that no Offering has. Nothing would be placed
// on such a cluster. The Offering may follow later, so these are warnings. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Offering } from "../offering.ts";

export function clusterWarnings(
  spec: JsonObject,
  offerings: readonly Offering[],
): readonly string[] {
  const named = textsAt(spec, "offerings");
  const missing = named.flatMap((name, at) =>
    offerings.some((offering) => offering.name === name)
      ? []
      : [`spec.offerings[${at}]: there is no Offering ${name}`],
  );
  const hosted = offerings.filter(({ name }) => named.length === 0 || named.includes(name));
  if (hosted.length === 0) return missing;
  const provider = textAt(spec, "provider");
  const region = textAt(spec, "region");
  const regions = hosted
    .flatMap(({ providers }) => providers)
    .flatMap(({ id, regions: all }) => (id === provider ? all : []));
  if (regions.length === 0) return [...missing, `spec.provider: no Offering has ${provider}`];
  if (!regions.some(({ id }) => id === region)) {
    return [...missing, `spec.region: no Offering has the region ${region} of ${provider}`];
  }
  const types = new Set(hosted.flatMap((offering) => offering.types.map(({ name }) => name)));
  const unknown = textsAt(spec, "types").flatMap((name, at) =>
    types.has(name) ? [] : [`spec.types[${at}]: no Offering has the type ${name}`],
  );
  return [...missing, ...unknown];
}
