// The limits hold whatever arrives and ends in whatever order, and nobody is shut out.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { Turns } from "./turns.ts";
import type { Contender, TurnOptions } from "./turns.ts";

const options: TurnOptions = {
  slots: 64,
  perNamespace: 64,
  weightOf: () => 1,
  concurrencyOf: () => Infinity,
};

function turnsOf(given: Partial<TurnOptions> = {}): Turns<Contender> {
  return new Turns({ ...options, ...given });
}

function item(namespace: string, kind = "widgets"): Contender {
  return { key: { kind, namespace }, startedMs: 0 };
}

function addMany(turns: Turns<Contender>, count: number, namespace: string, kind?: string): void {
  for (let index = 0; index < count; index += 1) turns.add(item(namespace, kind));
}

/** Starts all that may start, and tells whose they are. */
function startAll(turns: Turns<Contender>, nowMs = 0): readonly string[] {
  const started: string[] = [];
  for (let next = turns.next(nowMs); next !== undefined; next = turns.next(nowMs)) {
    started.push(next.key.namespace);
  }
  return started;
}

function runningOf(turns: Turns<Contender>, namespace: string): number {
  return [...turns.running].filter(({ key }) => key.namespace === namespace).length;
}

describe("turns", () => {
  it("give a lone namespace half of the slots and keep the rest for who may come", () => {
    const turns = turnsOf();
    addMany(turns, 1_000, "a");
    assert.equal(startAll(turns).length, 32);
    turns.add(item("b"));
    assert.deepEqual(startAll(turns), ["b"]);
  });

  it("give a heavier namespace more, alone and among others", () => {
    const turns = turnsOf({ weightOf: (namespace) => (namespace === "heavy" ? 3 : 1) });
    addMany(turns, 1_000, "heavy");
    addMany(turns, 1_000, "light");
    startAll(turns);
    const [heavy, light] = [runningOf(turns, "heavy"), runningOf(turns, "light")];
    assert.ok(heavy > 2 * light && light > 0, `${heavy} and ${light}`);
    const alone = turnsOf({ weightOf: () => 3 });
    addMany(alone, 1_000, "heavy");
    assert.equal(startAll(alone).length, 48);
  });

  it("keep to the order of arrival inside of a namespace and take turns between them", () => {
    const turns = turnsOf({ slots: 4 });
    const items = [item("a"), item("a"), item("b"), item("a")];
    for (const each of items) turns.add(each);
    assert.equal(turns.next(0), items[0]);
    assert.equal(turns.next(0), items[2]);
  });

  it("never run more of a kind than it allows, and never let it hold up another", () => {
    const turns = turnsOf({ concurrencyOf: (kind) => (kind === "rare" ? 2 : Infinity) });
    addMany(turns, 10, "a", "rare");
    addMany(turns, 10, "b", "rare");
    addMany(turns, 10, "a", "plain");
    startAll(turns);
    const kinds = [...turns.running].map(({ key }) => key.kind);
    assert.equal(kinds.filter((kind) => kind === "rare").length, 2);
    assert.equal(kinds.filter((kind) => kind === "plain").length, 10);
    assert.deepEqual([...turns.survey(1_000).fullKinds], ["rare"]);
  });

  it("let eleven tenants in one after the other while all before them hang", () => {
    const turns = turnsOf();
    for (let tenant = 0; tenant < 11; tenant += 1) {
      addMany(turns, 1_000, `tenant-${tenant}`);
      startAll(turns);
      assert.ok(runningOf(turns, `tenant-${tenant}`) > 0, `tenant ${tenant} runs`);
    }
    assert.ok(turns.running.size <= 64);
  });

  it("say whose work would only wait, and ask ahead of what is quick", () => {
    const turns = turnsOf();
    addMany(turns, 100, "hanging");
    startAll(turns);
    assert.deepEqual(turns.survey(1_000).fullNamespaces, ["hanging"]);
    assert.equal(turns.survey(1_000).ahead, 0);
    for (const each of turns.running) turns.done(each, 0);
    startAll(turns);
    assert.deepEqual(turns.survey(1).fullNamespaces, []);
    assert.ok(turns.survey(1).ahead > 1_000);
  });

  it("take back what has not started", () => {
    const turns = turnsOf({ slots: 1 });
    const [first, second] = [item("a"), item("a")];
    turns.add(first);
    turns.add(second);
    assert.equal(turns.next(0), first);
    assert.equal(turns.withdraw(second), true);
    assert.equal(turns.withdraw(second), false);
    assert.equal(turns.withdraw(first), false);
    assert.equal(turns.queued, 0);
    assert.equal(turns.done(first, 0), true);
    assert.equal(turns.done(first, 0), false);
    assert.equal(turns.next(0), undefined);
  });
});

