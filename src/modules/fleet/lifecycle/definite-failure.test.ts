import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { definiteFailure } from "./definite-failure.ts";

function child(retry: string, more: JsonObject = {}, synced = "False"): Resource {
  const condition = { type: "Synced", status: synced, reason: "Refused", message: "refused" };
  const reconcile = { retry, nextAttempt: "2026-01-01T00:00:00Z", ...more };
  return {
    apiVersion: "dns.setpoint.dev/v1",
    kind: "DnsRecord",
    metadata: { name: "a", uid: "u", generation: 2, creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { observedGeneration: 2, conditions: [condition], reconcile },
  };
}

test("a refusal of the external system is definite although it is repeated slowly", () => {
  assert.equal(definiteFailure(child("slow")), "refused");
  assert.equal(definiteFailure(child("never")), "refused");
});

test("an outage of the external system is not definite", () => {
  assert.equal(definiteFailure(child("soon")), undefined);
  assert.equal(definiteFailure(child("soon", { isFinal: true })), "refused");
});

test("a failure of an earlier spec, and a success, are not definite", () => {
  assert.equal(definiteFailure(child("slow", {}, "True")), undefined);
  const earlier = child("slow");
  const metadata = { ...earlier.metadata, generation: 3 };
  assert.equal(definiteFailure({ ...earlier, metadata }), undefined);
});
