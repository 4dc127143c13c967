// Many processes, real trouble: see effects-campaign.ts for the method and soak.ts for as long as
// one likes. Set SETPOINT_CHAOS_SEED to repeat a run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { effectsCampaign } from "./effects-campaign.ts";

const seed = Number(process.env["SETPOINT_CHAOS_SEED"] ?? Date.now() % 1_000_000);

test("every resource converges, and no effect is by a stale holder", async (t) => {
  const result = await effectsCampaign({
    seed,
    resources: 2_000,
    troubleMs: 30_000,
    convergeMs: 90_000,
    tell: (line) => t.diagnostic(line),
  });
  t.diagnostic(`seed ${seed}: ${result.summary}`);
  const shown = result.findings.slice(0, 20).join("\n  ");
  assert.equal(result.findings.length, 0, `SETPOINT_CHAOS_SEED=${seed}\n  ${shown}`);
});
