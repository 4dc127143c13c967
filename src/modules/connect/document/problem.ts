// What is wrong with a document, and where: the file and the JSON Pointer into it. A document that
// is broken in one place is still read in all others, so problems are collected, not thrown, and
// their number is bounded, since one mistake may stand in a thousand places.

import { connectLimits } from "../limits.ts";

export interface Problem {
  /** "error": something is missing now. "warning": something was guessed. "note": good to know. */
  readonly severity: "error" | "warning" | "note";
  readonly file: string;
  readonly pointer: string;
  readonly message: string;
}

export interface Problems {
  add(problem: Problem): void;
  /** Each place once, in the order they were found. */
  all(): readonly Problem[];
  /** How many more there were than are kept. */
  dropped(): number;
}

export function collectProblems(): Problems {
  const found = new Map<string, Problem>();
  let dropped = 0;
  return {
    add: (problem) => {
      const key = `${problem.file}#${problem.pointer} ${problem.message}`;
      if (found.has(key)) return;
      if (found.size < connectLimits.maxProblems) found.set(key, problem);
      else dropped += 1;
    },
    all: () => [...found.values()],
    dropped: () => dropped,
  };
}

export function problemText({ severity, file, pointer, message }: Problem): string {
  return `${severity}: ${file}#${pointer}: ${message}`;
}
