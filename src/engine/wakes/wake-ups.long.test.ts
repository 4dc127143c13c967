import assert from "node:assert/strict";
import { test } from "node:test";
import { SetpointError } from "../../kernel/errors.ts";
import { seededRandom } from "../../kernel/random.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Store, Write } from "../../store/port.ts";
import {
  dueIn,
  gadgets,
  keyTo,
  newWorld,
  noMeter,
  openScope,
  ownerNamed,
  processOn,
  regions,
  release,
  remove,
  resources,
  silent,
  uidOf,
  write,
} from "../../../tests/engine/sample-run.ts";
import type { World } from "../../../tests/engine/sample-run.ts";
import { adopt } from "./adoption.ts";
import { journalKey, journalOf } from "../journal/journal.ts";
import { cursorKind } from "../names.ts";
import { startWakeUps } from "./wake-ups.ts";
import type { WakeUpPorts, WakeUps } from "./wake-ups.ts";

const a = keyTo("a");
const b = keyTo("b", gadgets);

interface Scene extends World {
  readonly followers: WakeUps[];
}

/** Tests in a store in which widgets and regions are reconciled and nothing is due. */
function scene(name: string, body: (world: Scene) => Promise<void>): void {
  test(name, async () => {
    const world = await ready();
    await body(world);
    for (const follower of world.followers) await follower[Symbol.asyncDispose]();
  });
}

function follow(
  world: Scene,
  store: Store = world.store,
  owner = "one",
  log: WakeUpPorts["log"] = silent,
): WakeUps {
  const { timers, clock } = world;
  const ports = {
    store,
    clock,
    timers,
    resources: resources as never,
    log,
    meter: noMeter,
  };
  const follower = startWakeUps(ports, owner);
  world.followers.push(follower);
  return follower;
}

async function ready(): Promise<Scene> {
  const world: Scene = { ...newWorld(), followers: [] };
  await write(world.store, a);
  for (const kind of ["widgets.test", regions]) {
    const { signal } = new AbortController();
    const adopting = adopt({ ...world, log: silent }, { kind, version: 1 }, signal);
    await world.timers.advance(31_000);
    await adopting;
  }
  await settleAll(world);
  return world;
}

/** As if everything due had been reconciled. */
async function settleAll({ store, timers }: World): Promise<void> {
  await timers.advance(100);
  for (const kind of ["widgets.test", regions]) {
    const claims = await store.claim({ owner: "x", kinds: [kind], limit: 1_000, leaseMs: 1_000 });
    const due = { kind: "release", attempts: "reset" } as const;
    await store.commit(
      claims.map(({ key, token }) => {
        const when = { kind: "exists" } as const;
        return { kind: "schedule", key, when, claim: { key, token }, due } as const;
      }),
    );
  }
}

/** Follows until everything is quiet, settles what that woke, and goes on. */
async function started(world: Scene, store: Store = world.store, owner = "one"): Promise<WakeUps> {
  const wakeUps = follow(world, store, owner);
  await world.timers.advance(5_000);
  await settleAll(world);
  await world.timers.advance(3_000);
  return wakeUps;
}

/** Stores that `from` refers to the others, as the end of a run does. */
async function refer(world: World, from: ResourceKey, to: readonly ResourceKey[]): Promise<void> {
  await write(world.store, from, { dueMs: 0 });
  const scope = await openScope(world.store, from);
  await journalOf(scope, world.store).change((content) => ({ ...content, references: to }));
  await release(scope);
}

/** A moment, in which no timer of the follower fires. */
async function moment({ timers }: World): Promise<void> {
  await timers.advance(10);
}

async function storedPlace(store: Store): Promise<number> {
  const record = await store.get({ kind: cursorKind, namespace: "", name: "wake-ups" });
  assert(record !== undefined);
  return (JSON.parse(record.body.toString()) as { revision: number }).revision;
}

scene("a child that appears, changes or goes wakes its owner at once", async (world) => {
  await started(world);
  for (const change of [
    () => write(world.store, b, { owners: [ownerNamed(a)] }),
    () => write(world.store, b, { owners: [ownerNamed(a)], status: { size: 1 } }),
    () => remove(world.store, b),
  ]) {
    assert.equal(dueIn(world, a), undefined);
    await change();
    await world.timers.advance(0);
    assert.equal(dueIn(world, a), 0);
    await settleAll(world);
  }
});

scene(
  "an owner is woken by its uid, in its scope, and when its kind is reconciled",
  async (world) => {
    const north = keyTo("north", regions);
    const other = keyTo("other", gadgets);
    await write(world.store, north);
    await write(world.store, other);
    await started(world);
    const stranger = { ...ownerNamed(a), uid: "another" };
    await write(world.store, b, { owners: [stranger, ownerNamed(north), ownerNamed(other)] });
    await moment(world);
    assert.equal(dueIn(world, a), undefined);
    assert.equal(dueIn(world, other), undefined);
    assert.equal(dueIn(world, north), -10);
  },
);

