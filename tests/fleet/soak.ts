// `npm run fleet:soak -- [--instances 2000] [--seconds 300] [--seed 1]`: a long campaign. Prints a
// summary; exit code 1 when something is left behind.
import { parseArgs } from "node:util";
import { numbersIn, parsedOrExit } from "../../tools/usage.ts";
import { fleetCampaign } from "./campaign.ts";

const usage = `usage: npm run fleet:soak -- [options]

  --instances N   that are created and deleted (2000)
  --seconds N     during which servers and agents are killed (300)
  --seed N        of the decisions (1)`;

const options = {
  instances: { type: "string", default: "2000" },
  seconds: { type: "string", default: "300" },
  seed: { type: "string", default: "1" },
} as const;
const given = parsedOrExit("fleet:soak", usage, () => numbersIn(parseArgs({ options }).values));
const { instances, seconds, seed } = given;
const campaign = { seed, instances, troubleMs: seconds * 1_000, convergeMs: 900_000 };
const { findings, summary } = await fleetCampaign(campaign);
console.log(`seed ${seed}: ${summary}: ${findings.length === 0 ? "sound" : "BROKEN"}`);
for (const finding of findings.slice(0, 50)) console.log(`  ${finding}`);
process.exitCode = findings.length > 0 ? 1 : 0;
