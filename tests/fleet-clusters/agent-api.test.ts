// The handlers of the agent API on a control plane in memory. The surface, which authorises agents,
// is tested in tests/fleet/.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownIntentsOf } from "../../src/app/own-intents.ts";
import { routePortsOf } from "../../src/app/route-ports.ts";
import type { UserInfo } from "../../src/intents/auth/user.ts";
import { serviceAccountUserName } from "../../src/intents/auth/user.ts";
import { parseExact } from "../../src/kernel/int64.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import { agentRoutes } from "../../src/modules/fleet/api/agent-routes.ts";
import { ChangeSignals } from "../../src/modules/fleet/api/change-signals.ts";
import type { WatchPorts } from "../../src/modules/fleet/api/watch.ts";
import { fleetLimits } from "../../src/modules/fleet/limits.ts";
import { readOffering } from "../../src/modules/fleet/offering.ts";
import { sampleOffering } from "../../src/modules/fleet/sample-offering.ts";
import { instancePlace, openMemoryClusters, phaseOf, ready } from "./memory-clusters.ts";
import type { MemoryClusters } from "./memory-clusters.ts";

const offering = readOffering(sampleOffering());

interface Agent {
  /** The document of the answer; undefined when it has none. */
  call(method: string, path: string, body?: JsonObject): Promise<JsonObject | undefined>;
  readonly warnings: readonly (readonly [JsonObject, string])[];
}

function agentOf(clusters: MemoryClusters, cluster: string): Agent {
  const { plane, surroundings } = clusters.memory;
  const warnings: [JsonObject, string][] = [];
  const quiet = (): void => undefined;
  const warn = (fields: object, text: string): void => {
    warnings.push([fields as JsonObject, text]);
  };
  const ports: WatchPorts = {
    ...routePortsOf(plane),
    ...surroundings,
    openHttp: () => assert.fail("no calls"),
    meter: plane.meter,
    log: { debug: quiet, info: quiet, error: quiet, warn },
    ownIntents: ownIntentsOf(plane.intents),
    signals: new ChangeSignals(plane.feed),
  };
  const routes = agentRoutes(ports, offering);
  const name = serviceAccountUserName(`cluster-${cluster}`, "agent");
  const user: UserInfo = { name, groups: [], extra: {} };
  return {
    warnings,
    call: async (method, path, body) => {
      const route = routes.find((one) => one.method === method && one.path === `/{cluster}${path}`);
      assert.ok(route !== undefined, `${method} ${path}`);
      const answer = await route.handle({
        offering,
        path: { cluster },
        caller: { user, surface: "fleet", warn: () => undefined },
        query: { get: () => undefined, all: () => [] },
        body,
        operationId: "o1",
        userAgent: "",
        tenant: "",
        signal: new AbortController().signal,
        pages: { before: () => undefined, after: () => undefined, drop: () => undefined },
        fleetCaller: { user: name } as never,
      });
      if (answer.kind === "document") return answer.document;
      return parseExact(answer.kind === "text" ? answer.text : "{}") as JsonObject;
    },
  };
}

async function openWith(): Promise<MemoryClusters> {
  const clusters = await openMemoryClusters();
  await clusters.createCluster("east-1");
  await clusters.createCluster("west-1");
  await clusters.pass();
  return clusters;
}

const placed = { host: "rex.example.com", versions: { product: "1.0.0", operator: "2.0.0" } };

test("an agent reads the settings of its cluster", async () => {
  await using clusters = await openWith();
  const view = await agentOf(clusters, "east-1").call("GET", "");
  assert.deepEqual(objectAt(view, "spec", "applies"), {
    apiVersion: "dinosaurs.example.dev/v1",
    kind: "ManagedDinosaur",
  });
  assert.equal(textAt(view, "status", "phase"), "waiting");
});

test("an agent of a cluster that does not exist gets a reason for its log", async () => {
  await using clusters = await openWith();
  for (const [method, path] of [
    ["GET", ""],
    ["GET", "/dinosaurs"],
    ["PUT", "/status"],
    ["PUT", "/dinosaurs/status"],
  ] as const) {
    await assert.rejects(agentOf(clusters, "north-1").call(method, path, {}), {
      code: "fleet.not_found",
      message: "the agent is authorised, and the DataPlaneCluster north-1 does not exist",
    });
  }
});

test("an account in a namespace that belongs to no cluster has no authority", async () => {
  await using clusters = await openMemoryClusters();
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "cluster-east-1" } };
  await clusters.memory.create(namespace);
  await clusters.createCluster("east-1");
  await clusters.pass();
  await assert.rejects(agentOf(clusters, "east-1").call("GET", ""), {
    code: "fleet.not_found",
    message: /does not belong to the DataPlaneCluster/,
  });
});

