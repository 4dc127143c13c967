// Many processes, real trouble: see effects-campaign.ts for the method and soak.ts for as long as
// one likes. SETPOINT_SEED chooses other trouble.
import assert from "node:assert/strict";
import { test } from "node:test";
import { seed } from "../seed.ts";
import { effectsCampaign } from "./effects-campaign.ts";

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
  assert.equal(result.findings.length, 0, `SETPOINT_SEED=${seed}\n  ${shown}`);
});
