// The dialog that is open, and the result of the last action.

import { signal } from "@preact/signals";
import { refetchAll } from "../query/query.ts";
import type { Action, Impact, Subject } from "./action.ts";

export interface Question {
  readonly action: Pick<Action, "label" | "isDanger">;
  readonly subjects: readonly Subject[];
  readonly impact: Impact;
  readonly answer: (isConfirmed: boolean) => void;
}

export interface Report {
  readonly kind: "done" | "failed";
  readonly text: string;
  readonly error?: Error;
}

/** The dialog that is open. */
export const question = signal<Question | undefined>(undefined);
/** The result of the last action. */
export const report = signal<Report | undefined>(undefined);
/** A question and its work that belong to a part of a page, and not to the selected resource. */
export interface Task {
  readonly label: string;
  readonly impact: Impact;
  readonly perform: () => Promise<string>;
}

export async function askAndPerform({ label, impact, perform }: Task): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  question.value = { action: { label }, subjects: [], impact, answer: resolve };
  const isConfirmed = await promise;
  question.value = undefined;
  if (!isConfirmed) return;
  try {
    report.value = { kind: "done", text: await perform() };
    refetchAll();
  } catch (error) {
    report.value = failure(error);
  }
}

export function failure(reason: unknown): Report {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  return { kind: "failed", text: error.message, error };
}
