// The answer of the overview, as one sentence.

import { countText, plural } from "../../format/number.ts";
import type { ResourceState } from "../../api/types.ts";

type States = Readonly<Partial<Record<ResourceState, number>>>;

export function headline(states: States, total: number, namespace: string): string {
  const place = namespace === "" ? "" : ` in ${namespace}`;
  if (total === 0) return `No resources yet${place}`;
  const all = plural(total, "resource");
  const failed = states.Failed ?? 0;
  const waits = (states.Waiting ?? 0) + (states.NotReady ?? 0);
  const wait = waits === 1 ? "waits" : "wait";
  const rest = waits === 0 ? "" : `; ${countText(waits)} ${wait}`;
  if (failed > 0) {
    const verb = failed === 1 ? "has" : "have";
    return `${countText(failed)} of ${all}${place} ${verb} failed${rest}`;
  }
  const noun = total === 1 ? "resource" : "resources";
  if (waits > 0) return `${countText(waits)} of ${all}${place} ${wait}; none has failed`;
  const busy = (states.Progressing ?? 0) + (states.Deleting ?? 0);
  if (busy > 0) return `${countText(busy)} of ${all}${place} in progress; none has failed`;
  return `Nothing has failed among ${countText(total)} ${noun}${place}`;
}
