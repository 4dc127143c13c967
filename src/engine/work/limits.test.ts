// Bounds: of time, of slots, of what one tenant can do to another, and of stopping.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  change,
  conditionIn,
  create,
  cuttable,
  edited,
  fill,
  keyOf,
  newRig,
  read,
  statusIn,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Resource } from "../../kernel/resource.ts";
import { startEngine } from "../engine.ts";
import { done } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import type { Context, Reconciler } from "../reconciler.ts";

const a = keyOf("a");
const { promise: never } = Promise.withResolvers<never>();

function kindOf(reconcile: Reconciler["reconcile"], more: Partial<Reconciler> = {}): Reconciler {
  return { kind: widgets, reconcile, ...more };
}

async function untilAborted({ signal }: Context): Promise<never> {
  return await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

describe("a run that takes too long", () => {
  it("is told, and counts as failed", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const hang = async (_resource: Resource, context: Context): Promise<never> =>
      await untilAborted(context);
    engine.add(kindOf(hang, { timeoutMs: 10_000 }));
    await create(rig.store, a);
    await rig.timers.advance(9_900);
    assert.equal(engine.running().length, 1);
    await rig.timers.advance(700);
    assert.equal(await conditionIn(rig.store, a, "Synced"), "False/Timeout");
  });

  it("is given up when it does not listen, and not run again before it returned", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one", slots: 1 });
    const starts: string[] = [];
    const hung = Promise.withResolvers<Outcome>();
    engine.add(
      kindOf(
        async ({ metadata }) => {
          starts.push(metadata.name);
          return starts.length === 1 ? await hung.promise : done();
        },
        { timeoutMs: 10_000 },
      ),
    );
    await create(rig.store, a);
    await rig.timers.advance(10);
    await create(rig.store, keyOf("b"));
    await rig.timers.advance(22_000);
    assert.deepEqual(starts, ["a", "b"]);
    assert.equal(rig.counted.get("setpoint_runs_abandoned_total"), 1);
    assert.ok(rig.said.some(({ level }) => level === "error"));
    assert.equal(await conditionIn(rig.store, a, "Synced"), "False/Timeout");
    await rig.timers.advance(600_000);
    await change(rig.store, a, (old) => edited(old, { size: 2 }));
    await rig.timers.advance(600_000);
    assert.deepEqual(starts, ["a", "b"]);
    assert.equal(await conditionIn(rig.store, a, "Synced"), "False/Timeout");
    hung.resolve(done({ status: { late: true } }));
    await rig.timers.advance(120_000);
    assert.deepEqual(starts, ["a", "b", "a"]);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
    assert.equal((await statusIn(rig.store, a))["late"], undefined);
  });
});

describe("a run that has lost its lease", () => {
  it("is not run beside itself while it does not listen", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    const deaf = Promise.withResolvers<Outcome>();
    let starts = 0;
    engine.add(
      kindOf(async () => {
        starts += 1;
        return starts === 1 ? await deaf.promise : done();
      }),
    );
    await create(rig.store, a);
    await rig.timers.advance(10);
    // As after a process that slept past its lease.
    rig.clock.advanceMs(120_000);
    await rig.timers.advance(5_000);
    const besides = starts - 1;
    deaf.resolve(done());
    await rig.timers.advance(5_000);
    assert.deepEqual([besides, starts], [0, 2]);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
  });
});

describe("an error that a reconciler throws", () => {
  it("is a failure whose text shows only what was made to be shown", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    engine.add(
      kindOf(async () => await Promise.reject(new TypeError("postgres://user:hunter2@db"))),
    );
    await create(rig.store, a);
    await rig.timers.advance(10);
    assert.equal(await conditionIn(rig.store, a, "Synced"), "False/ReconcileError");
    assert.doesNotMatch(JSON.stringify(await statusIn(rig.store, a)), /hunter2/);
    assert.ok(rig.said.some(({ fields }) => String(fields["error"]).includes("hunter2")));
  });

  it("comes of changing what it was given, which is nobody's to change", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    engine.add(
      kindOf(async (resource) => {
        Object.assign(resource.spec as object, { size: 99 });
        return await Promise.resolve(done());
      }),
    );
    await create(rig.store, a, { spec: { size: 1 } });
    await rig.timers.advance(10);
    assert.equal(await conditionIn(rig.store, a, "Synced"), "False/ReconcileError");
    assert.deepEqual((await read(rig.store, a))?.spec, { size: 1 });
  });

  it("does not keep others from running", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one", slots: 2 });
    engine.add(
      kindOf(({ metadata }) => {
        if (metadata.name.startsWith("bad")) throw new Error("not even a promise");
        return Promise.resolve(done());
      }),
    );
    for (let index = 0; index < 20; index += 1) await create(rig.store, keyOf(`bad-${index}`));
    await create(rig.store, a);
    await rig.timers.advance(10);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
  });
});

