// A short campaign of campaign.ts. `npm run fleet:soak` runs long ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetCampaign } from "./campaign.ts";

test("killed servers and agents leave no record, client or unit behind", async () => {
  const campaign = { seed: 1, instances: 30, troubleMs: 15_000, convergeMs: 240_000 };
  const { findings, summary } = await fleetCampaign(campaign);
  assert.deepEqual(findings, [], summary);
});
