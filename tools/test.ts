// `npm test`: installs the peers that are missing, runs what `npm run check` runs and the long unit
// tests, then the end-to-end tests against real peers. The last line counts the tests of all of it.
import { parseArgs } from "node:util";
import { ensurePeersOrExit } from "./peers.ts";
import { runCrossing } from "./second-try.ts";
import { addTallies, checkStages, longStage, runStages, testFiles, tidyFiles } from "./stages.ts";
import { parsedOrExit } from "./usage.ts";

const usage = `usage: npm test

It takes no options, installs the peers that are missing and runs every test.
Without peers, in seconds: npm run check. One file: npm run unit -- FILE`;

parsedOrExit("test", usage, () => parseArgs({ options: {} }));
await ensurePeersOrExit();
const checked = await runStages([longStage(), ...checkStages()]);

const files = testFiles("tests/**/*.test.ts").filter((path) => !tidyFiles.includes(path));
const options = ["--test-concurrency=2", "--test-timeout=600000"];
const { tally, unstable } = await runCrossing(files, options);

const { passed, failed, skipped } = addTallies(checked, tally);
if (checked.failed > 0) console.log("\nthe check before the end-to-end tests failed: see above");
for (const file of unstable) console.log(`\nunstable, failed once and passed alone: ${file}`);
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 ? 1 : 0;
