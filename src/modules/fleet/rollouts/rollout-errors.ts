// What is wrong with a Rollout beyond its schema, each problem with its field. Pure.

import { invalidField, requiredField, unsupportedField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { conditionFault } from "./gates.ts";
import type { Rollout, RolloutSelector, Wave } from "./rollout.ts";
import type { ClusterPlace } from "./scope.ts";

export interface RolloutSurroundings {
  readonly offering: (name: string) => Offering | undefined;
  /** Undefined for an unknown cluster. */
  readonly clusterPlace: (cluster: string) => ClusterPlace | undefined;
}

/** What names other resources is checked at the creation alone: it is fixed afterwards. */
export function rolloutErrors(
  rollout: Rollout,
  old: Rollout | undefined,
  surroundings: RolloutSurroundings,
): readonly FieldError[] {
  const errors = [...waveErrors(rollout.waves), ...conditionErrors(rollout)];
  return old === undefined ? [...creationErrors(rollout, surroundings), ...errors] : errors;
}

function creationErrors(
  rollout: Rollout,
  { offering, clusterPlace }: RolloutSurroundings,
): readonly FieldError[] {
  const found = offering(rollout.offering);
  const errors: FieldError[] = Object.keys(rollout.versions)
    .filter((component) => !components.includes(component))
    .map((component) => unsupportedField("spec.versions", component, components));
  if (found === undefined) {
    return [...errors, invalidField("spec.offering", rollout.offering, "is not an Offering")];
  }
  errors.push(...selectorErrors(found, rollout.selector, clusterPlace));
  if (errors.length === 0) errors.push(...scopeErrors(rollout));
  return errors;
}

const components = ["product", "operator"];

function selectorErrors(
  { providers, types }: Offering,
  selector: RolloutSelector,
  clusterPlace: (cluster: string) => unknown,
): readonly FieldError[] {
  const regions = providers.flatMap((provider) => provider.regions.map(({ id }) => id));
  const known = {
    providers: providers.map(({ id }) => id),
    regions: [...new Set(regions)],
    types: types.map(({ name }) => name),
  };
  const errors = (["providers", "regions", "types"] as const).flatMap((part) =>
    (selector[part] ?? []).flatMap((value, at) =>
      known[part].includes(value)
        ? []
        : [unsupportedField(`spec.selector.${part}[${at}]`, value, known[part].slice(0, 50))],
    ),
  );
  const clusters = (selector.clusters ?? []).flatMap((cluster, at) =>
    clusterPlace(cluster) === undefined
      ? [invalidField(`spec.selector.clusters[${at}]`, cluster, "is not a DataPlaneCluster")]
      : [],
  );
  return [...errors, ...clusters];
}

function scopeErrors({ scope }: Rollout): readonly FieldError[] {
  const max = fleetLimits.maxRolloutScope;
  if (scope.length > max) {
    const why = `selects ${scope.length} pairs of region and type, at most ${max}: select fewer`;
    return [invalidField("spec.selector", null, why)];
  }
  if (scope.length > 0) return [];
  return [invalidField("spec.selector", null, "selects no region and type of the Offering")];
}

function waveErrors(waves: readonly Wave[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  let highest = 0;
  for (const [at, { percent, count }] of waves.entries()) {
    const path = `spec.waves[${at}]`;
    if ((percent === undefined) === (count === undefined)) {
      errors.push(requiredField(path, "give either percent or count"));
    }
    if (percent !== undefined && percent <= highest) {
      const why = `must be more than the ${highest} percent of the wave before`;
      errors.push(invalidField(`${path}.percent`, percent, why));
    }
    highest = Math.max(highest, percent ?? 0);
  }
  const last = waves.at(-1);
  if (last !== undefined && last.percent !== 100) {
    const why = "must be 100 in the last wave, so that the Rollout ends with all instances";
    errors.push(invalidField(`spec.waves[${waves.length - 1}].percent`, last.percent, why));
  }
  return errors;
}

function conditionErrors({ gates }: Rollout): readonly FieldError[] {
  const { condition } = gates;
  const fault = condition === undefined ? undefined : conditionFault(condition);
  return fault === undefined ? [] : [invalidField("spec.gates.condition", condition, fault)];
}
