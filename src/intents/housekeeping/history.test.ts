import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as assertProperty, asyncProperty, nat } from "fast-check";
import { limits } from "../../kernel/limits.ts";
import type { Change, ChangePage, CompactResult, Head } from "../../store/port.ts";
import { forgetHistory } from "./history.ts";

/** A log whose change number r was made at times[r - 1]. */
function logOf(times: readonly number[], compacted: number) {
  let mark = compacted;
  let reads = 0;
  return {
    reads: () => reads,
    mark: () => mark,
    head: async (): Promise<Head> => ({ revision: times.length, compacted: mark }),
    changes: async (after: number): Promise<ChangePage> => {
      reads += 1;
      const atMs = times[after];
      const changes = atMs === undefined ? [] : [{ revision: after + 1, atMs } as Change];
      return { revision: times.length, compacted: mark, changes, through: after + 1 };
    },
    compact: async (upTo: number): Promise<CompactResult> => {
      mark = upTo;
      return { compacted: upTo, removed: 0 };
    },
  };
}

test("exactly what is older than the time to keep is forgotten, found in few reads", async () => {
  const steps = array(nat(1_000), { minLength: 1, maxLength: 4_000 });
  await assertProperty(
    asyncProperty(steps, nat(2_000_000), async (gaps, nowMs) => {
      let at = 0;
      const times = gaps.map((gap) => (at += gap));
      const log = logOf(times, 0);
      await forgetHistory(log, { nowMs, keepMs: 1_000 });
      const old = times.filter((time) => time < nowMs - 1_000).length;
      assert.equal(log.mark(), old < limits.minForgottenChanges ? 0 : old);
      assert.ok(log.reads() <= Math.ceil(Math.log2(times.length + 1)) + 1);
    }),
    { numRuns: 50 },
  );
});

test("a slow reader holds what it has not read, and not longer than its time", async () => {
  const times = Array.from({ length: 10_000 }, (_none, at) => at);
  const nowMs = 20_000;
  const keepMs = 11_000;
  const upTo = async (read: number | undefined, holdMs: number): Promise<number> => {
    const log = logOf(times, 0);
    await forgetHistory(log, { nowMs, keepMs, readers: [{ floor: async () => read, holdMs }] });
    return log.mark();
  };
  assert.equal(await upTo(undefined, 5_000), 9_000, "it reads nothing");
  assert.equal(await upTo(9_500, 5_000), 9_000, "it has read what is forgotten");
  assert.equal(await upTo(6_000, 5_000), 6_000, "it is behind");
  assert.equal(await upTo(2_000, 5_000), 4_000, "it is behind for too long");
});
