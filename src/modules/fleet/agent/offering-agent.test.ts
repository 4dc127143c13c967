// The agent between a control plane and a data plane in memory. The test controls the time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import type { ManualTimers } from "../../../kernel/manual-timers.ts";
import { seededRandom } from "../../../kernel/random.ts";
import type { AgentEvent, ControlPlane } from "./control-plane.ts";
import { ControlPlaneError } from "./control-plane.ts";
import { ObjectRefused } from "./data-plane.ts";
import type { DataPlane } from "./data-plane.ts";
import { OfferingAgent } from "./offering-agent.ts";
import { simulatedDataPlane } from "./simulated-data-plane.ts";

/** A control plane with a list, a log of events, and what agents have reported. */
class MemoryControlPlane implements ControlPlane {
  readonly instances = new Map<string, JsonObject>();
  readonly reports = new Map<string, JsonObject>();
  readonly #events: AgentEvent[] = [];
  #arrived = Promise.withResolvers<void>();
  lists = 0;
  /** How long each watch was asked for. It lasts until it is aborted. */
  readonly spans: number[] = [];
  isDown = false;
  /** The next watch is refused because its version is too old. */
  isCompacted = false;

  put(id: string, given: JsonObject = {}): void {
    const { placementId = "p1", ...spec } = given;
    const annotations = { "mas/id": id, "mas/placementId": placementId };
    const metadata = { name: `name-${id}`, namespace: `dinosaur-${id}`, annotations };
    const object = { id, metadata, spec: { deleted: false, ...spec } };
    this.instances.set(id, object);
    this.#send({ kind: "change", version: this.#next(), object });
  }

  remove(id: string): void {
    this.instances.delete(id);
    this.#send({ kind: "removed", version: this.#next(), id });
  }

  reasonOf(id: string): string {
    return textAt(objectsAt(this.reports.get(id), "conditions")[0], "reason");
  }

  async discover(): Promise<never> {
    throw new Error("not used");
  }

