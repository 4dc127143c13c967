// Why a group of writes was refused: the write at fault says more than those refused with it.

import { isSetpointError } from "../../kernel/errors.ts";
import type { SetpointError } from "../../kernel/errors.ts";
import type { Answer } from "../../store/port.ts";

/** Undefined when all were done. */
export function refusalIn(answers: readonly Answer[]): SetpointError | undefined {
  let found: SetpointError | undefined;
  for (const answer of answers) {
    if (answer.kind !== "refused") continue;
    if (!isSetpointError(answer.error, "resource.group_refused")) return answer.error;
    found ??= answer.error;
  }
  return found;
}
