import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetLimits } from "../limits.ts";
import { tokenEpoch } from "./agent-token.ts";

test("a token is replaced before half of its life is over", () => {
  const lifeMs = fleetLimits.agentTokenSeconds * 1_000;
  for (const startMs of [0, 1, lifeMs / 3, 1_800_000_000_000]) {
    const epochs = [0, 0.25, 0.5].map((part) => tokenEpoch(startMs + lifeMs * part));
    assert.ok((epochs[2] ?? 0) > (epochs[0] ?? 0), `from ${startMs}`);
    assert.ok((epochs[2] ?? 0) - (epochs[0] ?? 0) <= 2, "and not much more often");
  }
});
