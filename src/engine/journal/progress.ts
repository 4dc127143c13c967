// How far a long piece of work is, where everybody can see it: status.reconcile.progress. Steps
// show theirs by themselves, in one commit with what they have done, and an author may say more. It
// names the generation and the request that it is about, and its percentage does not fall before
// that work is over, whatever is counted: people take one that falls for work that is lost.

import { equalJson } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Answer, Write } from "../../store/port.ts";
import type { RunScope } from "../ports.ts";
import type { Progress } from "../reconciler.ts";
import { withoutWait } from "../run/ended-wait.ts";
import { requestOf } from "../run/plan.ts";
import { reconcileStatusOf, statusOf } from "../run/status.ts";

export async function showProgress(
  scope: Pick<RunScope, "update" | "loaded">,
  told: Progress,
  alongside?: readonly Write[],
): Promise<readonly Answer[]> {
  const { message } = told;
  const [done, of] = [countOf(told.done), countOf(told.of)];
  const counted = of > 0 ? Math.min(100, Math.max(0, Math.floor((done / of) * 100))) : 0;
  const work = workOf(scope.loaded());
  return await scope.update((resource) => {
    const before = statusOf(resource);
    const percent = Math.max(counted, percentSoFar(before, work));
    const progress = { ...work, done, of, percent, message };
    // Who has got no further may be about to wait again.
    if (equalJson(progress, reconcileStatusOf(before).progress ?? null)) return resource;
    const status = statusOf(withoutWait(resource));
    const reconcile = { ...reconcileStatusOf(status), progress } as JsonObject;
    return { ...resource, status: { ...status, reconcile } };
  }, alongside);
}

/** What is no number has no place in a document: a count of nothing yet is nothing. */
function countOf(told: number): number {
  return Number.isFinite(told) ? told : 0;
}

/** What a run was told to do, which may be older than what is wanted now. */
interface Work {
  readonly generation: number;
  readonly request?: string;
}

function workOf(resource: Resource): Work {
  const request = requestOf(resource);
  const { generation } = resource.metadata;
  return request === undefined ? { generation } : { generation, request };
}

function percentSoFar(status: JsonObject, { generation, request = "" }: Work): number {
  const { progress = {}, succeeded, retry } = reconcileStatusOf(status);
  if (numberAt(progress, "generation") !== generation) return 0;
  // Who asks for another run while the work goes on does not begin it anew.
  const isOver = retry === "never" || numberAt(succeeded, "generation") === generation;
  if (isOver && textAt(progress, "request") !== request) return 0;
  return Math.min(100, numberAt(progress, "percent") ?? 0);
}
