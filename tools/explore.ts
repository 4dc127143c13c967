// `npm run explore -- [--minutes 10] [--runs 100] [--jobs 2] [FILE ...]`: property tests and the
// random contract of the stores with other seeds than those of `npm test`, for as long as one
// likes. Each failure is one line that fails again when it is pasted into a shell; the exit code is
// 1 when there was any. A failure becomes a test of its own that does not depend on chance.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { nodeTest, root, runStage, testFiles, tidyFiles } from "./stages.ts";
import { numbersIn, parsedOrExit } from "./usage.ts";

/** Files that run in one process, because loading them takes longer than running them. */
interface Trip {
  readonly files: readonly string[];
  /** Of these files only the tests with such names, where the others do not depend on chance. */
  readonly only?: string;
}

const usage = `usage: npm run explore -- [options] [FILE ...]

  --minutes N   for how long (10)
  --runs N      of each property with each seed (100)
  --jobs N      at the same time (as many as there are processors)`;

const { positionals, minutes, runs, jobs } = parsedOrExit("explore", usage, () => {
  const given = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: "string", default: "10" },
      runs: { type: "string", default: "100" },
      jobs: { type: "string", default: String(Math.max(2, availableParallelism())) },
    },
  });
  return { positionals: given.positionals, ...numbersIn(given.values) };
});

const trips = plan();
const endsAt = performance.now() + minutes * 60_000;
const failed = new Set<string>();
let count = 0;

console.log(`${trips.flatMap(({ files }) => files).length} files for ${minutes} minutes`);
await Promise.all(Array.from({ length: jobs }, lane));
console.log(`${count} trips with a seed each; ${failed.size} failures`);
process.exitCode = failed.size > 0 ? 1 : 0;

function plan(): readonly Trip[] {
  const files = testFiles("{src,examples,tests}/**/*.test.ts").filter(
    (path) => positionals.length === 0 || positionals.includes(path),
  );
  const reading = (pattern: RegExp): readonly string[] =>
    files.filter((path) => pattern.test(readFileSync(join(root, path), "utf8")));
  const properties = reading(/from "fast-check"/).filter((path) => !tidyFiles.includes(path));
  const isUnit = (path: string): boolean => !path.startsWith("tests/");
  return [
    { files: properties.filter(isUnit) },
    ...properties.filter((path) => !isUnit(path)).map((path) => ({ files: [path] })),
    ...reading(/\brandomContract\(/).map((path) => ({ files: [path], only: "random commands" })),
  ].filter((trip) => trip.files.length > 0);
}

async function lane(): Promise<void> {
  while (performance.now() < endsAt) {
    const trip = trips[count % trips.length];
    count += 1;
    if (trip !== undefined) await travel(trip, randomInt(2 ** 31));
  }
}

async function travel(trip: Trip, seed: number): Promise<void> {
  const together = await failureOf(trip, seed);
  if (together === undefined) return;
  // When files that ran together fail, each is tried alone to learn which of them it was.
  let isFound = false;
  for (const file of trip.files.length > 1 ? trip.files : []) {
    const alone = { ...trip, files: [file] };
    const failure = await failureOf(alone, seed);
    if (failure !== undefined) tell(alone, seed, failure);
    isFound ||= failure !== undefined;
  }
  if (!isFound) tell(trip, seed, together);
}

function tell({ files, only }: Trip, seed: number, failure: string): void {
  const named = files.join(" ");
  const names = only === undefined ? "" : `--test-name-pattern="${only}" `;
  if (failed.has(named)) return;
  failed.add(named);
  console.log(`${settings(seed).join(" ")} npm run unit -- ${names}${named}  # ${failure}`);
}

/** The first test that failed. */
async function failureOf({ files, only }: Trip, seed: number): Promise<string | undefined> {
  const names = only === undefined ? [] : [`--test-name-pattern=${only}`];
  // What never answers has failed, too.
  const limits = ["--test-timeout=900000", "--test-force-exit"];
  const { command, args } = nodeTest(["--test-isolation=none", ...limits, ...names, ...files]);
  const stage = { name: "explore", command: "env", args: [...settings(seed), command, ...args] };
  const { code, output } = await runStage(stage);
  if (code === 0) return undefined;
  return /^\s*✖ (.+)$/m.exec(output)?.[1] ?? `exit code ${code}`;
}

function settings(seed: number): readonly string[] {
  return [`SETPOINT_SEED=${seed}`, `SETPOINT_RUNS=${runs}`];
}
