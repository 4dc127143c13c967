// How far a long piece of work is, where everybody can see it: status.reconcile.progress. Steps
// show theirs by themselves, in one commit with what they have done, and an author may say more.

import type { JsonObject } from "../../kernel/json.ts";
import type { Answer, Write } from "../../store/port.ts";
import type { RunScope } from "../ports.ts";
import type { Progress } from "../reconciler.ts";
import { reconcileStatusOf, statusOf } from "../run/status.ts";

export async function showProgress(
  scope: Pick<RunScope, "update">,
  { done, of, message }: Progress,
  alongside?: readonly Write[],
): Promise<readonly Answer[]> {
  const percent = of > 0 ? Math.min(100, Math.max(0, Math.floor((done / of) * 100))) : 0;
  const progress = { done, of, percent, message };
  return await scope.update((resource) => {
    const status = statusOf(resource);
    const reconcile = { ...reconcileStatusOf(status), progress } as JsonObject;
    return { ...resource, status: { ...status, reconcile } };
  }, alongside);
}
