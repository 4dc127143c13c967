// What an author wants to have in a status is looked at before it is merged: merging takes objects
// apart, so that of a Date, a Map or the like nothing would be left, and nobody would be told.

import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";

const longestPath = 200;

/** Refuses fields with objects that are neither plain nor lists. */
export function checkStatusFields(fields: unknown): void {
  const path: string[] = [];
  const problem = problemIn(fields, limits.maxJsonDepth, path);
  if (problem === undefined) return;
  const where = `status${path.toReversed().join("")}`.slice(0, longestPath);
  throw new SetpointError("resource.invalid", `${where} ${problem}`);
}

/** Leaves behind the way from the inside out, which is nothing when there is no problem. */
function problemIn(value: unknown, depth: number, path: string[]): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth <= 0) return "is nested too deeply";
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) {
      const problem = problemIn(inner, depth - 1, path);
      if (problem === undefined) continue;
      path.push(`[${index}]`);
      return problem;
    }
    return undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return `is ${nameOf(prototype)}; it must be a plain object`;
  }
  for (const [key, inner] of Object.entries(value)) {
    const problem = problemIn(inner, depth - 1, path);
    if (problem === undefined) continue;
    path.push(`.${key}`);
    return problem;
  }
  return undefined;
}

function nameOf(prototype: unknown): string {
  const { constructor: maker } = prototype as { readonly constructor?: unknown };
  return typeof maker === "function" && maker.name !== ""
    ? `an instance of ${maker.name.slice(0, longestPath)}`
    : "an instance of a class";
}
