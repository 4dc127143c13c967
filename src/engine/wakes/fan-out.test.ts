// One change may wake ten thousand; what others wait for does not wait behind them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentDigest } from "../../kernel/document.ts";
import type { Draft } from "../../kernel/draft.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { DumpRow, Store, Write } from "../../store/port.ts";
import {
  gadgets,
  keyTo,
  newWorld,
  noMeter,
  resources,
  silent,
  uidOf,
  write,
} from "../../../tests/engine/sample-run.ts";
import { journalDraft, journalKey } from "../journal/journal.ts";
import type { Consequences } from "./changes-to-wakes.ts";
import { WakeQueue } from "./wake-queue.ts";
import { startWakeUps } from "./wake-ups.ts";

const hub = keyTo("hub", gadgets);
const quiet = keyTo("quiet", gadgets);

function named(count: number, prefix = "n"): readonly ResourceKey[] {
  return Array.from({ length: count }, (_, index) => keyTo(`${prefix}${index}`));
}

/** Fills an empty store with resources whose last run referred to the other. */
async function refer(store: Store, all: readonly Referring[]): Promise<void> {
  let revision = 0;
  const created = (key: ResourceKey, uid: string, { body, terms }: Draft): DumpRow => {
    revision += 1;
    const made = { revision, previous: null, type: "created", atMs: 0 } as const;
    const stored = { terms, digest: documentDigest(body), document: body, sealed: null };
    return { row: "change", ...made, key, uid, ...stored };
  };
  async function* rows(): AsyncIterable<DumpRow> {
    yield { row: "meta", head: 2 * all.length, compacted: 0, lastToken: 0 };
    for (const { key, to } of all) {
      const uid = uidOf(key);
      const metadata = { name: key.name, namespace: key.namespace, uid };
      const body = Buffer.from(JSON.stringify({ apiVersion: "test/v1", kind: "Widget", metadata }));
      yield created(key, uid, { body, terms: [], secrets: [] });
      const content = { references: [to], remembered: new Map(), operations: new Map() };
      yield created(journalKey(key, uid), `${uid}-journal`, journalDraft(key, uid, content));
    }
  }
  await store.load(rows());
}

interface Referring {
  readonly key: ResourceKey;
  readonly to: ResourceKey;
}

/** Shows each commit of wakes, after it was made. */
function observed(store: Store, seen: (writes: readonly Write[]) => Promise<void>): Store {
  const commit: Store["commit"] = async (writes, options) => {
    const answers = await store.commit(writes, options);
    if (writes.some(({ kind }) => kind === "schedule")) await seen(writes);
    return answers;
  };
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === "commit" ? commit : Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

test("who waits for another change is woken with the next portion", async () => {
  const world = newWorld();
  const { store, timers, clock } = world;
  const [crowd, other] = [named(800), keyTo("other")];
  await refer(store, [...crowd.map((key) => ({ key, to: hub })), { key: other, to: quiet }]);
  const woken: string[][] = [];
  const view = observed(store, async (writes) => {
    // While the first portion is under way; of the same namespace.
    if (woken.length === 0) await write(store, quiet);
    woken.push(writes.map(({ key }) => key.name));
  });
  const ports = { store: view, clock, timers, resources: resources as never };
  const follower = startWakeUps({ ...ports, log: silent, meter: noMeter }, "one");
  await timers.advance(5_000);
  woken.length = 0;
  await write(store, hub);
  await timers.advance(1_000);
  assert.equal(
    woken.findIndex((names) => names.includes("other")),
    1,
  );
  assert.equal(new Set(woken.flat()).size, crowd.length + 1, "nobody is forgotten");
  assert.ok(woken.every((names) => names.length <= limits.maxCommitWrites));
  await follower[Symbol.asyncDispose]();
});

const found = (keys: readonly ResourceKey[], cause: string): Consequences => ({
  wakes: keys.map((key) => ({ key, uid: uidOf(key), cause })),
  removals: [],
  woken: { child: 0, reference: keys.length },
});

function namesIn(queue: WakeQueue, most: number): readonly string[] {
  return queue.take(most).wakes.map(({ key }) => key.name);
}

test("turns are taken between namespaces, and then between what changed", () => {
  const queue = new WakeQueue();
  const far = { ...keyTo("far"), namespace: "other" };
  queue.add(found([...named(4), far], "one"), { through: 1, isNews: true });
  queue.add(found(named(2, "m"), "two"), { through: 2, isNews: true });
  assert.deepEqual(namesIn(queue, 10), ["n0", "far", "m0", "n1", "m1", "n2", "n3"]);
  assert.equal(queue.size, 0);
});

test("the place follows the oldest page of which anything is left", () => {
  const queue = new WakeQueue();
  queue.add(found(named(3), "one"), { through: 10, isNews: true });
  queue.add(found(named(1, "m"), "two"), { through: 20, isNews: false });
  queue.add(found([], ""), { through: 30, isNews: false });
  assert.deepEqual(namesIn(queue, 2), ["n0", "m0"]);
  assert.equal(queue.done(), undefined);
  namesIn(queue, 1);
  assert.equal(queue.done(), undefined);
  namesIn(queue, 1);
  assert.deepEqual(queue.done(), { through: 30, isNews: true });
  assert.equal(queue.done(), undefined);
});

test("who is still to be woken is not woken twice, and who was taken is queued anew", () => {
  const queue = new WakeQueue();
  const [first, second] = named(2);
  assert.ok(first !== undefined && second !== undefined);
  queue.add(found([first, second], "one"), { through: 1, isNews: true });
  queue.add(found([first], "two"), { through: 2, isNews: true });
  assert.deepEqual(namesIn(queue, 1), ["n0"]);
  queue.add(found([first], "two"), { through: 3, isNews: true });
  assert.equal(queue.done(), undefined);
  assert.deepEqual(namesIn(queue, 10), ["n1", "n0"]);
  assert.deepEqual(queue.done(), { through: 3, isNews: true });
});

test("of two namesakes whichever is there is woken", () => {
  const queue = new WakeQueue();
  const [key] = named(1);
  assert.ok(key !== undefined);
  const woken = { child: 1, reference: 0 };
  for (const uid of ["one", "two"]) {
    queue.add(
      { wakes: [{ key, uid, cause: uid }], removals: [], woken },
      { through: 1, isNews: true },
    );
  }
  assert.deepEqual(
    queue.take(10).wakes.map(({ when }) => when),
    [{ kind: "exists" }],
  );
});
