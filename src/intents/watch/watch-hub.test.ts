// Who receives which changes, in which order, and in which turn of the event loop. The test starts
// the turns, and each step of a group costs 1.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FairTurns } from "../../kernel/fair-turns.ts";
import { systemTimers } from "../../kernel/timers.ts";
import type { Change } from "../../store/port.ts";
import type { ChangeFeed, FeedListener } from "./change-feed.ts";
import { watchHub } from "./watch-hub.ts";
import type { Membership, WatchGroup, WatchHub } from "./watch-hub.ts";

interface Rig {
  readonly hub: WatchHub;
  /** Changes of one commit. */
  readonly tell: (...changes: readonly Change[]) => void;
  /** One turn of the event loop; false when none is planned. */
  readonly turn: () => boolean;
  /** All turns that are planned. */
  readonly settle: () => void;
}

function rig({ budget = 1_000, maxQueuedBytes = 1_000_000 } = {}): Rig {
  const planned: (() => void)[] = [];
  let reading = 0;
  const turns = new FairTurns({
    budget,
    later: (run) => void planned.push(run),
    clock: () => (reading += 1),
  });
  let position = 0;
  const listeners: FeedListener[] = [];
  const feed = {
    get position() {
      return position;
    },
    subscribe: (listener: FeedListener) => {
      listeners.push(listener);
      return () => undefined;
    },
  } as unknown as ChangeFeed;
  const hub = watchHub({ feed, turns, maxQueuedBytes });
  const turn = (): boolean => {
    const run = planned.shift();
    run?.();
    return run !== undefined;
  };
  return {
    hub,
    tell: (...changes) => {
      const through = changes.at(-1)?.revision ?? position;
      for (const listener of listeners) listener(changes, through);
      position = through;
    },
    turn,
    settle: () => {
      while (turn());
    },
  };
}

interface ChangeInput {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly type?: Change["type"];
  readonly bytes?: number;
}

function change(revision: number, input: ChangeInput = {}): Change {
  const { kind = "maps", namespace = "a", name = "x", type = "updated", bytes = 10 } = input;
  const body = Buffer.alloc(bytes);
  return { revision, key: { kind, namespace, name }, type, body, terms: [] } as unknown as Change;
}

interface Told {
  readonly events: string[];
  readonly membership: Membership;
}

interface GroupInput extends Partial<Pick<WatchGroup, "key" | "tenant" | "kind" | "frame">> {
  readonly namespace?: string | undefined;
  readonly onSelect?: () => void;
}

function group(input: GroupInput = {}): WatchGroup {
  const { key = "all", tenant = "t", kind = "maps", onSelect = () => undefined } = input;
  return {
    key,
    tenant,
    kind,
    namespace: "namespace" in input ? input.namespace : "a",
    select: (selected) => {
      onSelect();
      return { type: "MODIFIED", change: selected, isLeaving: false };
    },
    frame: input.frame ?? ((event) => Buffer.from(String(event.change.revision))),
  };
}

/** A watcher that leaves when it is closed, as watches do. */
function join(hub: WatchHub, watched: WatchGroup): Told {
  const events: string[] = [];
  const close = (event: string) => (): void => {
    events.push(event);
    membership.leave();
  };
  const membership: Membership = hub.join(watched, {
    deliver: (frames) => events.push(...frames.map((frame) => frame.toString())),
    fail: (error) => close(`failed: ${(error as Error).message}`)(),
    end: close("ended"),
    drop: close("dropped"),
  });
  return { events, membership };
}

describe("delivery", () => {
  it("comes at once while it fits into a turn, each change once, and through the last", () => {
    const { hub, tell } = rig();
    const first = join(hub, group());
    tell(change(1), change(2));
    const second = join(hub, group());
    tell(change(3));
    assert.deepEqual([first.events, second.events], [["1", "2", "3"], ["3"]]);
    assert.deepEqual([first.membership.through(), second.membership.from], [3, 2]);
    tell(change(4, { kind: "others" }));
    assert.equal(first.membership.through(), 4);
  });

  it("does not judge changes of other kinds and namespaces", () => {
    const { hub, tell } = rig();
    let judged = 0;
    const onSelect = (): void => void (judged += 1);
    const one = join(hub, group({ onSelect }));
    const everywhere = join(hub, group({ key: "everywhere", namespace: undefined }));
    tell(
      change(1, { namespace: "b" }),
      change(2),
      change(3, { kind: "others" }),
      change(4, { namespace: "b" }),
    );
    assert.deepEqual([one.events, judged, everywhere.events], [["2"], 1, ["1", "2", "4"]]);
  });

  it("of a thousand groups of one tenant leaves their turns to the others", () => {
    const { hub, tell, turn, settle } = rig({ budget: 10 });
    const many = Array.from({ length: 1_000 }, (_, at) =>
      join(hub, group({ key: `no!=${at}`, tenant: "many" })),
    );
    const other = join(hub, group({ tenant: "other" }));
    const count = (): number => many.filter(({ events }) => events.length > 0).length;
    tell(change(1));
    assert.deepEqual(other.events, []);
    assert.ok(count() < 10, "a turn ends with its budget");
    turn();
    assert.deepEqual(other.events, ["1"]);
    assert.ok(count() < 10);
    settle();
    assert.ok(many.every(({ events }) => events.join() === "1"));
    assert.equal(hub.queuedBytes, 0);
  });

  it("to a thousand watchers of one group is split, and newcomers wait for the next", () => {
    const { hub, tell, turn, settle } = rig({ budget: 10 });
    const many = Array.from({ length: 1_000 }, () => join(hub, group()));
    tell(change(1));
    const newcomer = join(hub, group());
    turn();
    assert.ok(many.filter(({ events }) => events.length > 0).length < 30);
    tell(change(2));
    settle();
    assert.ok(many.every(({ events }) => events.join() === "1,2"));
    assert.deepEqual(newcomer.events, ["2"]);
  });
});