test("a report makes a cluster ready, and the same report is not stored again", async () => {
  await using clusters = await openWith();
  const agent = agentOf(clusters, "east-1");
  const body = {
    conditions: [{ type: "Ready", status: "True" }],
    dinosaurOperator: [{ ready: true, version: "1.0.0", dinosaurVersions: ["2.0.0"] }],
    capacity: { standard: { maxUnits: 4, remainingUnits: 4 } },
  };
  assert.equal(await agent.call("PUT", "/status", body), undefined);
  await clusters.pass();
  const first = await clusters.cluster("east-1");
  assert.equal(phaseOf(first), "ready");
  await agent.call("PUT", "/status", body);
  await clusters.pass();
  const second = await clusters.cluster("east-1");
  assert.equal(second?.metadata.resourceVersion, first?.metadata.resourceVersion);
  await clusters.pass(fleetLimits.agentHeartbeatMs);
  await agent.call("PUT", "/status", body);
  const third = await clusters.cluster("east-1");
  const at = (cluster: typeof first): string => textAt(cluster?.status, "report", "at");
  assert.ok(at(third) > at(first), "a sign of life is stored once in a while");
});

test("an agent lists its own instances with a host, and the deleted ones", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "a", placed);
  await clusters.place("east-1", "b", {});
  await clusters.place("east-1", "c");
  await clusters.place("east-1", "d", { ...placed, offering: "birds" });
  await clusters.place("west-1", "e", placed);
  await clusters.memory.remove(instancePlace("east-1", "c"));
  const list = await agentOf(clusters, "east-1").call("GET", "/dinosaurs");
  assert.equal(textAt(list, "kind"), "ManagedDinosaurList");
  const items = objectsAt(list, "items");
  assert.deepEqual(
    items.map((item) => [textAt(item, "id"), valueAt(item, "spec", "deleted")]),
    [
      ["a", false],
      ["c", true],
    ],
  );
  const [first] = items;
  assert.deepEqual(objectAt(first, "spec", "versions"), {
    dinosaur: "1.0.0",
    dinosaurOperator: "2.0.0",
  });
  assert.deepEqual(objectAt(first, "metadata", "annotations"), {
    "mas/id": "a",
    "mas/placementId": "p1",
  });
  assert.equal(textAt(first, "metadata", "namespace"), "dinosaur-a");
});

test("reports are judged one by one, and refused ones are logged and counted", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "a", placed);
  await clusters.place("east-1", "b", placed);
  await clusters.place("west-1", "c", placed);
  const agent = agentOf(clusters, "east-1");
  const hostile: Record<string, Json> = {
    a: ready("True"),
    b: ready("False", "Deleted"),
    c: ready("False", "Error", "taken over"),
    "no such": ready("True"),
    "../x": 7,
    ["z".repeat(5_000)]: ready("True"),
  };
  const result = await agent.call("PUT", "/dinosaurs/status", hostile);
  assert.deepEqual([result?.["stored"], result?.["unchanged"], result?.["refused"]], [1, 0, 5]);
  assert.equal(agent.warnings[0]?.[1], "reports of an agent refused");
  const stored = await clusters.instance("east-1", "a");
  assert.equal(textAt(stored?.status, "report", "placementId"), "p1");
  for (const [cluster, id] of [
    ["east-1", "b"],
    ["west-1", "c"],
  ] as const) {
    const other = await clusters.instance(cluster, id);
    assert.equal(valueAt(other?.status, "report"), undefined, id);
  }
  const again = await agent.call("PUT", "/dinosaurs/status", { a: ready("True") });
  assert.deepEqual([again?.["stored"], again?.["unchanged"]], [0, 1]);
});

test("a batch with too many reports is refused as a whole", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "a", placed);
  const many = Object.fromEntries(
    Array.from({ length: fleetLimits.maxReportsPerBatch }, (_, at) => [`x${at}`, {}]),
  );
  await assert.rejects(
    agentOf(clusters, "east-1").call("PUT", "/dinosaurs/status", { ...many, a: ready("True") }),
    { code: "fleet.validation", message: /more than 5000 reports/ },
  );
  const stored = await clusters.instance("east-1", "a");
  assert.equal(valueAt(stored?.status, "report"), undefined);
});

test("a Deleted report ends the deletion of an instance", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "a", placed);
  const agent = agentOf(clusters, "east-1");
  await clusters.memory.remove(instancePlace("east-1", "a"));
  const stale = { a: { placementId: "p0", ...ready("False", "Deleted") } };
  const refused = await agent.call("PUT", "/dinosaurs/status", stale);
  assert.equal(refused?.["refused"], 1);
  await clusters.pass();
  assert.ok((await clusters.instance("east-1", "a")) !== undefined);
  const current = { a: { placementId: "p1", ...ready("False", "Deleted") } };
  await agent.call("PUT", "/dinosaurs/status", current);
  await clusters.pass();
  assert.equal(await clusters.instance("east-1", "a"), undefined);
});

test("a report keeps what the life cycle has written meanwhile", async () => {
  await using clusters = await openWith();
  await clusters.place("east-1", "a", placed);
  const agent = agentOf(clusters, "east-1");
  await Promise.all([
    agent.call("PUT", "/dinosaurs/status", { a: ready("True") }),
    clusters.memory.patch(instancePlace("east-1", "a"), { spec: { isSuspended: true } }),
  ]);
  const stored = await clusters.instance("east-1", "a");
  assert.equal(valueAt(stored?.spec, "isSuspended"), true);
  assert.equal(objectsAt(stored?.status, "report", "conditions").length, 1);
});
