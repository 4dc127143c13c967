// The dialog that is open, and the result of the last action.

import { signal } from "@preact/signals";
import { refetchAll } from "../query/query.ts";
import type { Action, Answers, Impact, Subject } from "./action.ts";

export interface Question {
  readonly action: Pick<Action, "label" | "isDanger">;
  readonly subjects: readonly Subject[];
  readonly impact: Impact;
  /** Undefined: no. */
  readonly answer: (answers: Answers | undefined) => void;
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
  readonly isDanger?: boolean;
  readonly perform: (answers: Answers) => Promise<string>;
}

export async function askAndPerform({ impact, perform, ...action }: Task): Promise<void> {
  const answers = await answersTo({ action, subjects: [], impact });
  if (answers === undefined) return;
  try {
    report.value = { kind: "done", text: await perform(answers) };
    refetchAll();
  } catch (error) {
    report.value = failure(error);
  }
}

/** Opens the dialog; undefined when the user says no. */
export async function answersTo(asked: Omit<Question, "answer">): Promise<Answers | undefined> {
  const { promise, resolve } = Promise.withResolvers<Answers | undefined>();
  question.value = { ...asked, answer: resolve };
  const answers = await promise;
  question.value = undefined;
  return answers;
}

export function failure(reason: unknown): Report {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  return { kind: "failed", text: error.message, error };
}