describe("fairness", () => {
  it("keeps 10,000 hanging resources of one tenant from delaying another's fresh one", async () => {
    const rig = newRig();
    const keys = Array.from({ length: 10_000 }, (_, index) => keyOf(`h-${index}`, "hoarder"));
    await fill(rig.store, keys);
    await using engine = startEngine(rig.ports, { owner: "one", graceMs: 0 });
    const delays: number[] = [];
    engine.add(
      kindOf(async ({ metadata }, context) => {
        if (metadata.namespace === "hoarder") return await untilAborted(context);
        delays.push(rig.clock.nowMs() - Number(metadata.labels?.["since"]));
        return done();
      }),
    );
    await rig.timers.advance(5_000);
    for (let index = 0; index < 5; index += 1) {
      const labels = { since: String(rig.clock.nowMs()) };
      await create(rig.store, keyOf(`fresh-${index}`, `tenant-${index}`), { metadata: { labels } });
      await rig.timers.advance(1_000);
    }
    assert.equal(delays.length, 5);
    assert.ok(Math.max(...delays) <= 100, `waited ${delays.join(", ")} ms`);
    const hanging = engine.running().filter(({ key }) => key.namespace === "hoarder");
    assert.equal(hanging.length, 32);
    await Promise.all([engine.stop(), rig.timers.advance(10_000)]);
  });

  it("lets a newcomer in beside what is claimed and cannot start", async () => {
    const rig = newRig();
    const keys = Array.from({ length: 200 }, (_, index) => keyOf(`h-${index}`, "hoarder"));
    await fill(rig.store, keys);
    await using engine = startEngine(rig.ports, { owner: "one", graceMs: 0 });
    let startedMs = 0;
    engine.add(
      kindOf(async ({ metadata }, context) => {
        if (metadata.namespace === "hoarder") return await untilAborted(context);
        startedMs = rig.clock.nowMs();
        return done();
      }),
    );
    await rig.timers.advance(1);
    const createdMs = rig.clock.nowMs();
    await create(rig.store, keyOf("fresh", "tenant"));
    await rig.timers.advance(3_000);
    assert.ok(startedMs - createdMs <= 100, `${startedMs - createdMs} ms`);
    await Promise.all([engine.stop(), rig.timers.advance(10_000)]);
  });

  it("lets a delayed resource start on time while another tenant is full", async () => {
    const rig = newRig();
    await fill(
      rig.store,
      Array.from({ length: 500 }, (_, index) => keyOf(`h-${index}`, "hoarder")),
    );
    await using engine = startEngine(rig.ports, { owner: "one", graceMs: 0 });
    let startedMs = 0;
    engine.add(
      kindOf(async ({ metadata }, context) => {
        if (metadata.namespace === "hoarder") return await untilAborted(context);
        startedMs = rig.clock.nowMs();
        return done();
      }),
    );
    await create(rig.store, keyOf("later", "tenant"));
    await rig.timers.advance(3_000);
    const due = { kind: "wake", afterMs: 5_000 } as const;
    const when = { kind: "exists" } as const;
    await rig.store.commit([{ kind: "schedule", key: keyOf("later", "tenant"), when, due }]);
    const wantedMs = rig.clock.nowMs() + 5_000;
    await rig.timers.advance(6_000);
    assert.ok(startedMs >= wantedMs && startedMs <= wantedMs + 101, `${startedMs - wantedMs} ms`);
    await Promise.all([engine.stop(), rig.timers.advance(10_000)]);
  });

  it("leaves to another process what it cannot start soon", async () => {
    const rig = newRig();
    const started = new Map<string, number>();
    const kind = (owner: string): Reconciler =>
      kindOf(async (_resource, context) => {
        started.set(owner, (started.get(owner) ?? 0) + 1);
        return await untilAborted(context);
      });
    for (let index = 0; index < 20; index += 1) await create(rig.store, keyOf(`h-${index}`));
    await using one = startEngine(rig.ports, { owner: "one", slots: 16, graceMs: 0 });
    one.add(kind("one"));
    await rig.timers.advance(10);
    await using two = startEngine(rig.ports, { owner: "two", slots: 16, graceMs: 0 });
    two.add(kind("two"));
    await rig.timers.advance(5_000);
    assert.equal(started.get("one"), 8);
    assert.equal(started.get("two"), 8);
    await Promise.all([one.stop(), two.stop(), rig.timers.advance(10_000)]);
  });

  it("keeps to the concurrency of a kind", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    let running = 0;
    let most = 0;
    let ends = 0;
    engine.add(
      kindOf(
        async () => {
          running += 1;
          most = Math.max(most, running);
          await rig.timers.sleep(100);
          running -= 1;
          ends += 1;
          return done();
        },
        { concurrency: 2 },
      ),
    );
    for (let index = 0; index < 30; index += 1) {
      await create(rig.store, keyOf(`w-${index}`, `team-${index % 7}`));
    }
    await rig.timers.advance(5_000);
    assert.equal(most, 2);
    assert.equal(ends, 30);
  });
});

