// An error as people read it on the command line.
import { entryOf, isSetpointError } from "../kernel/errors.ts";
import { errorChain } from "../telemetry/log.ts";

/** What went wrong, why, and what to do; a defect of ours shows its stack instead. */
export function explain(error: unknown): string {
  if (!isSetpointError(error)) {
    return `setpoint: ${error instanceof Error ? error.stack : String(error)}\n`;
  }
  const causes = errorChain(error)
    .slice(1)
    .map((cause) => `  because: ${(cause as { message: string }).message}\n`);
  const action = `  try: ${error.suggestion ?? entryOf(error.code).action}\n`;
  return `setpoint: ${error.message} [${error.code}]\n${causes.join("")}${action}`;
}