  async list(): Promise<{ version: string; items: readonly JsonObject[] }> {
    this.#check();
    this.lists += 1;
    return { version: String(this.#events.length), items: [...this.instances.values()] };
  }

  async *watch(
    _plural: string,
    after: string,
    spanMs: number,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent> {
    this.#check();
    this.spans.push(spanMs);
    if (this.isCompacted) {
      this.isCompacted = false;
      throw new ControlPlaneError(410, "too old");
    }
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    for (let at = Number(after); !signal.aborted;) {
      const event = this.#events[at];
      if (event !== undefined) {
        at += 1;
        yield event;
      } else await Promise.race([this.#arrived.promise, stopped.promise]);
    }
  }

  async reportCluster(): Promise<void> {
    this.#check();
  }

  async report(_plural: string, reports: JsonObject): Promise<{ refused: 0; refusals: [] }> {
    this.#check();
    for (const id of Object.keys(reports)) this.reports.set(id, objectAt(reports, id));
    return { refused: 0, refusals: [] };
  }

  [Symbol.dispose](): void {
    this.isDown = true;
  }

  #next(): string {
    return String(this.#events.length + 1);
  }

  #send(event: AgentEvent): void {
    this.#events.push(event);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
  }

  #check(): void {
    if (this.isDown) throw new ControlPlaneError(0, "the control plane is down");
  }
}

interface Rig extends AsyncDisposable {
  readonly controlPlane: MemoryControlPlane;
  readonly dataPlane: DataPlane;
  readonly timers: ManualTimers;
  readonly agent: OfferingAgent;
  readonly applied: readonly string[];
  readonly lines: readonly string[];
}

interface RigOptions {
  readonly settings?: JsonObject;
  readonly wrap?: (plane: DataPlane) => DataPlane;
  readonly before?: (plane: DataPlane) => Promise<void>;
}

async function openRig({ settings = {}, wrap, before }: RigOptions = {}): Promise<Rig> {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const controlPlane = new MemoryControlPlane();
  const applied: string[] = [];
  const lines: string[] = [];
  const say = (_fields: object, text: string): void => void lines.push(text);
  const simulated = simulatedDataPlane({ clock, timers, settings, domain: "apps.x.io" });
  await before?.(simulated);
  const counted: DataPlane = {
    ...simulated,
    apply: async (instance, signal) => {
      applied.push(instance.id);
      await simulated.apply(instance, signal);
    },
  };
  const dataPlane = wrap === undefined ? counted : wrap(counted);
  const applies = { apiVersion: "x.io/v1", kind: "Managed" };
  const agent = new OfferingAgent({
    offering: { name: "dinosaurs", plural: "dinosaurs", applies, resyncMs: 60_000 },
    controlPlane,
    dataPlane,
    clock,
    timers,
    random: seededRandom(1),
    log: { debug: say, info: say, warn: say, error: say },
  });
  const stop = new AbortController();
  const running = agent.run(stop.signal);
  return {
    controlPlane,
    dataPlane,
    timers,
    agent,
    applied,
    lines,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await timers.advance(10_000);
      await running;
    },
  };
}

test("an instance is applied, reported ready, changed, and deleted", async () => {
  await using rig = await openRig();
  const { controlPlane, timers, applied } = rig;
  controlPlane.put("i1", { versions: { dinosaur: "1" } });
  await timers.advance(200);
  assert.equal(controlPlane.reasonOf("i1"), "Running");
  assert.equal(rig.agent.problem, undefined);
  controlPlane.put("i1", { versions: { dinosaur: "2" } });
  await timers.advance(200);
  assert.equal(textAt(controlPlane.reports.get("i1"), "versions", "dinosaur"), "2");
  assert.deepEqual(applied, ["i1", "i1"]);
  controlPlane.put("i1", { deleted: true });
  await timers.advance(200);
  assert.equal(controlPlane.reasonOf("i1"), "Deleted");
  assert.deepEqual(await rig.dataPlane.ids(new AbortController().signal), []);
});

test("what has not changed is not applied again when everything is listed again", async () => {
  await using rig = await openRig();
  const { controlPlane, timers, applied } = rig;
  for (let at = 0; at < 20; at += 1) controlPlane.put(`i${at}`);
  await timers.advance(500);
  assert.equal(applied.length, 20);
  await timers.advance(200_000);
  assert.ok(controlPlane.lists >= 4);
  assert.equal(applied.length, 20);
});

test("a watch lasts until the next list, which is earlier for some agents", async () => {
  await using rig = await openRig();
  const { controlPlane, timers } = rig;
  await timers.advance(500);
  await timers.advance(300_000);
  const { spans } = controlPlane;
  assert.ok(spans.length >= 4);
  assert.ok(spans.every((span) => span >= 53_000 && span <= 60_000));
  assert.equal(new Set(spans).size, spans.length);
});

test("an agent that was restarted applies everything once, and reports it", async () => {
  await using first = await openRig();
  first.controlPlane.put("i1");
  await first.timers.advance(500);
  await using second = await openRig();
  second.controlPlane.put("i1");
  await second.timers.advance(500);
  assert.deepEqual(second.applied, ["i1"]);
  assert.equal(second.controlPlane.reasonOf("i1"), "Running");
});

test("an object of an earlier agent whose instance is not listed is removed", async () => {
  const orphan = { id: "lost", name: "lost", namespace: "n", placementId: "p", digest: "d" };
  await using rig = await openRig({
    before: async (plane) =>
      await plane.apply({ ...orphan, isDeleted: false, spec: {} }, new AbortController().signal),
  });
  rig.controlPlane.put("i1");
  await rig.timers.advance(1_000);
  const ids = async () => [...(await rig.dataPlane.ids(new AbortController().signal))].sort();
  assert.deepEqual(await ids(), ["i1", "lost"], "one list is not enough");
  await rig.timers.advance(130_000);
  assert.deepEqual(await ids(), ["i1"]);
});

test("an agent continues when the control plane is back and its log is too short", async () => {
  await using rig = await openRig();
  const { controlPlane, timers } = rig;
  await timers.advance(500);
  controlPlane.isDown = true;
  await timers.advance(70_000);
  assert.ok(rig.lines.includes("instances not listed"));
  controlPlane.put("i1");
  controlPlane.isDown = false;
  controlPlane.isCompacted = true;
  await timers.advance(120_000);
  assert.equal(controlPlane.reasonOf("i1"), "Running");
});

test("an object that the data plane refuses is reported and not sent again", async () => {
  let refusals = 0;
  await using rig = await openRig({
    wrap: (plane) => ({
      ...plane,
      apply: async (instance, signal) => {
        if (instance.spec["size"] !== 2) {
          refusals += 1;
          throw new ObjectRefused("spec.size: must be 2");
        }
        await plane.apply(instance, signal);
      },
    }),
  });
  const { controlPlane, timers } = rig;
  controlPlane.put("i1", { size: 1 });
  await timers.advance(70_000);
  assert.equal(controlPlane.reasonOf("i1"), "Error");
  assert.equal(refusals, 1);
  controlPlane.put("i1", { size: 2 });
  await timers.advance(500);
  assert.equal(controlPlane.reasonOf("i1"), "Running");
});

test("a data plane that fails is tried again, and the cluster is not ready meanwhile", async () => {
  let isDown = true;
  await using rig = await openRig({
    wrap: (plane) => ({
      ...plane,
      follow: async (listener, signal) => {
        if (isDown) throw new Error("no route to the data plane");
        await plane.follow(listener, signal);
      },
    }),
  });
  await rig.timers.advance(500);
  assert.equal(rig.agent.problem, "no route to the data plane");
  isDown = false;
  await rig.timers.advance(5_000);
  assert.equal(rig.agent.problem, undefined);
});

test("a removal that takes long is looked at once a second", async () => {
  let looks = 0;
  await using rig = await openRig({
    settings: { deleteMs: 30_000 },
    wrap: (plane) => ({
      ...plane,
      remove: async (id, signal) => {
        looks += 1;
        return await plane.remove(id, signal);
      },
    }),
  });
  const { controlPlane, timers } = rig;
  controlPlane.put("i1");
  await timers.advance(500);
  for (let at = 0; at < 10; at += 1) {
    controlPlane.put("i1", { deleted: true, at });
    await timers.advance(100);
  }
  await timers.advance(20_000);
  assert.ok(looks < 50, `${looks} looks`);
  await timers.advance(20_000);
  assert.equal(controlPlane.reasonOf("i1"), "Deleted");
});

test("an instance that the control plane has removed is forgotten", async () => {
  await using rig = await openRig();
  const { controlPlane, timers } = rig;
  controlPlane.put("i1", { deleted: true });
  await timers.advance(500);
  assert.equal(controlPlane.reasonOf("i1"), "Deleted");
  controlPlane.remove("i1");
  controlPlane.reports.clear();
  await timers.advance(130_000);
  assert.equal(controlPlane.reports.size, 0);
});
