import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import { encodeDocument } from "../../../kernel/document.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import type { LiveListener } from "../../../intents/live-view.ts";
import type { FeedListener } from "../../../intents/watch/change-feed.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Change, StoredRecord } from "../../../store/port.ts";
import { sampleCluster, sampleManaged } from "../clusters/sample-cluster.ts";
import { clusterKey, managedInstanceKey } from "../names.ts";
import { openClusterIndex } from "./cluster-index.ts";
import type { ClusterIndex } from "./cluster-index.ts";

function record(id: string, revision: number, spec = {}): StoredRecord {
  const body = encodeDocument(sampleManaged(spec));
  return { key: managedInstanceKey("east-1", id), uid: id, revision, body };
}

function change(type: Change["type"], id: string, revision: number, spec = {}): Change {
  return { ...record(id, revision, spec), type, previous: undefined, atMs: 0, terms: [] };
}

interface Opened {
  readonly index: ClusterIndex;
  readonly feed: (change: Change) => void;
  /** Changes the cluster, or creates it. */
  readonly put: (name: string, spec?: JsonObject) => void;
}

/** An index over what `stored` lists; `during` arrives while it is loaded. */
async function open(
  stored: readonly StoredRecord[],
  during: readonly Change[] = [],
): Promise<Opened> {
  let listener: FeedListener = () => undefined;
  let followed: LiveListener = () => undefined;
  const index = await openClusterIndex({
    timers: manualTimers(manualClock()),
    log: { warn: () => undefined },
    feed: {
      subscribe: (given) => {
        listener = given;
        return () => undefined;
      },
    },
    live: {
      follow: (_kind, given) => {
        followed = given;
        const key = clusterKey("east-1");
        followed({ key, revision: 1, resource: sampleCluster({}, { phase: "ready" }) }, undefined);
        return () => undefined;
      },
    },
    store: {
      list: () => {
        listener(during, 0);
        return Promise.resolve({ revision: 0, records: stored });
      },
    },
  });
  const put = (name: string, spec: JsonObject = {}): void => {
    const { metadata, ...rest } = sampleCluster(spec, { phase: "ready" });
    const resource = { ...rest, metadata: { ...metadata, name } };
    followed({ key: clusterKey(name), revision: 2, resource }, undefined);
  };
  return { index, feed: (one) => listener([one], one.revision), put };
}

function usedOf(index: ClusterIndex): number | undefined {
  return index.inRegion("aws", "us-east-1")[0]?.load.used;
}

test("the load of a cluster is the sum of the units of its ManagedInstances", async () => {
  const { index, feed } = await open([record("i1", 5), record("i2", 6, { units: 3 })]);
  assert.equal(usedOf(index), 4);
  feed(change("created", "i3", 7));
  assert.equal(usedOf(index), 5);
  feed(change("updated", "i2", 8, { units: 3 }));
  assert.equal(usedOf(index), 5);
  feed(change("deleted", "i2", 9, { units: 3 }));
  assert.equal(usedOf(index), 2);
});

test("a change that arrives during the load counts once", async () => {
  const { index } = await open([record("i1", 5)], [change("created", "i1", 5)]);
  assert.equal(usedOf(index), 1);
  const { index: without } = await open([record("i1", 5)], [change("deleted", "i1", 6)]);
  assert.equal(usedOf(without), 0);
});

test("a region without clusters has none, and a cluster is found by its id", async () => {
  const { index } = await open([]);
  assert.deepEqual(index.inRegion("aws", "eu-west-1"), []);
  assert.equal(index.get("east-1")?.id, "east-1");
  assert.equal(index.get("other"), undefined);
});

test("a change of one cluster leaves what is known about the others", async () => {
  const { index, feed, put } = await open([]);
  put("east-2");
  const before = index.inRegion("aws", "us-east-1").find(({ id }) => id === "east-2");
  assert.ok(before !== undefined);
  put("east-1", { dns: "apps.other.example.com" });
  feed(change("created", "i1", 5));
  const after = index.inRegion("aws", "us-east-1");
  assert.equal(
    after.find(({ id }) => id === "east-2"),
    before,
  );
  const changed = after.find(({ id }) => id === "east-1");
  assert.deepEqual([changed?.dns, changed?.load.used], ["apps.other.example.com", 1]);
  assert.equal(index.get("east-1"), changed);
});
