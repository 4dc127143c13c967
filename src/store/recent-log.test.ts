import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { keyText } from "../kernel/resource.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Change } from "./port.ts";
import { RecentLog, Signal } from "./recent-log.ts";
import type { RecentPage } from "./recent-log.ts";

const key = { kind: "k", namespace: "n", name: "r" };

function change(revision: number, bytes = 10, kind = key.kind): Change {
  return {
    revision,
    type: "created",
    key: { ...key, kind, name: `r${revision}` },
    uid: "u",
    previous: undefined,
    atMs: 0,
    body: Buffer.alloc(bytes),
    terms: [],
  };
}

const revisions = (page: RecentPage | undefined) => page?.changes.map((c) => c.revision);

/** A weak reference stays strong until the end of the job that made it. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await systemTimers.sleep(1);
  collect();
}

describe("the recent log", () => {
  it("answers every cursor inside its window exactly, and none before it", () => {
    const log = new RecentLog(100);
    log.append([change(101), change(102), change(103)]);
    assert.deepEqual(revisions(log.read({ after: 100, limit: 10 }, 1_000)), [101, 102, 103]);
    assert.deepEqual(revisions(log.read({ after: 102, limit: 10 }, 1_000)), [103]);
    assert.deepEqual(revisions(log.read({ after: 103, limit: 10 }, 1_000)), []);
    assert.equal(log.read({ after: 99, limit: 10 }, 1_000), undefined);
  });

  it("knows the newest change of each key in its window, and forgets with the window", () => {
    const of = (revision: number, name: string): Change => {
      return { ...change(revision, 100), key: { ...key, name } };
    };
    const newest = (log: RecentLog, name: string) =>
      log.newest(keyText({ ...key, name }))?.revision;
    const log = new RecentLog(0, 2_000);
    log.append([of(1, "a"), of(2, "b"), of(3, "a")]);
    assert.deepEqual([newest(log, "a"), newest(log, "b"), newest(log, "c")], [3, 2, undefined]);
    log.append([of(4, "c"), of(5, "d")]);
    assert.deepEqual([newest(log, "a"), newest(log, "b")], [3, undefined], "only b has left");
    log.append([of(6, "d"), of(7, "d"), of(8, "d")]);
    assert.deepEqual([newest(log, "a"), newest(log, "d")], [undefined, 8]);
    log.forgetKeys();
    assert.equal(newest(log, "d"), undefined);
    log.append([of(9, "e")]);
    log.skipTo(20);
    assert.equal(newest(log, "e"), undefined);
  });

  it("finds a change by its revision inside of its window only", () => {
    const log = new RecentLog(100, 1_200);
    log.append([change(101), change(102), change(103), change(104)]);
    const found = [99, 102, 103, 104, 105].map((revision) => log.at(revision)?.revision);
    assert.deepEqual(found, [undefined, undefined, 103, 104, undefined]);
  });

  it("keeps no bytes of a change that has left its window", async () => {
    const log = new RecentLog(0, 10_000);
    const left = ((): WeakRef<Buffer> => {
      const first = change(1, 8_000);
      log.append([first]);
      return new WeakRef(first.body);
    })();
    log.append([change(2, 8_000)]);
    assert.equal(log.at(1), undefined);
    await collectGarbage();
    assert.equal(left.deref(), undefined);
    assert.equal(log.at(2)?.body.length, 8_000);
  });

  it("refuses a gap", () => {
    const log = new RecentLog(100);
    assert.throws(() => log.append([change(102)]));
  });

  it("bounds pages by number and by bytes, but always moves on", () => {
    const log = new RecentLog(0);
    log.append([change(1, 500), change(2, 500), change(3, 500)]);
    assert.deepEqual(revisions(log.read({ after: 0, limit: 2 }, 10_000)), [1, 2]);
    assert.deepEqual(revisions(log.read({ after: 0, limit: 10 }, 1_000)), [1, 2]);
    assert.deepEqual(revisions(log.read({ after: 0, limit: 10 }, 1)), [1]);
  });

  it("gives the kinds asked for, and says how far it looked", () => {
    const log = new RecentLog(0);
    const kinds = ["a", "b", "b", "a", "c", "a", "b"];
    log.append(kinds.map((kind, index) => change(index + 1, 10, kind)));
    const read = (after: number, limit: number, wanted: readonly string[]) => {
      const page = log.read({ after, limit, kinds: wanted }, 1_000);
      return [revisions(page), page?.through];
    };
    assert.deepEqual(read(0, 2, ["a"]), [[1, 4], 4]);
    assert.deepEqual(read(4, 2, ["a"]), [[6], 7]);
    assert.deepEqual(read(0, 3, ["a", "c"]), [[1, 4, 5], 5]);
    assert.deepEqual(read(0, 3, ["none"]), [[], 7]);
  });

  it("forgets the oldest beyond its bytes and stays right over many trims", () => {
    const log = new RecentLog(0, 100_000);
    for (let revision = 1; revision <= 10_000; revision += 1) log.append([change(revision)]);
    assert.equal(log.head, 10_000);
    assert.equal(log.read({ after: 1, limit: 1 }, 1), undefined);
    assert.deepEqual(revisions(log.read({ after: 9_990, limit: 3 }, 1_000)), [9_991, 9_992, 9_993]);
  });

  it("wakes who waits for a revision, and only then", async () => {
    const log = new RecentLog(5);
    const six = log.revisionSignal.beyond(5);
    const seven = log.revisionSignal.beyond(6);
    log.append([change(6)]);
    assert.equal(await six, 6);
    log.skipTo(9);
    assert.equal(await seven, 9);
    assert.equal(log.read({ after: 6, limit: 10 }, 1_000), undefined);
  });
});

describe("a signal", () => {
  it("lets go of a waiter that gives up", async () => {
    const signal = new Signal(0);
    const giveUp = new AbortController();
    const waiting = signal.beyond(0, giveUp.signal);
    giveUp.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    signal.advance();
    assert.equal(signal.value, 1);
    assert.equal(await signal.beyond(0), 1);
  });

  it("lets go of many at once, whether they share a signal or not", async () => {
    const signal = new Signal(0);
    const shared = new AbortController();
    const own = Array.from({ length: 5_000 }, () => new AbortController());
    const waiting = [...own, ...own.map(() => shared)].map(async (giveUp) => {
      return await signal.beyond(1, giveUp.signal).catch((error: unknown) => String(error));
    });
    const woken = own.slice(0, 100).map(async () => await signal.beyond(0, shared.signal));
    signal.advance();
    assert.deepEqual(new Set(await Promise.all(woken)), new Set([1]));
    const before = process.cpuUsage();
    for (const giveUp of own) giveUp.abort(new Error("own"));
    shared.abort(new Error("shared"));
    const outcomes = await Promise.all(waiting);
    // Linear, this takes some milliseconds; when each looked for itself, 20,000 took 4 s.
    // Time on the processor, so that a busy machine does not matter.
    assert.ok(process.cpuUsage(before).user < 2_000_000);
    assert.deepEqual(
      Object.entries(Object.groupBy(outcomes, String)).map(([text, all]) => [text, all?.length]),
      [
        ["Error: own", 5_000],
        ["Error: shared", 5_000],
      ],
    );
  });
});
