// Rooms that wait for one frame continue in turns. The test starts the turns; a step costs 1.
import assert from "node:assert/strict";
import { it } from "node:test";
import { FairTurns } from "../../kernel/fair-turns.ts";
import { FrameWaits } from "./frame-waits.ts";
import type { FrameWaiter } from "./frame-waits.ts";

function rig(): { readonly waits: FrameWaits; readonly turn: () => boolean } {
  const planned: (() => void)[] = [];
  let reading = 0;
  const later = (run: () => void): void => void planned.push(run);
  const turns = new FairTurns({ budget: 10, later, clock: () => (reading += 1) });
  const turn = (): boolean => {
    const run = planned.shift();
    run?.();
    return run !== undefined;
  };
  return { waits: new FrameWaits(turns), turn };
}

function waiter(seen: string[]): FrameWaiter {
  return {
    receive: (_, bytes) => void seen.push(bytes.toString()),
    refuse: (_, error) => void seen.push((error as Error).message),
  };
}

it("a thousand rooms of one tenant continue in turns, between those of another", async () => {
  const { waits, turn } = rig();
  const [many, one]: [string[], string[]] = [[], []];
  const frame = Promise.resolve(Buffer.from("frame"));
  for (let room = 0; room < 1_000; room++) waits.add(frame, "many", waiter(many));
  waits.add(frame, "one", waiter(one));
  await frame;
  assert.ok(many.length > 0 && many.length <= 10, `${many.length} rooms continue at once`);
  turn();
  assert.deepEqual(one, ["frame"]);
  assert.ok(many.length <= 20, `${many.length} rooms continue in two turns`);
  while (turn());
  assert.equal(many.length, 1_000);
});

it("each room learns once that a frame could not be made", async () => {
  const { waits, turn } = rig();
  const seen: string[] = [];
  const frame = Promise.reject<Buffer>(new Error("no converter"));
  for (let room = 0; room < 30; room++) waits.add(frame, "a", waiter(seen));
  await assert.rejects(frame);
  while (turn());
  assert.deepEqual(
    seen,
    Array.from({ length: 30 }, () => "no converter"),
  );
});
