// Trouble for as long as one likes: `npm run soak -- --minutes 30 [--seed 1] [--resources 2000]`.
// Campaigns of effects-campaign.ts, one after the other on fresh databases, each from the next
// seed. One line per campaign, a summary at the end, exit code 1 when a promise was broken.
import { parseArgs } from "node:util";
import { effectsCampaign } from "./effects-campaign.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    resources: { type: "string", default: "2000" },
    seconds: { type: "string", default: "60" },
  },
});
const [minutes, first, resources, seconds] = [
  Number(values.minutes),
  Number(values.seed),
  Number(values.resources),
  Number(values.seconds),
];
if (![minutes, first, resources, seconds].every((value) => value > 0)) {
  console.error("soak: --minutes, --seed, --resources and --seconds take numbers above zero");
  process.exit(2);
}

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
