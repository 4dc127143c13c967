import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { sampleCluster } from "../clusters/sample-cluster.ts";
import { countedChange, measuredCluster, measuredInstance } from "./measured.ts";
import type { MeasuredInstance } from "./measured.ts";
import { Tally, bounded } from "./tally.ts";

const created = "2026-01-01T00:00:00Z";
const createdMs = Date.parse(created);

function instance(status: JsonObject, deletionTimestamp?: string): Resource {
  const metadata = {
    name: "rex",
    namespace: "org-acme",
    uid: "u",
    generation: 1,
    creationTimestamp: created,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
  return { apiVersion: "dinosaurs.example.dev/v1", kind: "Dinosaur", metadata, spec: {}, status };
}

function at(phase: string, more: JsonObject = {}): MeasuredInstance {
  return measuredInstance(instance({ phase, ...more }));
}

const succeeded = { reconcile: { succeeded: { generation: 1 } } };

/** Each operation as "create ok 90 s". */
function ended(
  before: MeasuredInstance | undefined,
  after: MeasuredInstance | undefined,
  afterMs = 90_000,
): readonly string[] {
  return countedChange(before, after, createdMs + afterMs).operations.map(
    ({ operation, isSuccess, isNew, seconds }) =>
      `${operation} ${isSuccess ? "ok" : "failed"}${isNew ? "" : " again"} ${seconds ?? "-"}`,
  );
}

describe("the operations of instances", () => {
  it("count a creation once, when the instance is first ready", () => {
    assert.deepEqual(ended(undefined, at("accepted")), []);
    assert.deepEqual(ended(at("accepted"), at("provisioning")), []);
    assert.deepEqual(ended(at("provisioning"), at("ready", succeeded)), ["create ok 90"]);
    assert.deepEqual(ended(at("provisioning", succeeded), at("ready", succeeded)), []);
    assert.deepEqual(ended(at("suspended", succeeded), at("ready", succeeded)), []);
    assert.deepEqual(ended(at("ready"), at("ready", succeeded)), []);
  });

  it("count a failed creation, which may succeed later", () => {
    assert.deepEqual(ended(at("preparing"), at("failed")), ["create failed -"]);
    assert.deepEqual(ended(at("failed"), at("ready", succeeded)), ["create ok again 90"]);
    assert.deepEqual(ended(at("ready", succeeded), at("failed", succeeded)), []);
  });

  it("count the request for a deletion, and the deletion", () => {
    const deleted = measuredInstance(instance({ phase: "ready" }, "2026-01-01T00:01:00Z"));
    assert.equal(deleted.status, "deprovision");
    assert.deepEqual(ended(at("ready", succeeded), deleted), ["deprovision ok -"]);
    assert.deepEqual(ended(deleted, { ...deleted, status: "deleting" }), []);
    assert.deepEqual(ended(deleted, undefined), ["delete ok 30"]);
    assert.deepEqual(ended(undefined, undefined), []);
  });
});

describe("the age of an instance", () => {
  it("is observed when it reaches a status", () => {
    const { reached } = countedChange(at("accepted"), at("preparing"), createdMs + 2_500);
    assert.deepEqual(reached, { status: "preparing", ageSeconds: 2.5 });
    assert.equal(countedChange(at("ready"), at("ready"), createdMs).reached, undefined);
    const early = countedChange(undefined, at("accepted"), createdMs - 50);
    assert.equal(early.reached?.ageSeconds, 0);
  });
});

describe("the versions of an instance", () => {
  it("are measured as actual, desired and upgrade", () => {
    const { versions } = at("ready", {
      actualVersions: { product: "1.0.0", operator: "" },
      desiredVersions: { product: "1.1.0" },
      upgrading: { product: true },
    });
    assert.deepEqual(
      versions.map(({ component, type, version }) => `${component} ${type} ${version}`),
      ["product actual 1.0.0", "product desired 1.1.0", "product upgrade 1.1.0"],
    );
  });
});

describe("a cluster", () => {
  it("is measured by its phase", () => {
    const ready = measuredCluster(sampleCluster({}, { phase: "ready" }));
    const waiting = measuredCluster(sampleCluster({}, { phase: "waiting" }));
    assert.equal(ready.status, "ready");
    const { operations } = countedChange(waiting, ready, createdMs);
    assert.equal(operations[0]?.operation, "create");
    assert.ok(measuredCluster(sampleCluster({}, { phase: "cleanup" })).isEnding);
  });
});

describe("a tally", () => {
  it("shows declared labels as 0, and drops others that do not occur any more", () => {
    const tally = new Tally();
    tally.declare({ status: "ready" });
    tally.add({ status: "ready" }, 1);
    tally.add({ status: "odd" }, 2);
    tally.add({ status: "ready" }, -1);
    tally.add({ status: "odd" }, -2);
    assert.deepEqual([...tally.samples()], [{ labels: { status: "ready" }, value: 0 }]);
  });

  it("is bounded by counting the rarest together", () => {
    const samples = [1, 5, 3, 2].map((value) => ({
      labels: { offering: "a", version: `v${value}` },
      value,
    }));
    const other = { labels: { offering: "b", version: "v9" }, value: 9 };
    assert.deepEqual(
      [...bounded([...samples, other], "version", 2)].map(
        ({ labels, value }) => `${labels["offering"]} ${labels["version"]} ${value}`,
      ),
      ["a v5 5", "a v3 3", "a other 3", "b v9 9"],
    );
  });
});
