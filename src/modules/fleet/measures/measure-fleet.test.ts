import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GaugeSample, ModuleMeter } from "../../../contract/ports.ts";
import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import type { LiveListener, LiveRecord } from "../../../intents/live-view.ts";
import type { FeedListener } from "../../../intents/watch/change-feed.ts";
import { manualClock } from "../../../kernel/clock.ts";
import { encodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import type { Change } from "../../../store/port.ts";
import { sampleCluster } from "../clusters/sample-cluster.ts";
import { clusterKey, clustersKind, offeringKey, offeringsKind } from "../names.ts";
import { followOfferings } from "../offerings/offering-index.ts";
import { clusterFacts, noLoad } from "../placement/cluster-facts.ts";
import { sampleOffering } from "../sample-offering.ts";
import { measureFleet } from "./measure-fleet.ts";

const kind = "dinosaurs.dinosaurs.example.dev";

let revision = 10;

function change(type: Change["type"], name: string, status: JsonObject): Change {
  revision += 1;
  const creationTimestamp = "2026-01-01T00:00:00Z";
  const metadata = { name, namespace: "org-a", uid: name, generation: 1, creationTimestamp };
  const apiVersion = "dinosaurs.example.dev/v1";
  const body = encodeDocument({ apiVersion, kind: "Dinosaur", metadata, spec: {}, status });
  const key = { kind, namespace: "org-a", name };
  const atMs = Date.parse(creationTimestamp) + 20_000;
  return { key, uid: name, revision, type, previous: undefined, atMs, body, terms: [] };
}

interface RecordingMeter extends ModuleMeter {
  /** The series of a metric, as `label="value",... } number`. */
  readonly shown: (name: string) => readonly string[];
}

function recordingMeter(): RecordingMeter {
  const series = new Map<string, Map<string, number>>();
  const readers = new Map<string, Set<() => Iterable<GaugeSample>>>();
  const add = (name: string, labels: GaugeSample["labels"], by: number): void => {
    const own = series.get(name) ?? new Map<string, number>();
    series.set(name, own.set(textOf(labels), (own.get(textOf(labels)) ?? 0) + by));
  };
  return {
    count: (name, labels = {}, by = 1) => add(name, labels, by),
    gauge: () => assert.fail("the fleet collects its gauges"),
    observe: (name, _seconds, labels = {}) => add(name, labels, 1),
    collect: (name, read) => {
      const own = readers.get(name) ?? new Set();
      readers.set(name, own.add(read));
      return () => own.delete(read);
    },
    shown: (name) => [
      ...[...(series.get(name) ?? [])].map(([labels, value]) => `${labels} ${value}`),
      ...[...(readers.get(name) ?? [])].flatMap((read) =>
        [...read()].map(({ labels, value }) => `${textOf(labels)} ${value}`),
      ),
    ],
  };
}

function textOf(labels: GaugeSample["labels"]): string {
  return `${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",")}}`;
}

/** One Offering, one cluster and one ready instance. */
function rig() {
  const meter = recordingMeter();
  const timers = manualTimers(manualClock());
  const resource = sampleCluster({ capacity: { instances: 7 } }, { phase: "ready" });
  const cluster: LiveRecord = { key: clusterKey("east-1"), revision: 1, resource };
  const offering = { key: offeringKey("dinosaurs"), revision: 1, resource: sampleOffering() };
  const followers = new Map<string, Set<LiveListener>>();
  const live = {
    follow: (of: string, listener: LiveListener): (() => void) => {
      const all = followers.get(of) ?? new Set();
      followers.set(of, all.add(listener));
      listener(of === offeringsKind ? offering : cluster, undefined);
      return () => all.delete(listener);
    },
  };
  let task: LeaderTask | undefined;
  let feed: FeedListener = () => undefined;
  const status = { phase: "ready", placement: { cluster: "east-1" } };
  const stored = change("created", "rex", { ...status, actualVersions: { product: "1.0.0" } });
  const load = { ...noLoad, used: 1, usedByType: new Map([["standard", 1]]) };
  const facts = clusterFacts(resource, load);
  const stop = measureFleet({
    meter,
    live,
    timers,
    log: { warn: () => assert.fail("nothing fails") },
    clock: manualClock(),
    engine: {
      lead: (given) => {
        task = given;
        return () => undefined;
      },
    },
    feed: {
      subscribe: (given) => {
        feed = given;
        return () => {
          feed = () => undefined;
        };
      },
    },
    store: { list: async () => ({ revision, records: [stored] }) },
    state: {
      offerings: followOfferings(live),
      clusters: () => ({ get: () => facts, inRegion: () => [facts], all: () => [facts] }),
    },
  });
  const lead = async (): Promise<() => Promise<void>> => {
    const end = new AbortController();
    const claim = { key: offering.key, token: 1 };
    const leading = task?.lead(claim, end.signal);
    await timers.settle();
    return async () => {
      end.abort();
      await leading;
    };
  };
  const tell = (...changes: readonly Change[]): void => feed(changes, revision);
  return { shown: meter.shown, lead, tell, stop, followers };
}

describe("the metrics of the fleet", () => {
  it("have counters at 0 and no gauges before the process leads", () => {
    const { shown } = rig();
    const of = 'offering="dinosaurs",operation=';
    for (const name of ["operations_total_count", "operations_success_count"]) {
      assert.deepEqual(shown(`fleet_manager_${name}`), [
        `${of}"create"} 0`,
        `${of}"deprovision"} 0`,
        `${of}"delete"} 0`,
      ]);
      assert.equal(shown(`fleet_manager_cluster_${name}`).length, 3);
    }
    assert.deepEqual(shown("fleet_manager_leader_worker"), ['worker_type="fleet-metrics"} 0']);
    assert.deepEqual(shown("fleet_manager_requests_status_count"), []);
    assert.deepEqual(shown("fleet_manager_cluster_status_count"), []);
  });

  it("show the fleet while the process leads, and nothing stale after it", async () => {
    const { shown, lead, followers } = rig();
    const end = await lead();
    assert.deepEqual(shown("fleet_manager_leader_worker"), ['worker_type="fleet-metrics"} 1']);
    const statuses = shown("fleet_manager_requests_status_count");
    assert.equal(statuses.length, 10);
    assert.ok(statuses.includes('offering="dinosaurs",status="ready"} 1'));
    assert.ok(statuses.includes('offering="dinosaurs",status="failed"} 0'));
    assert.deepEqual(shown("fleet_manager_per_cluster_count"), [
      'offering="dinosaurs",cluster_id="east-1"} 1',
    ]);
    assert.deepEqual(shown("fleet_manager_version"), [
      'offering="dinosaurs",component="product",type="actual",version="1.0.0"} 1',
    ]);
    assert.ok(shown("fleet_manager_cluster_status_count").includes('status="ready"} 1'));
    const of = 'region="us-east-1",instance_type=';
    assert.deepEqual(shown("fleet_manager_cluster_status_capacity_max"), [
      `${of}"standard",cluster_id="east-1"} 7`,
      `${of}"eval",cluster_id="east-1"} 7`,
    ]);
    assert.deepEqual(shown("fleet_manager_cluster_status_capacity_used"), [
      `${of}"standard",cluster_id="east-1"} 1`,
      `${of}"eval",cluster_id="east-1"} 0`,
    ]);
    await end();
    for (const name of ["requests_status_count", "version", "cluster_status_capacity_used"]) {
      assert.deepEqual(shown(`fleet_manager_${name}`), [], name);
    }
    assert.deepEqual(shown("fleet_manager_leader_worker"), ['worker_type="fleet-metrics"} 0']);
    assert.equal(followers.get(clustersKind)?.size, 0);
  });

  it("count what happens while the process leads, and not what was stored before", async () => {
    const { shown, lead, tell } = rig();
    const end = await lead();
    const total = (operation: string): string | undefined =>
      shown("fleet_manager_operations_total_count").find((line) => line.includes(operation));
    assert.match(total("create") ?? "", / 0$/);
    tell(change("created", "tri", { phase: "accepted" }));
    tell(change("updated", "tri", { phase: "ready" }), change("deleted", "rex", {}));
    assert.match(total("create") ?? "", / 1$/);
    assert.match(total("delete") ?? "", / 1$/);
    const since = shown("fleet_manager_requests_status_since_created_in_seconds");
    assert.ok(since.includes('offering="dinosaurs",status="ready"} 1'), since.join("\n"));
    const counts = shown("fleet_manager_requests_status_count");
    assert.ok(counts.includes('offering="dinosaurs",status="ready"} 1'), counts.join("\n"));
    await end();
    tell(change("created", "late", { phase: "ready" }));
    assert.match(total("create") ?? "", / 1$/);
  });

  it("end with the module", () => {
    const { shown, stop } = rig();
    stop();
    assert.deepEqual(shown("fleet_manager_leader_worker"), []);
  });
});
