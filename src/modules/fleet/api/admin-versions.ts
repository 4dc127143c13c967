// Whether an administrator may give an instance other versions. Pure: the rules of the admin API in
// one place. A change that asks for the present versions is allowed at any time, so that a repeated
// request has the same answer.

import type { Operator } from "../clusters/cluster.ts";
import type { Phase } from "../lifecycle/phases.ts";
import { compareVersions, partsOf } from "../placement/versions.ts";

/** The product and the operator that runs it. */
export type Component = "product" | "operator";

export type Versions = Readonly<Partial<Record<Component, string>>>;

export interface UpgradeFacts {
  readonly phase: Phase;
  readonly desired: Versions;
  /** As the agent reports them. */
  readonly actual: Versions;
  readonly upgrading: Readonly<Partial<Record<Component, boolean>>>;
  /** The cluster of the instance; undefined when it has none, or the cluster does not exist. */
  readonly cluster: { readonly id: string; readonly operators: readonly Operator[] } | undefined;
}

export interface VersionProblem {
  readonly component: Component;
  /** Without the name of the field. */
  readonly message: string;
}

const components: readonly Component[] = ["product", "operator"];

/** In these phases the instance has no cluster yet, or is being removed. */
const fixedPhases: ReadonlySet<Phase> = new Set(["accepted", "deprovision", "deleting"]);

/** Empty when the change is allowed. */
export function versionProblems(change: Versions, facts: UpgradeFacts): readonly VersionProblem[] {
  const changed = components.filter(
    (component) =>
      change[component] !== undefined && change[component] !== facts.desired[component],
  );
  if (changed.length === 0) return [];
  const problemOf = (message: string): readonly VersionProblem[] =>
    changed.map((component) => ({ component, message }));
  if (fixedPhases.has(facts.phase)) {
    return problemOf(`cannot change while the status of the instance is ${facts.phase}`);
  }
  if (facts.cluster === undefined) return problemOf("the cluster of the instance does not exist");
  const running = changed.filter((component) => facts.upgrading[component] === true);
  if (running.length > 0) {
    const message = "another upgrade is running: wait until it has ended";
    return running.map((component) => ({ component, message }));
  }
  return [
    ...availabilityProblems(change, facts, facts.cluster),
    ...changed.flatMap((component) => downgradeProblem(component, change, facts)),
  ];
}

function availabilityProblems(
  change: Versions,
  { desired }: UpgradeFacts,
  { id, operators }: NonNullable<UpgradeFacts["cluster"]>,
): readonly VersionProblem[] {
  const wanted = { ...desired, ...change };
  const found = operators.find(({ version }) => version === wanted.operator);
  if (found === undefined) {
    const listed = operators.map(({ version }) => version).join(", ") || "none";
    const version = wanted.operator ?? "no version";
    const message = `${version} is not available on cluster ${id}; it has ${listed}`;
    return [{ component: "operator", message }];
  }
  if (!found.isReady) {
    const message = `${found.version} is not ready on cluster ${id}`;
    return [{ component: "operator", message }];
  }
  const { product } = wanted;
  if (product === undefined || found.versions.includes(product)) return [];
  const listed = found.versions.join(", ") || "none";
  const operator = `operator ${found.version}, which supports ${listed}`;
  const message = `${product} is not supported by ${operator}`;
  return [{ component: "product", message }];
}

/** A patch version may be lower than the actual one; a major or minor version may not. */
function downgradeProblem(
  component: Component,
  change: Versions,
  { actual }: UpgradeFacts,
): readonly VersionProblem[] {
  const [wanted, present] = [change[component], actual[component]];
  if (wanted === undefined || present === undefined || present === "") return [];
  if (compareVersions(minorOf(wanted), minorOf(present)) >= 0) return [];
  const message = `${wanted} is a downgrade from ${present}: only the patch version may be lower`;
  return [{ component, message }];
}

function minorOf(version: string): string {
  return partsOf(version).slice(0, 2).join(".");
}
