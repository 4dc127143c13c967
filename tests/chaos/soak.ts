// Trouble for as long as one likes: `npm run soak -- --minutes 30 [--seed 1] [--resources 2000]`.
// Campaigns of effects-campaign.ts, one after the other on fresh databases, each from the next
// seed. One line per campaign, a summary at the end, exit code 1 when a promise was broken.
import { parseArgs } from "node:util";
import { numbersIn, parsedOrExit } from "../../tools/usage.ts";
import { effectsCampaign } from "./effects-campaign.ts";

const usage = `usage: npm run soak -- [options]

  --minutes N     for how long (10)
  --seed N        of the first campaign
  --resources N   in each campaign (2000)
  --seconds N     of trouble in each campaign (60)`;

const options = {
  minutes: { type: "string", default: "10" },
  seed: { type: "string", default: String((Date.now() % 1_000_000) + 1) },
  resources: { type: "string", default: "2000" },
  seconds: { type: "string", default: "60" },
} as const;
const given = parsedOrExit("soak", usage, () => numbersIn(parseArgs({ options }).values));
const { minutes, seed: first, resources, seconds } = given;

console.log(`seed ${first}; for ${minutes} minutes, ${seconds} s of trouble at a time`);
const endsAt = performance.now() + minutes * 60_000;
const broken: number[] = [];
let seed = first;
for (; seed === first || performance.now() < endsAt; seed += 1) {
  const troubleMs = seconds * 1_000;
  const campaign = { seed, resources, troubleMs, convergeMs: 120_000 };
  const { findings, summary } = await effectsCampaign(campaign);
  console.log(`seed ${seed}: ${summary}: ${findings.length === 0 ? "sound" : "BROKEN"}`);
  for (const finding of findings.slice(0, 20)) console.log(`  ${finding}`);
  if (findings.length > 0) broken.push(seed);
}
const verdict = broken.length === 0 ? "none broken" : `broken: seeds ${broken.join(", ")}`;
console.log(`\n${seed - first} campaigns of ${resources} resources: ${verdict}`);
process.exitCode = broken.length > 0 ? 1 : 0;
