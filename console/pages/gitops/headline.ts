// The first sentence of the list of deployments.

import { plural } from "../../format/number.ts";
import type { ResourceState } from "../../api/types.ts";

type States = Readonly<Partial<Record<ResourceState, number>>>;

export function headlineOf(states: States | undefined, total: number): string {
  if (states === undefined || total === 0) return "GitOps";
  const { Failed: failed = 0, NotReady: notReady = 0, Waiting: waiting = 0 } = states;
  const { Drifted: drifted = 0, Progressing: progressing = 0 } = states;
  const changing = waiting + progressing + notReady + drifted;
  const all = plural(total, "deployment");
  if (failed + changing === 0) return `${all}, all as in git`;
  const other = changing === 1 ? "is not as in git" : "are not as in git";
  if (failed === 0) return `${changing} of ${all} ${other}`;
  return `${failed} of ${all} failed${changing > 0 ? `; ${changing} ${other}` : ""}`;
}
