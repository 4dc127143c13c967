// Chance in tests is one number. It is the same on every run, so that what passes here passes
// everywhere, and what fails once fails again. `tools/run` and the stages of `npm test` load this
// file before any test: from then on every property of fast-check begins with this seed, unless it
// names another. `npm run explore` sets other seeds, and how many runs a property has that does not
// say so itself.
import * as fc from "fast-check";

const { SETPOINT_SEED: givenSeed, SETPOINT_RUNS: givenRuns } = process.env;

export const seed = numberOf("SETPOINT_SEED", givenSeed) ?? 1;

const numRuns = numberOf("SETPOINT_RUNS", givenRuns);
fc.configureGlobal({ seed, ...(numRuns !== undefined && { numRuns }) });

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`${name} takes a whole number, not ${text}`);
  return number;
}
