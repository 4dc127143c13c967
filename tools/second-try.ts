// Runs the end-to-end tests, and files with failed tests a second time, alone. A test that fails
// only while other tests use the processors is unstable. That is a bug of the test or of the
// product, so it is listed with the output of its failure above, but it does not hide whether a
// change broke something.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addTallies, nodeTest, reportFailedFiles, runStage, tallyOf } from "./stages.ts";
import type { Tally } from "./stages.ts";

/** More failed files than these are no accident: all of them count as failed. */
const mostUnstable = 3;

export interface CrossingResult {
  readonly tally: Tally;
  /** Files whose tests failed at first and passed alone. */
  readonly unstable: readonly string[];
}

export async function runCrossing(
  files: readonly string[],
  options: readonly string[],
): Promise<CrossingResult> {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-test-"));
  try {
    const report = join(folder, "failed");
    const args = nodeTest([...reportFailedFiles(report), ...options, ...files]);
    const first = await runStage({ name: "e2e", ...args }, true);
    const tally = tallyOf(first);
    if (tally.failed === 0) return { tally, unstable: [] };
    const failed = readFileSync(report, "utf8").split("\n").filter(Boolean);
    if (failed.length === 0 || failed.length > mostUnstable) return { tally, unstable: [] };
    console.log(`\nRunning again, alone: ${failed.join(" ")}\n`);
    const again = ["--test-concurrency=1", "--test-timeout=600000", ...failed];
    const second = tallyOf(await runStage({ name: "again", ...nodeTest(again) }, true));
    if (second.failed > 0) return { tally, unstable: [] };
    return {
      tally: addTallies(tally, { passed: 0, failed: -tally.failed, skipped: 0 }),
      unstable: failed,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
