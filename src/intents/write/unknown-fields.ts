// What happens to fields that a kind does not declare and to keys given twice: refused, warned of
// or ignored, as the client asked. They are never stored either way.

import { shownFieldPath } from "../../kernel/hidden-values.ts";
import { limits } from "../../kernel/limits.ts";
import { badRequest } from "../refusals.ts";
import type { Caller, FieldValidation, Target } from "../request.ts";

export interface Strictness {
  readonly mode: FieldValidation;
  /** Found by the decoder, which alone sees them: `duplicate field "spec.x"`. */
  readonly decodeProblems: readonly string[];
  /** Why the kind does not declare a field, such as `spec.serial`. */
  readonly explain?: (path: string) => string | undefined;
}

/** Throws what makes a document unfit, for the caller to put into its own words. */
export function reportUnknownFields(
  caller: Caller,
  target: Target,
  unknown: readonly string[],
  strictness: Strictness,
): void {
  const problem = strictProblem(caller, target, unknown, strictness);
  if (problem === undefined) return;
  const { kind } = target.served.kind.names;
  throw badRequest(
    `${kind} in version "${target.version.name}" cannot be handled as a ${kind}: ${problem}`,
  );
}

/** Warns, ignores, or says why the document is to be refused. */
export function strictProblem(
  caller: Caller,
  { served }: Pick<Target, "served">,
  unknown: readonly string[],
  { mode, decodeProblems, explain }: Strictness,
): string | undefined {
  if (mode === "Ignore" || (unknown.length === 0 && decodeProblems.length === 0)) return undefined;
  const max = limits.maxShownErrors;
  const fields = unknown.slice(0, max).map((path) => {
    const why = explain?.(path);
    const shown = shownFieldPath(served.kind, path);
    return `unknown field "${shown}"${why === undefined ? "" : ` (${why})`}`;
  });
  if (mode === "Warn") {
    for (const problem of [...decodeProblems, ...fields]) caller.warn(problem);
    return undefined;
  }
  const isYaml = decodeProblems.some((problem) => problem.startsWith("line "));
  const decoding = isYaml
    ? [`yaml: unmarshal errors:\n  ${decodeProblems.join("\n  ")}`]
    : decodeProblems;
  const more = unknown.length > max ? [`and ${unknown.length - max} more unknown fields`] : [];
  return `strict decoding error: ${[...decoding, ...fields, ...more].join(", ")}`;
}
