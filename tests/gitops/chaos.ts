// `npm run chaos:gitops [-- --minutes 10] [--deployments 20] [--seed 1]`: SIGKILL every 10 to 55 s
// and 20 % of the calls of store and target failing. Prints a summary; exit code 1 when a target
// differs from git.
import { parseArgs } from "node:util";
import { numbersIn, parsedOrExit } from "../../tools/usage.ts";
import { gitopsCampaign } from "./campaign.ts";

const usage = `usage: npm run chaos:gitops -- [options]

  --minutes N       of trouble (10)
  --deployments N   half of them in another server (20)
  --seed N          of the decisions (1)`;

const options = {
  minutes: { type: "string", default: "10" },
  deployments: { type: "string", default: "20" },
  seed: { type: "string", default: "1" },
} as const;
const given = parsedOrExit("chaos:gitops", usage, () => numbersIn(parseArgs({ options }).values));
const { minutes, deployments, seed } = given;
const { findings, summary } = await gitopsCampaign({
  seed,
  deployments,
  troubleMs: minutes * 60_000,
  killMs: [10_000, 55_000],
  failures: 0.2,
  convergeMs: 900_000,
});
console.log(`seed ${seed}: ${summary}: ${findings.length === 0 ? "sound" : "BROKEN"}`);
for (const finding of findings.slice(0, 50)) console.log(`  ${finding}`);
process.exitCode = findings.length > 0 ? 1 : 0;