describe("a frame that takes longer", () => {
  it("holds up the later batches of its group alone", async () => {
    const { hub, tell } = rig();
    const slow = Promise.withResolvers<Buffer>();
    const frame: WatchGroup["frame"] = ({ change: { revision } }) =>
      revision === 1 ? slow.promise : Buffer.from(String(revision));
    const waiting = join(hub, group({ key: "slow", frame }));
    const other = join(hub, group());
    tell(change(1), change(2));
    tell(change(3));
    assert.deepEqual([waiting.events, other.events], [[], ["1", "2", "3"]]);
    // A bookmark must not be ahead of what was delivered.
    assert.deepEqual([waiting.membership.through(), other.membership.through()], [0, 3]);
    slow.resolve(Buffer.from("late 1"));
    await slow.promise;
    assert.deepEqual(waiting.events, ["late 1", "2", "3"]);
    assert.equal(waiting.membership.through(), 3);
  });

  it("ends its group alone when it fails", async () => {
    const { hub, tell } = rig();
    const frame: WatchGroup["frame"] = async () => await Promise.reject(new Error("no converter"));
    const failing = join(hub, group({ key: "failing", frame }));
    const other = join(hub, group());
    tell(change(1));
    await systemTimers.sleep(1);
    assert.deepEqual([failing.events, other.events], [["failed: no converter"], ["1"]]);
    assert.deepEqual([hub.watchers, hub.queuedBytes], [1, 0]);
    const again = join(hub, group({ key: "failing" }));
    tell(change(2));
    assert.deepEqual(again.events, ["2"]);
  });
});

describe("the end", () => {
  it("of a namespace comes after what was committed before, and spares new watches", async () => {
    const { hub, tell } = rig();
    const slow = Promise.withResolvers<Buffer>();
    const old = join(hub, group({ frame: () => slow.promise }));
    const elsewhere = join(hub, group({ key: "b", namespace: "b" }));
    tell(change(1));
    tell(change(2, { kind: "namespaces", namespace: "", name: "a", type: "deleted" }));
    const fresh = join(hub, group());
    slow.resolve(Buffer.from("late 1"));
    await slow.promise;
    tell(change(3));
    assert.deepEqual([old.events, fresh.events], [["late 1", "ended"], ["3"]]);
    assert.deepEqual(elsewhere.events, []);
  });

  it("of a kind drops what waits, which would be shown as before", async () => {
    const { hub, tell } = rig();
    const slow = Promise.withResolvers<Buffer>();
    const old = join(hub, group({ frame: () => slow.promise }));
    tell(change(1));
    hub.endKind("maps");
    slow.resolve(Buffer.from("late 1"));
    await slow.promise;
    assert.deepEqual(old.events, ["ended"]);
    assert.deepEqual([hub.watchers, hub.queuedBytes], [0, 0]);
  });

  it("of thousands of watches is split into turns", () => {
    const { hub, turn, settle } = rig({ budget: 10 });
    for (let at = 0; at < 1_000; at++) join(hub, group({ key: `no!=${at}` }));
    hub.endKind("maps");
    turn();
    assert.ok(hub.watchers > 900);
    settle();
    assert.equal(hub.watchers, 0);
  });
});

describe("what waits", () => {
  it("is bounded: the groups that are furthest behind are dropped, and no other group", () => {
    const { hub, tell, turn, settle } = rig({ budget: 4, maxQueuedBytes: 10_000 });
    const late = Array.from({ length: 50 }, (_, at) =>
      join(hub, group({ key: `no!=${at}`, tenant: "many" })),
    );
    const other = join(hub, group({ tenant: "other", namespace: "b" }));
    for (let revision = 1; revision <= 40; revision++) {
      tell(change(revision, { bytes: 1_000, namespace: revision % 2 === 0 ? "b" : "a" }));
      assert.ok(hub.queuedBytes <= 10_000);
      turn();
    }
    settle();
    assert.equal(other.events.length, 20);
    assert.ok(late.some(({ events }) => events.includes("dropped")));
    for (const { events } of late) {
      const revisions = events.filter((event) => event !== "dropped").map(Number);
      assert.deepEqual(
        revisions,
        revisions.map((_, at) => 2 * at + 1),
        "nothing is left out before the end",
      );
    }
    assert.deepEqual(
      [hub.queuedBytes, hub.watchers],
      [0, late.filter(({ events }) => !events.includes("dropped")).length + 1],
    );
  });

  it("is not kept for watchers that have left", () => {
    const { hub, tell } = rig();
    const { membership } = join(
      hub,
      group({ frame: () => Promise.withResolvers<Buffer>().promise }),
    );
    tell(change(1, { bytes: 1_000 }));
    assert.ok(hub.queuedBytes > 1_000);
    membership.leave();
    assert.deepEqual([hub.queuedBytes, hub.watchers], [0, 0]);
  });
});
