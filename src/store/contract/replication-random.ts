/**
 * Random commands on a primary, shipped in random portions: at each end the secondary has all that
 * the primary has, but for due times. Seeds are those of random.ts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { manualClock } from "../../kernel/clock.ts";
import type { OpenReplicated } from "./harness.ts";
import { ModelStore } from "./model.ts";
import { runCommand } from "./random.ts";
import type { Pair } from "./random.ts";
import { assertSameState } from "./random-compare.ts";
import { command } from "./random-commands.ts";
import { catchUp, openCluster } from "./replication.ts";

export function randomReplication(
  title: string,
  openPrimary: OpenReplicated,
  openSecondary: OpenReplicated,
  runs: number,
): void {
  const { seed, numRuns = runs } = fc.readConfigureGlobal();
  test(`${title}: a secondary equals its primary after random commands`, async (t) => {
    t.diagnostic(`seed ${seed}, ${numRuns} runs`);
    const step = fc.record({
      next: command,
      ships: fc.option(fc.integer({ min: 1, max: 5 }), { freq: 3 }),
    });
    const steps = fc.array(step, { minLength: 1, maxLength: 60, size: "max" });
    const property = fc.asyncProperty(steps, async (sequence) => {
      await using cluster = await openCluster(openPrimary, openSecondary);
      const clock = manualClock();
      const pair: Pair = {
        harness: cluster.first,
        clock,
        model: new ModelStore(clock),
        claims: [],
      };
      for (const { next, ships } of sequence) {
        // Compaction may overtake a secondary, which has to be seeded then.
        if (ships !== null || next.kind === "compact") {
          await catchUp(cluster.primary, cluster.secondary, ships ?? 1);
        }
        await runCommand(pair, next);
      }
      const { primary, secondary } = cluster;
      await catchUp(primary, secondary);
      await secondary.compact((await primary.head()).compacted);
      assert.deepEqual(await secondary.verify(), []);
      await assertSameState(secondary, primary, { isSecondary: true });
    });
    await fc.assert(property, { numRuns, interruptAfterTimeLimit: 600_000 });
  });
}
