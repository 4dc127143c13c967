// `npm run check`: everything that needs no peer, in seconds; run it before each commit.
import { parseArgs } from "node:util";
import { checkStages, runStages } from "./stages.ts";
import { parsedOrExit } from "./usage.ts";

const usage = `usage: npm run check

It takes no options and runs format, types, lint, unit tests and tidy rules.
One file of tests: npm run unit -- FILE`;

parsedOrExit("check", usage, () => parseArgs({ options: {} }));

const { failed } = await runStages(checkStages());
process.exitCode = failed > 0 ? 1 : 0;
