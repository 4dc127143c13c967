// A short campaign; `npm run chaos:gitops` runs longer ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gitopsCampaign } from "./campaign.ts";

test("targets equal git after kills and failed calls, and nothing else is pruned", async () => {
  const { findings, summary } = await gitopsCampaign({
    seed: 1,
    deployments: 4,
    troubleMs: 15_000,
    killMs: [2_000, 5_000],
    failures: 0.2,
    convergeMs: 300_000,
  });
  assert.deepEqual(findings, [], summary);
  assert.match(summary, /[1-9]\d* kills, [1-9]\d* failed calls .* [1-9]\d* lost answers/);
});