describe("stopping", () => {
  it("lets what runs finish and hands back what waits", async () => {
    const rig = newRig();
    const engine = startEngine(rig.ports, { owner: "one", slots: 2 });
    const starts: string[] = [];
    engine.add(
      kindOf(async ({ metadata }) => {
        starts.push(metadata.name);
        await rig.timers.sleep(5_000);
        return done();
      }),
    );
    for (const name of ["a", "b", "c"]) await create(rig.store, keyOf(name));
    await rig.timers.advance(100);
    assert.deepEqual(starts, ["a"]);
    const startMs = rig.clock.nowMs();
    const stopped = engine.stop().then(() => rig.clock.nowMs() - startMs);
    await rig.timers.advance(30_000);
    assert.ok((await stopped) <= 5_000);
    assert.equal(await conditionIn(rig.store, a, "Ready"), "True/Available");
    assert.equal(rig.timers.pendingCount(), 0, "no timer is left behind");
    assert.equal(await rig.store.nextDue([widgets]), 0, "others may have the rest at once");
    const works = [...rig.store.state.live.values()].map(({ work }) => work);
    assert.ok(works.every(({ claim }) => claim === undefined));
    assert.deepEqual(
      works.map(({ attempts }) => attempts),
      [0, 0, 0],
    );
  });

  it("tells what takes too long and hands it back without a failure", async () => {
    const rig = newRig();
    const engine = startEngine(rig.ports, { owner: "one", graceMs: 3_000 });
    engine.add(kindOf(async (_resource, context) => await untilAborted(context)));
    await create(rig.store, a);
    await rig.timers.advance(100);
    const startMs = rig.clock.nowMs();
    const stopped = engine.stop().then(() => rig.clock.nowMs() - startMs);
    await rig.timers.advance(30_000);
    assert.equal(await stopped, 3_000);
    assert.equal((await statusIn(rig.store, a))["reconcile"], undefined);
    assert.equal(await conditionIn(rig.store, a, "Synced"), "Unknown/InProgress");
    assert.equal(await rig.store.nextDue([widgets]), 0);
  });

  it("ends within its bound even when nothing listens and the store is away", async () => {
    const rig = newRig();
    const { view, cut } = cuttable(rig.store);
    const engine = startEngine(rig.portsOver(view), { owner: "one", graceMs: 3_000 });
    engine.add(kindOf(async ({ metadata }) => (metadata.name === "a" ? await never : done())));
    await create(rig.store, a);
    await rig.timers.advance(100);
    cut();
    const startMs = rig.clock.nowMs();
    const stopped = engine.stop().then(() => rig.clock.nowMs() - startMs);
    await rig.timers.advance(60_000);
    assert.ok((await stopped) <= 8_000);
    assert.equal(rig.timers.pendingCount(), 0);
    const [work] = [...rig.store.state.live.values()].map((live) => live.work);
    assert.equal(work?.attempts, 1, "what did not return is not given back");
  });

  it("of a kind leaves its resources to others", async () => {
    const rig = newRig();
    await using engine = startEngine(rig.ports, { owner: "one" });
    let runs = 0;
    const remove = engine.add(
      kindOf(async () => {
        runs += 1;
        return done();
      }),
    );
    remove();
    await create(rig.store, a);
    await rig.timers.advance(10_000);
    assert.equal(runs, 0);
    engine.add(
      kindOf(async () => {
        runs += 1;
        return done();
      }),
    );
    await rig.timers.advance(10);
    assert.equal(runs, 1);
  });
});
