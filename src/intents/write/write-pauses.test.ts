import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../kernel/limits.ts";
import { writePauses } from "./write-pauses.ts";
import type { PausedWrite } from "./write-pauses.ts";

const user = { name: "u", uid: "", groups: [], extra: {} };
const write = (options: PausedWrite["options"]): PausedWrite => ({
  caller: { user, tenant: "namespace n" },
  target: { namespace: "n" },
  options,
});

test("a write of unknown size pauses after a step that took long", async (t) => {
  let nowMs = 1_000;
  const clock = t.mock.method(performance, "now", () => nowMs);
  const pause = writePauses(write({}));
  assert.equal(pause(), undefined);
  nowMs += limits.inlineCheckMs + 1;
  const small = writePauses(write({ bodyBytes: 10 }));
  assert.equal(small(), undefined);
  const own = writePauses({ ...write({}), caller: { user } });
  nowMs += limits.inlineCheckMs + 1;
  assert.equal(own(), undefined, "a write of the server itself");
  const turn = pause();
  clock.mock.restore();
  assert.ok(turn instanceof Promise);
  await turn;
});

test("a small write never pauses, and a large one after each step", async () => {
  const small = writePauses(write({ bodyBytes: 10 }));
  assert.equal(small(), undefined);
  const large = writePauses(write({ bodyBytes: limits.minSlicedBytes }))();
  assert.ok(large instanceof Promise);
  await large;
});
