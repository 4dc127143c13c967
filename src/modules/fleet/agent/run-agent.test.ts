// The reports of an agent about its cluster while its data plane is read for the first time. The
// test controls the time and the answer of the data plane.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeClient, KubeKind, KubeListener } from "../../../adapters/kubernetes/port.ts";
import { manualClock } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import { seededRandom } from "../../../kernel/random.ts";
import { untilAborted } from "../../../kernel/until-aborted.ts";
import type { ControlPlane } from "./control-plane.ts";
import { Agent } from "./run-agent.ts";

const managed = { plural: "manageds", isNamespaced: true };

interface Rig extends AsyncDisposable {
  /** Bodies of the reports about the cluster. */
  readonly sent: readonly JsonObject[];
  readonly pass: (ms: number) => Promise<void>;
  readonly answer: PromiseWithResolvers<KubeKind>;
}

async function openRig(): Promise<Rig> {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const sent: JsonObject[] = [];
  const answer = Promise.withResolvers<KubeKind>();
  const stop = new AbortController();
  const applies = { apiVersion: "x.io/v1", kind: "Managed" };
  const offering = { name: "dinosaurs", plural: "dinosaurs", applies, resyncMs: 60_000 };
  const controlPlane: Partial<ControlPlane> = {
    discover: async () => ({ offerings: [offering], dns: "apps.x.io" }),
    reportCluster: async (_plural, report) => void sent.push(report),
    list: async () => ({ version: "1", items: [] }),
    // eslint-disable-next-line require-yield -- nothing changes
    watch: async function* (_plural, _after, _spanMs, signal) {
      await untilAborted(signal);
    },
  };
  const client: Partial<KubeClient> = {
    findKind: async () => await answer.promise,
    list: async () => ({ resourceVersion: "1", items: [] }),
    follow: async (_path, _query, listener: KubeListener, signal) => {
      listener.listed([]);
      await untilAborted(signal);
    },
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const agent = new Agent({
    config: {
      cluster: "east-1",
      namespace: undefined,
      status: async () => ({ capacity: { standard: { maxUnits: 50 } } }),
      target: { kind: "kubernetes" },
    },
    daemon: { clock, timers, random: seededRandom(1), log, stopping: stop.signal },
    controlPlane,
    client,
  } as unknown as ConstructorParameters<typeof Agent>[0]);
  const running = agent.run();
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 100) await timers.advance(100);
  };
  return {
    sent,
    pass,
    answer,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      answer.resolve(managed);
      await pass(5_000);
      await running;
    },
  };
}

test("an agent that is starting reports when its data plane has answered", async () => {
  await using rig = await openRig();
  await rig.pass(3_000);
  assert.deepEqual(rig.sent, []);
  rig.answer.resolve(managed);
  await rig.pass(1_000);
  const [first] = rig.sent;
  assert.equal(textAt(objectsAt(first, "conditions")[0], "status"), "True");
  assert.equal(valueAt(first, "capacity", "standard", "maxUnits"), 50);
  assert.equal(valueAt(first, "unavailable"), undefined);
});

test("a data plane that does not answer is reported after some seconds", async () => {
  await using rig = await openRig();
  await rig.pass(12_000);
  const [first] = rig.sent;
  assert.equal(textAt(objectsAt(first, "conditions")[0], "reason"), "DataPlaneUnavailable");
  const why = "the data plane has not been read yet";
  assert.deepEqual(valueAt(first, "unavailable"), { dinosaurs: why });
  assert.equal(valueAt(first, "capacity", "standard", "maxUnits"), 50);
});