scene("who refers to a resource is woken when it appears, changes or goes", async (world) => {
  await started(world);
  await refer(world, a, [b]);
  for (const change of [
    () => write(world.store, b),
    () => write(world.store, b, { spec: { size: 1 } }),
    () => remove(world.store, b),
  ]) {
    await moment(world);
    assert.equal(dueIn(world, a), undefined);
    await change();
    await world.timers.advance(0);
    assert.equal(dueIn(world, a), 0);
    await settleAll(world);
  }
  await refer(world, a, []);
  await write(world.store, b);
  await moment(world);
  assert.equal(dueIn(world, a), undefined);
});

scene("a wake during a run takes effect when the run gives its claim back", async (world) => {
  await started(world);
  await refer(world, a, [b]);
  await write(world.store, a, { dueMs: 0 });
  const scope = await openScope(world.store, a);
  await write(world.store, b);
  await moment(world);
  await release(scope);
  assert(dueIn(world, a) !== undefined);
});

scene("owners that cannot exist do not keep others from being woken", async (world) => {
  await started(world);
  for (const odd of ["n".repeat(300), "a\u0000b", "\ud800", ""]) {
    const owner = ownerNamed(a);
    const owners = [{ ...owner, name: odd }, { ...owner, uid: "u".repeat(300) }, owner];
    await write(world.store, b, { owners });
    await moment(world);
    assert.notEqual(dueIn(world, a), undefined, JSON.stringify(odd));
    await settleAll(world);
    await remove(world.store, b);
    await moment(world);
    await settleAll(world);
  }
});

scene("a wake that the store does not take is skipped, and nothing else", async (world) => {
  const c = keyTo("c");
  await write(world.store, c);
  const picky = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        const writes = name === "commit" ? (args[0] as readonly Write[]) : [];
        if (!writes.some(({ key }) => key.name === "c")) return Reflect.apply(member, target, args);
        return Promise.reject(new SetpointError("request.invalid", "not this one"));
      };
    },
  });
  await started(world);
  await refer(world, a, [b]);
  await refer(world, c, [b]);
  await world.followers.pop()?.[Symbol.asyncDispose]();
  follow(world, picky);
  await moment(world);
  await settleAll(world);
  await write(world.store, b);
  await moment(world);
  assert.notEqual(dueIn(world, a), undefined);
  assert.equal(dueIn(world, c), undefined);
});

scene("others wake a resource at once, but not for ever as fast as they can", async (world) => {
  await started(world);
  await refer(world, a, [b]);
  let wakes = 0;
  for (let count = 0; count < 1_000; count += 1) {
    await write(world.store, b, { spec: count });
    await moment(world);
    if ((dueIn(world, a) ?? 1) > 0) continue;
    wakes += 1;
    await settleAll(world);
  }
  // Each round takes up to 110 ms, so this is the pace after the first ten.
  assert(wakes >= 15 && wakes <= 30, `${wakes}`);
});

scene("the journal of a resource that somebody deletes goes after it", async (world) => {
  await started(world);
  await refer(world, a, [b]);
  await remove(world.store, a);
  await moment(world);
  assert.equal(await world.store.get(journalKey(a, uidOf(a))), undefined);
});

scene("an idle store is not written, though the follower has stored its place", async (world) => {
  await started(world);
  await refer(world, a, [b]);
  await write(world.store, b);
  await world.timers.advance(5_000);
  const { revision } = await world.store.head();
  assert.equal(await storedPlace(world.store), revision - 1);
  await world.timers.advance(3_600_000);
  assert.equal((await world.store.head()).revision, revision);
});

scene("traffic is followed with a write of the place every two seconds at most", async (world) => {
  await started(world);
  const before = (await world.store.head()).revision;
  for (let count = 0; count < 1_000; count += 1) {
    await write(world.store, b, { spec: count });
    await moment(world);
  }
  const places = (await world.store.head()).revision - before - 1_000;
  assert(places >= 4 && places <= 6, `${places} in ten seconds`);
});

scene("only one follows, and another takes over within a lease when it dies", async (world) => {
  const first = processOn(world.store);
  await started(world, first.store, "first");
  world.followers.length = 0;
  follow(world, world.store, "second");
  await refer(world, a, [b]);
  await world.timers.advance(60_000);
  first.kill();
  // Nobody follows right now, so it is the next one who has to find this.
  await write(world.store, b);
  await moment(world);
  assert.equal(dueIn(world, a), undefined);
  await world.timers.advance(11_000);
  assert(dueIn(world, a) !== undefined);
});

scene("who stops hands over, and nothing is missed in between", async (world) => {
  const first = await started(world, world.store, "first");
  await refer(world, a, [b]);
  await moment(world);
  await first[Symbol.asyncDispose]();
  await write(world.store, b);
  await write(world.store, keyTo("c", gadgets));
  assert.equal(dueIn(world, a), undefined);
  follow(world, world.store, "second");
  await moment(world);
  assert.equal(dueIn(world, a), -10);
  // Its place was stored when it stopped, so not everything had to be woken.
  assert.equal(await storedPlace(world.store), (await world.store.head()).revision - 3);
});

