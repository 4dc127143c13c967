// Whether the versions of an instance may be changed, as the rules of fleet managers have it: the
// operator is ready on the cluster, it can run the product, and neither becomes older by more than
// a patch. Pure; used by administrators and by Rollouts.

import type { Operator } from "../clusters/cluster.ts";
import { partsOf } from "./versions.ts";

export interface VersionChange {
  /** Components that change, such as `product` and `operator`, with their new versions. */
  readonly wanted: Readonly<Record<string, string>>;
  /** What the instance should run at present. */
  readonly desired: Readonly<Record<string, string>>;
  /** What the agent reports. */
  readonly actual: Readonly<Record<string, string>>;
  /** What the cluster of the instance reports. */
  readonly operators: readonly Operator[];
}

export interface VersionProblem {
  /** The component whose version is refused. */
  readonly component: string;
  readonly reason: string;
}

/** The first problem; undefined when the change is allowed. */
export function versionChangeProblem(change: VersionChange): VersionProblem | undefined {
  const { wanted, desired, actual, operators } = change;
  for (const [component, version] of Object.entries(wanted)) {
    const now = actual[component];
    if (now !== undefined && isOlderMinor(version, now)) {
      return {
        component,
        reason: `${version} is older than ${now}, which is running: only a patch may be older`,
      };
    }
  }
  const operatorVersion = wanted["operator"] ?? desired["operator"];
  const operator = operators.find(({ version }) => version === operatorVersion);
  const newOperator = wanted["operator"];
  if (newOperator !== undefined && operator?.isReady !== true) {
    const state = operator === undefined ? "does not have" : "reports as not ready";
    return { component: "operator", reason: `the cluster ${state} the operator ${newOperator}` };
  }
  const product = wanted["product"];
  if (product !== undefined && operator?.versions.includes(product) !== true) {
    const who =
      operatorVersion === undefined
        ? "no operator of the cluster runs"
        : `the operator ${operatorVersion} of the cluster does not run`;
    return { component: "product", reason: `${who} the version ${product}` };
  }
  return undefined;
}

/** Whether the major or minor number is smaller. */
function isOlderMinor(version: string, than: string): boolean {
  const [left, right] = [partsOf(version), partsOf(than)];
  for (let at = 0; at < 2; at += 1) {
    const [one, other] = [Number(left[at] ?? "0"), Number(right[at] ?? "0")];
    if (Number.isNaN(one) || Number.isNaN(other)) return false;
    if (one !== other) return one < other;
  }
  return false;
}
