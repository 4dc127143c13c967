// The metrics of a user module: its reconcilers count, and /metrics shows the result.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { UserModule } from "../contract/user-module.ts";
import { done } from "../engine/outcome.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { startTestServer } from "./testing.ts";

const apiVersion = "tests.dev/v1";

function moduleWith(reconcile: Reconciler["reconcile"]): UserModule {
  return {
    name: "orchard",
    metrics: {
      apples_picked_total: { kind: "counter", help: "Apples picked.", labels: ["tree"] },
      basket_weight: { kind: "gauge", help: "Weight of the basket.", labels: [] },
    },
    kinds: [
      {
        kind: {
          group: "tests.dev",
          names: { plural: "apples", kind: "Apple" },
          scope: "Namespaced",
          subresources: { status: true },
          versions: [{ name: "v1", served: true, storage: true, schema: { type: "object" } }],
        },
        reconciler: { reconcile },
      },
    ],
  };
}

it("are shown with those of the server", async () => {
  const module = moduleWith(async (_apple, { metrics }) => {
    metrics.count("apples_picked_total", { tree: "old" }, 2);
    metrics.gauge("basket_weight", 7);
    return done();
  });
  await using server = await startTestServer(module);
  await server.apply({ apiVersion, kind: "Apple", metadata: { name: "a" } });
  await server.pass();
  assert.match(server.metrics(), /^# HELP apples_picked_total Apples picked\.$/m);
  assert.match(server.metrics(), /^apples_picked_total\{tree="old"\} [1-9]/m);
  assert.match(server.metrics(), /^basket_weight 7$/m);
  assert.match(server.metrics(), /^setpoint_reconciles_total/m);
});

it("cannot be those of the server", async () => {
  const module = moduleWith(async (_apple, { metrics }) => {
    assert.throws(() => metrics.count("setpoint_reconciles_total"), /is a metric of the server/);
    return done({ status: { checked: true } });
  });
  await using server = await startTestServer(module);
  await server.apply({ apiVersion, kind: "Apple", metadata: { name: "a" } });
  await server.pass();
  assert.match(server.metrics(), /setpoint_reconciles_total\{[^}]*outcome="done"/);
});
