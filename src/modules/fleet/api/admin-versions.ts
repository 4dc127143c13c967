// Whether an administrator may give an instance other versions: the rules of the admin API, and
// those of every change of versions (placement/version-change.ts). Pure. A change that asks for
// the present versions is allowed at any time, so that a repeated request has the same answer.

import type { Operator } from "../clusters/cluster.ts";
import type { Phase } from "../lifecycle/phases.ts";
import { versionChangeProblem } from "../placement/version-change.ts";
import type { VersionProblem } from "../placement/version-change.ts";

/** Of the components `product` and `operator`. */
export type Versions = Readonly<Record<string, string>>;

export interface UpgradeFacts {
  readonly phase: Phase;
  readonly desired: Versions;
  /** As the agent reports them. */
  readonly actual: Versions;
  readonly upgrading: Readonly<Record<string, boolean>>;
  /** Of the cluster; undefined when the instance has none, or the cluster does not exist. */
  readonly operators: readonly Operator[] | undefined;
}

/** In these phases the instance has no cluster yet, or is being removed. */
const fixedPhases: ReadonlySet<Phase> = new Set(["accepted", "deprovision", "deleting"]);

/** The first problem; undefined when the change is allowed. */
export function upgradeProblem(change: Versions, facts: UpgradeFacts): VersionProblem | undefined {
  const { phase, desired, actual, upgrading, operators } = facts;
  const changed = Object.keys(change).filter((name) => change[name] !== desired[name]);
  const [component] = changed;
  if (component === undefined) return undefined;
  if (fixedPhases.has(phase)) {
    return { component, reason: `cannot change while the status of the instance is ${phase}` };
  }
  if (operators === undefined) {
    return { component, reason: "the cluster of the instance does not exist" };
  }
  const running = changed.find((name) => upgrading[name] === true);
  if (running !== undefined) {
    const reason = "another upgrade is running: repeat the request when it has ended";
    return { component: running, reason };
  }
  // A new operator must be able to run the present product as well.
  const wanted = changed.includes("operator") ? { ...productOf(desired), ...change } : change;
  return versionChangeProblem({ wanted, desired, actual, operators });
}

function productOf({ product }: Versions): Versions {
  return product === undefined ? {} : { product };
}
