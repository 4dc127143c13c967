/** What a load says of a dump that breaks the store's invariants. It is rolled back whole. */
import { SetpointError } from "../kernel/errors.ts";

/** How many findings are told; one is enough to refuse. */
export const loadFindings = 5;

export function unsoundDump(problems: readonly string[]): SetpointError {
  return new SetpointError("backup.invalid", `the dump is not sound: ${problems[0]}`, {
    details: { problems: [...problems] },
    suggestion: "restore another backup",
  });
}
