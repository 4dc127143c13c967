// Carries an action out: asks first where it destroys something, then reports the result.

import { signal } from "@preact/signals";
import { refetchAll } from "../query/query.ts";
import { plural } from "../format/number.ts";
import type { Action, Answers, Subject } from "./action.ts";
import { answersTo, failure, report } from "./question.ts";
import type { Report } from "./question.ts";
import { whyOff } from "./table.ts";

/** The ids of actions that run. */
export const running = signal<ReadonlySet<string>>(new Set());

export async function runAction(action: Action, subjects: readonly Subject[]): Promise<boolean> {
  const usable = subjects.filter((subject) => whyOff(action, subject) === undefined);
  if (usable.length === 0) return false;
  try {
    const answers = await answersFor(action, usable);
    if (answers === undefined) return false;
    running.value = new Set(running.peek()).add(action.id);
    const results = await Promise.allSettled(
      usable.map(async (each) => await action.perform(each, answers)),
    );
    report.value = reportOf(action, results, subjects.length - usable.length);
    refetchAll();
    return results.every(({ status }) => status === "fulfilled");
  } catch (error) {
    report.value = failure(error);
    return false;
  } finally {
    const rest = new Set(running.peek());
    rest.delete(action.id);
    running.value = rest;
  }
}

async function answersFor(
  action: Action,
  subjects: readonly Subject[],
): Promise<Answers | undefined> {
  if (action.confirm === undefined) return {};
  const impact = await action.confirm(subjects);
  return await answersTo({ action, subjects, impact });
}

function reportOf(
  { label }: Action,
  results: readonly PromiseSettledResult<string>[],
  skipped: number,
): Report | undefined {
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined && results.length === 1) return failure(failed.reason);
  const count = results.filter(({ status }) => status === "fulfilled").length;
  const left = skipped === 0 ? "" : ` ${plural(skipped, "resource")} skipped.`;
  if (failed !== undefined) {
    const { error } = failure(failed.reason);
    const text = `${label}: ${count} done, ${results.length - count} failed.${left}`;
    return { kind: "failed", text, ...(error === undefined ? {} : { error }) };
  }
  const [only] = results;
  if (results.length === 1 && only?.status === "fulfilled") {
    return only.value === "" ? undefined : { kind: "done", text: only.value };
  }
  return { kind: "done", text: `${label}: ${plural(count, "resource")} done.${left}` };
}
