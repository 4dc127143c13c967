import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { LoopShare } from "./loop-share.ts";

interface Rig {
  readonly share: LoopShare;
  /** Runs one turn of the event loop; whether anything was planned for it. */
  readonly turn: () => Promise<boolean>;
  readonly read: string[];
  readonly start: (tenant: string, bytes: number) => void;
}

function rig(): Rig {
  const planned: (() => void)[] = [];
  const share = new LoopShare({ bytesPerTurn: 100, later: (run) => void planned.push(run) });
  const read: string[] = [];
  const start = (tenant: string, bytes: number): void => {
    const readPage = async (waiting: Promise<void> | undefined): Promise<void> => {
      if (waiting !== undefined) await waiting;
      read.push(tenant);
      share.spend(bytes);
    };
    void readPage(share.enter(tenant));
  };
  const turn = async (): Promise<boolean> => {
    const run = planned.shift();
    run?.();
    await Promise.resolve();
    await Promise.resolve();
    return run !== undefined;
  };
  return { share, turn, read, start };
}

test("small pages are read in one turn of the event loop", () => {
  const { start, read } = rig();
  for (let at = 0; at < 10; at++) start("a", 10);
  equal(read.length, 10);
});

test("when a turn has read enough, pages wait for later turns, one in each", async () => {
  const { start, read, turn } = rig();
  for (let at = 0; at < 4; at++) start("a", 100);
  equal(read.length, 1);
  for (const expected of [2, 3, 4]) {
    ok(await turn());
    equal(read.length, expected);
  }
});

test("a tenant with one list waits for one page of each other tenant", async () => {
  const { start, read, turn } = rig();
  for (let at = 0; at < 20; at++) start("flood", 100);
  start("b", 10);
  await turn();
  await turn();
  deepEqual(read, ["flood", "flood", "b"]);
});

test("nothing is planned when nothing is read", async () => {
  const { start, turn } = rig();
  start("a", 10);
  equal(await turn(), true);
  equal(await turn(), false);
});
