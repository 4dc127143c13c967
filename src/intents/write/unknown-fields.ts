// What happens to fields that a kind does not declare and to keys given twice: refused, warned of
// or ignored, as the client asked. They are never stored either way.

import { badRequest } from "../refusals.ts";
import type { Caller, FieldValidation, Target } from "../request.ts";

export interface Strictness {
  readonly mode: FieldValidation;
  /** Found by the decoder, which alone sees them: `duplicate field "spec.x"`. */
  readonly decodeProblems: readonly string[];
}

export function reportUnknownFields(
  caller: Caller,
  target: Target,
  unknown: readonly string[],
  { mode, decodeProblems }: Strictness,
  form: "document" | "patch",
): void {
  if (mode === "Ignore" || (unknown.length === 0 && decodeProblems.length === 0)) return;
  const problems = [...decodeProblems, ...unknown.map((path) => `unknown field "${path}"`)];
  if (mode === "Warn") {
    for (const problem of problems) caller.warn(problem);
    return;
  }
  const strict = `strict decoding error: ${problems.join(", ")}`;
  if (form === "patch") throw badRequest(strict);
  const { kind } = target.served.kind.names;
  throw badRequest(
    `${kind} in version "${target.version.name}" cannot be handled as a ${kind}: ${strict}`,
  );
}