type Step =
  | { readonly step: "add"; readonly tenant: number; readonly kind: number }
  | { readonly step: "start" }
  | { readonly step: "end"; readonly which: number }
  | { readonly step: "withdraw"; readonly which: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      step: fc.constant("add" as const),
      tenant: fc.nat(9),
      kind: fc.nat(2),
    }),
    fc.record({ step: fc.constant("start" as const) }),
    fc.record({ step: fc.constant("end" as const), which: fc.nat(99) }),
    fc.record({ step: fc.constant("withdraw" as const), which: fc.nat(99) }),
  ),
  { maxLength: 300 },
);

describe("turns, whatever happens", () => {
  it("keep every limit, lose nothing, and hold nobody back without need", () => {
    const worlds = fc.record({
      slots: fc.integer({ min: 1, max: 20 }),
      perNamespace: fc.integer({ min: 1, max: 20 }),
      concurrency: fc.integer({ min: 1, max: 20 }),
      weights: fc.array(fc.double({ min: 0.1, max: 8, noNaN: true }), { minLength: 10 }),
    });
    fc.assert(fc.property(worlds, steps, checkWorld), { numRuns: 300 });
  });
});

interface World {
  readonly slots: number;
  readonly perNamespace: number;
  readonly concurrency: number;
  readonly weights: readonly number[];
}

function checkWorld(world: World, given: readonly Step[]): void {
  const { slots, perNamespace, concurrency, weights } = world;
  const turns = turnsOf({
    slots,
    perNamespace,
    weightOf: (namespace) => weights[Number(namespace)] ?? 1,
    concurrencyOf: (kind) => (kind === "0" ? concurrency : Infinity),
  });
  const queued = new Set<Contender>();
  for (const [nowMs, step] of given.entries()) {
    if (step.step === "add") {
      const added = item(String(step.tenant), String(step.kind));
      turns.add(added);
      queued.add(added);
    } else if (step.step === "start") {
      const started = turns.next(nowMs);
      if (started === undefined) checkNobodyCould(turns, queued, world);
      else assert.ok(queued.delete(started), "it was waiting");
    } else if (step.step === "end") {
      const running = [...turns.running];
      const ended = running[step.which % Math.max(1, running.length)];
      if (ended !== undefined) assert.ok(turns.done(ended, nowMs));
    } else {
      const waiting = [...turns.waiting()];
      const taken = waiting[step.which % Math.max(1, waiting.length)];
      if (taken !== undefined) assert.ok(turns.withdraw(taken) && queued.delete(taken));
    }
    checkLimits(turns, world);
    assert.equal(turns.queued, queued.size);
    assert.deepEqual(new Set(turns.waiting()), queued);
  }
}

function checkLimits(turns: Turns<Contender>, world: World): void {
  assert.ok(turns.running.size <= world.slots);
  const kinds = Map.groupBy(turns.running, ({ key }) => key.kind);
  assert.ok((kinds.get("0") ?? []).length <= world.concurrency);
  for (const [, own] of Map.groupBy(turns.running, ({ key }) => key.namespace)) {
    assert.ok(own.length <= world.perNamespace);
  }
}

/** A newcomer is never refused a free slot; others only for the sake of those who may come. */
function checkNobodyCould(
  turns: Turns<Contender>,
  queued: ReadonlySet<Contender>,
  { slots, perNamespace, concurrency, weights }: World,
): void {
  if (turns.free === 0) return;
  const kinds = Map.groupBy(turns.running, ({ key }) => key.kind);
  for (const { key } of queued) {
    if (key.kind === "0" && (kinds.get("0") ?? []).length >= concurrency) continue;
    const own = runningOf(turns, key.namespace);
    assert.ok(own > 0, "a newcomer waits beside a free slot");
    const weight = weights[Number(key.namespace)] ?? 1;
    const share = Math.min(perNamespace, Math.floor((slots * weight) / (weight + 1)));
    const isAlone = turns.running.size === own && turns.free > Math.floor(slots / 8);
    assert.ok(!isAlone || own >= share, "work is held back although nobody else runs");
  }
}