scene(
  "one that stands by takes over within a second when the claim is handed back",
  async (world) => {
    const first = await started(world, world.store, "first");
    follow(world, world.store, "second");
    await world.timers.advance(500);
    const stopping = first[Symbol.asyncDispose]();
    await world.timers.advance(1_000);
    await stopping;
    await refer(world, a, [b]);
    await write(world.store, b);
    await moment(world);
    assert(dueIn(world, a) !== undefined);
  },
);

scene("a follower whose lease ran out unnoticed cannot turn the place back", async (world) => {
  let isHanging = false;
  const hanging = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        if (isHanging && name === "renew") return Promise.withResolvers<never>().promise;
        return Reflect.apply(member, target, args);
      };
    },
  });
  await started(world, hanging, "first");
  follow(world, world.store, "second");
  isHanging = true;
  await world.timers.advance(30_000);
  const tokens = new Set<number>();
  for (const { key, work } of world.store.state.live.values()) {
    if (key.kind === cursorKind && work.claim !== undefined) tokens.add(work.claim.token);
  }
  assert.equal(tokens.size, 1);
  await refer(world, a, [b]);
  await write(world.store, b);
  await moment(world);
  assert(dueIn(world, a) !== undefined);
  await world.timers.advance(5_000);
  assert.equal(await storedPlace(world.store), (await world.store.head()).revision - 1);
});

scene("when the log was forgotten, everything that is reconciled is woken once", async (world) => {
  const many = Array.from({ length: 50 }, (_, index) => keyTo(`n${index}`));
  for (const key of many) await write(world.store, key);
  const gone = keyTo("gone");
  await write(world.store, gone);
  const first = await started(world);
  await refer(world, a, [b]);
  await refer(world, gone, [b]);
  await first[Symbol.asyncDispose]();
  await write(world.store, b);
  await remove(world.store, gone);
  await world.store.compact((await world.store.head()).revision);
  const lines: string[] = [];
  const keep = (level: string) => (_: unknown, text: string) => void lines.push(`${level} ${text}`);
  const log = { info: keep("info"), warn: keep("warn"), error: keep("error") };
  follow(world, world.store, "one", { ...silent, ...log });
  await world.timers.advance(2_000);
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] ?? "", /^info the history does not reach back .*, as after a restore/);
  for (const key of [a, ...many]) {
    const dueMs = dueIn(world, key);
    assert(dueMs !== undefined && dueMs < 60_000, keyText(key));
  }
  assert.equal(await world.store.get(journalKey(gone, uidOf(gone))), undefined);
  await settleAll(world);
  await world.timers.advance(60_000);
  await write(world.store, b, { spec: { size: 2 } });
  await moment(world);
  assert(dueIn(world, a) !== undefined);
  assert.equal(dueIn(world, keyTo("n0")), undefined);
});

scene("failures of the store are survived without losing a wake", async (world) => {
  const random = seededRandom(1);
  const failing = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name === "workTick") return () => target.workTick();
      return async (...args: readonly unknown[]): Promise<unknown> => {
        if (random.next() < 0.3) throw new Error("the store is down");
        return (await Reflect.apply(member, target, args)) as unknown;
      };
    },
  });
  await refer(world, a, [b]);
  follow(world, failing);
  await world.timers.advance(120_000);
  await settleAll(world);
  for (let count = 0; count < 20; count += 1) {
    await write(world.store, b, { spec: count });
    await world.timers.advance(20_000);
    assert(dueIn(world, a) !== undefined, `change ${count}`);
    await settleAll(world);
  }
});

test("it may stop at any time, and leaves no timer behind", async () => {
  for (let calls = 0; calls < 12; calls += 1) {
    const world = await ready();
    const wakeUps = follow(world);
    for (let turn = 0; turn < calls; turn += 1) await Promise.resolve();
    await wakeUps[Symbol.asyncDispose]();
    assert.equal(world.timers.pendingCount(), 0);
  }
});

test("a process that dies at any call of the store leaves a place to go on from", async () => {
  for (let call = 1; call <= 40; call += 1) {
    for (const isDone of [false, true]) {
      const world = await ready();
      await refer(world, a, [b]);
      await settleAll(world);
      const first = processOn(world.store, { call, isDone });
      follow(world, first.store, "first");
      await world.timers.advance(3_000);
      await settleAll(world);
      await write(world.store, b, { spec: { call } });
      await world.timers.advance(3_000);
      const second = follow(world, world.store, "second");
      await world.timers.advance(15_000);
      assert(dueIn(world, a) !== undefined, `call ${call}`);
      await second[Symbol.asyncDispose]();
    }
  }
});
