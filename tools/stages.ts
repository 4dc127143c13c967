// Runs the stages of `npm run check` and `npm test`: two at a time, one line each, and the full
// output only of those that fail. A stage is any command; stages that are node:test runs also
// yield how many tests passed and failed.
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const root = join(import.meta.dirname, "..");

export interface Stage {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Outcome {
  readonly stage: Stage;
  readonly code: number;
  readonly output: string;
  readonly seconds: number;
}

/** Each a process of one thread; starting one takes half a second. */
const unitParts = 4;

/** For programs in Go that end within seconds: a fifth of their time is collecting garbage. */
const seldomCollecting = { GOGC: "400" };

/** Tests about the repository itself. */
export const tidyFiles: readonly string[] = ["tests/tidy.test.ts", "tests/conformance.test.ts"];

/** What can be checked without starting anything: each stage is independent of the others. */
export function checkStages(): readonly Stage[] {
  const tool = (name: string): string => join(root, "node_modules", ".bin", name);
  const units = unitFiles().filter((path) => !isLong(path));
  return [
    // First, because they take longest, and in parts, so that no processor waits for another.
    ...Array.from({ length: unitParts }, (_, part) => ({
      name: `unit ${part + 1}`,
      ...nodeTest([
        "--test-isolation=none",
        ...units.filter((_path, index) => index % unitParts === part),
      ]),
    })),
    { name: "lint", command: tool("oxlint"), args: ["--deny-warnings"], env: seldomCollecting },
    { name: "types", command: tool("tsc"), args: ["--pretty", "false"], env: seldomCollecting },
    {
      name: "console",
      command: tool("tsc"),
      args: ["--project", "console", "--pretty", "false"],
      env: seldomCollecting,
    },
    { name: "tidy", ...nodeTest(["--test-isolation=none", ...tidyFiles]) },
    { name: "format", command: tool("oxfmt"), args: ["--check", "."] },
  ];
}

/** The unit tests that take a second each: properties and crowds. `npm test` runs them. */
export function longStage(): Stage {
  return { name: "long", ...nodeTest(["--test-isolation=none", ...unitFiles().filter(isLong)]) };
}

function unitFiles(): readonly string[] {
  return testFiles("{src,examples,console}/**/*.test.ts");
}

function isLong(path: string): boolean {
  return path.endsWith(".long.test.ts");
}

export function nodeTest(args: readonly string[]): Pick<Stage, "command" | "args"> {
  const seed = pathToFileURL(join(root, "tests", "seed.ts")).href;
  return {
    command: process.execPath,
    args: ["--conditions=setpoint-source", "--import", seed, "--test", ...reporters(), ...args],
  };
}

/** Both write to standard output: the results as they come, and the slowest files at the end. */
function reporters(): readonly string[] {
  return ["spec", reporterFile("slow-files.ts")].flatMap((name) => reporter(name, "stdout"));
}

/** The options that make a run of node:test write the files with failed tests to `path`. */
export function reportFailedFiles(path: string): readonly string[] {
  return reporter(reporterFile("failed-files.ts"), path);
}

function reporterFile(name: string): string {
  return pathToFileURL(join(root, "tools", name)).href;
}

function reporter(name: string, destination: string): readonly string[] {
  return [`--test-reporter=${name}`, `--test-reporter-destination=${destination}`];
}

export function testFiles(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root, exclude: ["**/node_modules/**"] }).sort();
}

/** Runs the stages and returns the sum of their tests; a failed stage counts as a failed test. */
export async function runStages(stages: readonly Stage[]): Promise<Tally> {
  const queue = [...stages];
  const outcomes: Outcome[] = [];
  const lane = async (): Promise<void> => {
    for (let stage = queue.shift(); stage !== undefined; stage = queue.shift()) {
      const outcome = await runStage(stage);
      const verdict = outcome.code === 0 ? "pass" : "FAIL";
      console.log(
        `${verdict}  ${stage.name.padEnd(8)} ${outcome.seconds.toFixed(1).padStart(6)} s`,
      );
      outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, lane));
  for (const { stage, code, output } of outcomes) {
    if (code !== 0) console.log(`\n--- ${stage.name} (exit code ${code}) ---\n${output.trim()}\n`);
  }
  return outcomes.map(tallyOf).reduce(addTallies, { passed: 0, failed: 0, skipped: 0 });
}

/** Runs one stage; with `echo` its output is shown as it comes. */
export async function runStage(stage: Stage, echo = false): Promise<Outcome> {
  const startedAt = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const child = spawn(stage.command, stage.args, {
    cwd: root,
    env: { ...process.env, ...stage.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: string): void => {
    output += chunk;
    if (echo) process.stdout.write(chunk);
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  child.once("error", reject);
  child.once("close", (code) => {
    const seconds = (performance.now() - startedAt) / 1000;
    resolve({ stage, code: code ?? 1, output, seconds });
  });
  return await promise;
}

export function tallyOf({ code, output }: Pick<Outcome, "code" | "output">): Tally {
  const count = (word: string): number =>
    Number(new RegExp(`^ℹ ${word} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  const failed = count("fail") + count("cancelled");
  return {
    passed: count("pass"),
    failed: code === 0 ? 0 : Math.max(1, failed),
    skipped: count("skipped") + count("todo"),
  };
}

export function addTallies(a: Tally, b: Tally): Tally {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
