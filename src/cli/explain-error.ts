// An error as people read it on the command line.
import { entryOf, isSetpointError } from "../kernel/errors.ts";
import type { SetpointError } from "../kernel/errors.ts";
import { objectsAt, textAt } from "../kernel/json-read.ts";
import { errorChain } from "../telemetry/log.ts";

/** The message of one field error names the field. */
function fieldLines({ details }: SetpointError): string {
  const errors = objectsAt(details, "errors");
  if (errors.length < 2) return "";
  return errors.map((each) => `  ${textAt(each, "field")}: ${textAt(each, "detail")}\n`).join("");
}

/** What went wrong, why, and what to do; a defect of ours shows its stack instead. */
export function explain(error: unknown): string {
  if (!isSetpointError(error)) {
    return `setpoint: ${error instanceof Error ? error.stack : String(error)}\n`;
  }
  const causes = errorChain(error)
    .slice(1)
    .map((cause) => `  because: ${(cause as { message: string }).message}\n`);
  const action = `  try: ${error.suggestion ?? entryOf(error.code).action}\n`;
  const fields = fieldLines(error);
  return `setpoint: ${error.message} [${error.code}]\n${fields}${causes.join("")}${action}`;
}
