import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { derivedEvents, eventNameOf, factsOf } from "./derive-events.ts";

function resource(status: JsonObject = {}, more: JsonObject = {}): Resource {
  const metadata = { name: "a", uid: "u", generation: 1, ...more };
  return { apiVersion: "t/v1", kind: "T", metadata, status } as unknown as Resource;
}

function names(before: Resource | undefined, after: Resource): readonly string[] {
  const facts = before === undefined ? undefined : factsOf(before);
  return derivedEvents("updated", factsOf(after), facts).map(({ name }) => name);
}

describe("the events of a change", () => {
  it("are its type for a creation and a deletion", () => {
    assert.deepEqual(derivedEvents("created", factsOf(resource()), undefined), [
      { name: "created" },
    ]);
    const facts = factsOf(resource({ phase: "Destroyed" }));
    assert.deepEqual(derivedEvents("deleted", facts, facts), [{ name: "deleted" }]);
  });

  it("name the phase that was reached, and the phase before", () => {
    const [event] = derivedEvents(
      "updated",
      factsOf(resource({ phase: "DeployedOk" })),
      factsOf(resource({ phase: "DeployedWaiting" })),
    );
    const details = { from: "DeployedWaiting", to: "DeployedOk" };
    assert.deepEqual(event, { name: "deployed-ok", details });
  });

  it("are several when a change means several things", () => {
    const before = resource({ phase: "Deploying", progress: { done: 1, of: 3 } });
    const after = resource(
      {
        phase: "DeployedFail",
        progress: { done: 2, of: 3 },
        drift: { state: "Drifted" },
        conditions: [{ type: "Ready", status: "False" }],
      },
      { generation: 2, deletionTimestamp: "2026-01-01T00:00:00Z" },
    );
    assert.deepEqual(names(before, after), [
      "updated",
      "deleting",
      "deployed-fail",
      "progress",
      "drift-detected",
      "not-ready",
    ]);
    const repaired = resource(
      { ...objectAt(after, "status"), drift: { state: "None" } },
      after.metadata,
    );
    assert.deepEqual(names(after, repaired), ["drift-resolved"]);
  });

  it("name the state of a resource, its health, reminders and an overdue destruction", () => {
    const before = resource({ state: "Deploying", health: { state: "Healthy" }, reminders: ["a"] });
    const after = resource({
      state: "Ready",
      health: { state: "Unhealthy" },
      reminders: ["a", "b"],
      overdueAnnouncedAt: "2026-01-01T00:00:00Z",
    });
    assert.deepEqual(names(before, after), ["ready", "unhealthy", "reminder", "overdue"]);
  });

  it("name the end of a sync and the health of the managed objects", () => {
    const state = (phase: string, health: string, id = "op-1", retryCount = 0): Resource => {
      const operation = { id, trigger: "Automated", revision: "c1" };
      const operationState = { operation, phase, retryCount };
      return resource({ operationState, health: { status: health } });
    };
    const events = (before: Resource, after: Resource): readonly unknown[] =>
      derivedEvents("updated", factsOf(after), factsOf(before));
    const running = state("Running", "Healthy");
    assert.deepEqual(events(running, state("Succeeded", "Healthy")), [
      {
        name: "sync-succeeded",
        details: { operation: "op-1", trigger: "Automated", revision: "c1", retries: 0 },
      },
    ]);
    assert.deepEqual(events(running, state("Running", "Degraded")), [
      { name: "health-degraded", details: { from: "Healthy", to: "Degraded" } },
    ]);
    assert.deepEqual(names(running, state("Failed", "Degraded")), [
      "sync-failed",
      "health-degraded",
    ]);
    const succeeded = state("Succeeded", "Healthy");
    assert.deepEqual(names(succeeded, state("Succeeded", "Healthy")), ["status-updated"]);
    assert.deepEqual(names(succeeded, state("Succeeded", "Healthy", "op-2")), ["sync-succeeded"]);
    const failed = state("Failed", "Healthy");
    assert.deepEqual(names(failed, state("Failed", "Healthy", "op-1", 1)), ["sync-failed"]);
  });

  it("are at least one: updated for metadata, status-updated for the rest", () => {
    assert.deepEqual(names(resource(), resource({}, { labels: { a: "b" } })), ["updated"]);
    assert.deepEqual(names(resource(), resource({ note: "x" })), ["status-updated"]);
    assert.deepEqual(names(undefined, resource()), ["updated"], "the state before is not known");
  });

  it("compare the content of a resource without a generation", () => {
    const map = (value: string): Resource => {
      const metadata = { name: "a", uid: "u" };
      return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } } as never;
    };
    assert.deepEqual(names(map("1"), map("2")), ["updated"]);
    assert.deepEqual(names(map("1"), map("1")), ["status-updated"]);
  });

  it("have names in lower case with hyphens", () => {
    assert.equal(eventNameOf("DeployedWaiting"), "deployed-waiting");
    assert.equal(eventNameOf("Deployed: validating"), "deployed-validating");
  });
});
