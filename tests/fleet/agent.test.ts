// The real agent between two real servers: a control plane with the Offering of dinosaurs, and a
// Kubernetes API, which is another Setpoint server. The test plays the operator of the data plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { startAgent } from "./agent-process.ts";
import type { AgentProcess } from "./agent-process.ts";
import { startAgentServer } from "./agent-server.ts";
import type { AgentServer } from "./agent-server.ts";
import { startDataPlane } from "./data-plane.ts";
import type { TestDataPlane } from "./data-plane.ts";

let fleet: AgentServer;
let dataPlane: TestDataPlane;
let agent: AgentProcess;

before(async () => {
  [fleet, dataPlane] = await Promise.all([
    startAgentServer({ offering: { agent: { resyncSeconds: 2 } } }),
    startDataPlane(),
  ]);
  await fleet.addCluster("east-1");
  agent = await startAgent(fleet, { cluster: "east-1", dataPlane });
});
after(async () => {
  await agent[Symbol.asyncDispose]();
  await dataPlane[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

const routes = [{ name: "web", prefix: "", router: "router.apps.east-1.example.com" }];

function running(more: JsonObject = {}): JsonObject {
  return { conditions: [{ type: "Ready", status: "True" }], routes, ...more };
}

async function untilReported(id: string, reason: string): Promise<JsonObject> {
  return await waitUntil(`the report ${reason} of ${id}`, async () => {
    const managed = await fleet.managed("east-1", id);
    const conditions = objectsAt(managed, "status", "report", "conditions");
    return conditions.some((one) => textAt(one, "reason") === reason) ? managed : undefined;
  });
}

/** Changes a parameter of an instance, as an administrator. */
async function setArea(name: string, squareMetres: number): Promise<void> {
  const path = `/apis/dinosaurs.example.dev/v1/namespaces/org-13640203/dinosaurs/${name}`;
  await fleet.patch(path, { spec: { parameters: { enclosure: { squareMetres } } } });
}

function areaOf(object: JsonObject | undefined): Json | undefined {
  return valueAt(object, "spec", "parameters", "enclosure", "squareMetres");
}

describe("the agent", () => {
  let id = "";

  it("reports that its cluster is ready", async () => {
    await fleet.untilPhase("east-1", "ready");
    const cluster = await fleet.resource("/apis/fleet.setpoint.dev/v1/dataplaneclusters/east-1");
    assert.equal(textAt(cluster, "status", "report", "reason"), "Connected");
  });

  it("applies an instance as one object in a namespace of its own", async () => {
    id = await fleet.create("rex", { parameters: { species: "triceratops" } });
    const object = await dataPlane.untilObject(id);
    assert.equal(textAt(object, "metadata", "namespace"), `dinosaur-${id}`);
    assert.match(textAt(object, "spec", "endpoint", "host"), /^rex-/);
    assert.equal(textAt(object, "spec", "parameters", "species"), "triceratops");
    assert.deepEqual(valueAt(object, "spec", "owners"), ["alice"]);
    const managers = objectsAt(object, "metadata", "managedFields");
    assert.deepEqual(
      managers.map((manager) => [textAt(manager, "manager"), textAt(manager, "operation")]),
      [["setpoint-agent", "Apply"]],
    );
    await untilReported(id, "Installing");
    assert.equal(textAt(await fleet.instance(id), "status"), "provisioning");
  });

  it("reports what the operator writes into the status of the object", async () => {
    await dataPlane.report(id, running({ versions: { dinosaur: "2.0.0" } }));
    const found = await fleet.untilStatus(id, "ready");
    assert.equal(textAt(found, "version"), "2.0.0");
    const failed = { type: "Ready", status: "False", reason: "Error", message: "disk full" };
    await dataPlane.report(id, { conditions: [failed] });
    const broken = await fleet.untilStatus(id, "failed");
    assert.match(textAt(broken, "failed_reason"), /disk full/);
    await dataPlane.report(id, running());
    await fleet.untilStatus(id, "ready");
  });

  it("applies changes of an instance, and repairs its object", async () => {
    await setArea("rex", 500);
    await dataPlane.untilObject(id, (object) => areaOf(object) === 500);
    await dataPlane.patch(id, { spec: { endpoint: { host: "changed.example.com" } } });
    await dataPlane.untilObject(id, (object) => {
      return textAt(object, "spec", "endpoint", "host").startsWith("rex-");
    });
  });

  it("does not change an object with the annotation that pauses it", async () => {
    const paused = "fleet.setpoint.dev/paused";
    await dataPlane.patch(id, { metadata: { annotations: { [paused]: "true" } } });
    await setArea("rex", 600);
    await dataPlane.report(id, {
      conditions: [{ type: "Ready", status: "True", reason: "Held" }],
    });
    await untilReported(id, "Held");
    assert.equal(areaOf(await dataPlane.object(id)), 500);
    await dataPlane.patch(id, { metadata: { annotations: { [paused]: null } } });
    await dataPlane.untilObject(id, (object) => areaOf(object) === 600);
  });

  it("deletes the object and its namespace before it reports the deletion", async () => {
    await dataPlane.patch(id, { metadata: { finalizers: ["test.example.com/hold"] } });
    await fleet.delete(id);
    await dataPlane.untilObject(id, (object) => {
      return valueAt(object, "metadata", "deletionTimestamp") !== undefined;
    });
    assert.equal(textAt(await fleet.instance(id), "status"), "deprovision");
    await dataPlane.patch(id, { metadata: { finalizers: null } });
    await fleet.untilRemoved(id);
    assert.deepEqual(await dataPlane.ids(), []);
    assert.deepEqual(await dataPlane.namespaces(), []);
  });

  it("uses a new token without a restart", async () => {
    agent.writeToken("no token");
    await agent.program.waitForLine(/status 401/);
    agent.writeToken(await fleet.newToken("east-1"));
    id = await fleet.create("rotated");
    await dataPlane.untilObject(id);
  });

  it("continues after the control plane was killed and started again", async () => {
    await fleet.server.setpoint.kill9();
    await fleet.server.setpoint.start();
    await dataPlane.report(id, running());
    await fleet.untilStatus(id, "ready");
  });

  it("continues after the data plane was killed and started again", async () => {
    await dataPlane.setpoint.kill9();
    await dataPlane.setpoint.start();
    const late = await fleet.create("late");
    await dataPlane.untilObject(late);
    await fleet.delete(late);
    await fleet.untilRemoved(late);
  });
});

describe("an Offering whose kind the data plane does not serve", () => {
  const offerings = "/apis/fleet.setpoint.dev/v1/offerings";
  const cluster = "/apis/fleet.setpoint.dev/v1/dataplaneclusters/east-1";

  it("cannot use the cluster, which hosts the other Offerings as before", async () => {
    const spec = objectAt(await fleet.resource(`${offerings}/dinosaurs`), "spec");
    const instances = { group: "dragons.example.dev", kind: "Dragon", plural: "dragons" };
    await fleet.server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "Offering",
      metadata: { name: "dragons" },
      spec: { ...spec, instances, types: [{ name: "eval", quota: "none" }], providers },
    });
    const report = await waitUntil("the report about the Offering", async () => {
      const found = objectAt(await fleet.resource(cluster), "status", "report");
      const reason = textAt(found, "unavailable", "dragons");
      return /does not serve the kind ManagedDragon/.test(reason) ? found : undefined;
    });
    assert.equal(report["isReady"], true);
    assert.equal(await fleet.phaseOf("east-1"), "ready");
    const other = await fleet.create("unaffected");
    await dataPlane.untilObject(other);
    await fleet.delete(other);
    await fleet.untilRemoved(other);

    const dragons = "/apis/dragons.example.dev/v1/namespaces/org-13640203/dragons";
    const body = {
      apiVersion: "dragons.example.dev/v1",
      kind: "Dragon",
      metadata: { name: "smaug" },
      spec: { owner: "alice" },
    };
    await waitUntil("the kind Dragon", async () => {
      const { status } = await fleet.server.setpoint.ask(dragons, { method: "POST", body });
      return status === 201 || status === 409;
    });
    const why = await waitUntil("the reason of the placement", async () => {
      const status = objectAt(await fleet.resource(`${dragons}/smaug`), "status");
      return objectsAt(status, "placement", "why")[0];
    });
    assert.match(textAt(why, "reason"), /^cannot host this offering at present: .*ManagedDragon/);
    await fleet.server.setpoint.ask(`${dragons}/smaug`, { method: "DELETE" });
    await waitUntil("the end of smaug", async () => {
      return (await fleet.resource(`${dragons}/smaug`)) === undefined;
    });
    await fleet.server.setpoint.ask(`${offerings}/dragons`, { method: "DELETE" });
    await waitUntil("the report without the Offering", async () => {
      const found = objectAt(await fleet.resource(cluster), "status", "report");
      return found["unavailable"] === undefined;
    });
  });

  const providers = [
    {
      id: "aws",
      isDefault: true,
      regions: [{ id: "us-east-1", isDefault: true, types: [{ name: "eval" }] }],
    },
  ];
});

describe("an agent that is killed", () => {
  it("leaks no object, whenever that happens", async () => {
    const kept = (await dataPlane.ids()).slice();
    const names = Array.from({ length: 12 }, (_, at) => `k${at}`);
    const ids: string[] = [];
    for (const name of names) ids.push(await fleet.create(name));
    for (let round = 0; round < 4; round += 1) {
      await agent.program.kill9();
      for (const gone of ids.slice(round * 2, round * 2 + 2)) await fleet.delete(gone);
      await agent.start();
      await agent.program.waitForLine(/instance applied/);
    }
    for (const gone of ids.slice(0, 8)) await fleet.untilRemoved(gone);
    const expected = [...kept, ...ids.slice(8)].sort();
    await waitUntil("exactly the live instances", async () => {
      return JSON.stringify(await dataPlane.ids()) === JSON.stringify(expected);
    });
    assert.equal((await dataPlane.namespaces()).length, expected.length);
  });

  it("removes what has its labels and is in no list", async () => {
    const labels = {
      "fleet.setpoint.dev/cluster": "east-1",
      "fleet.setpoint.dev/offering": "dinosaurs",
      "fleet.setpoint.dev/instance": "lost",
    };
    const metadata = { name: "dinosaur-lost", labels };
    const body = { apiVersion: "v1", kind: "Namespace", metadata };
    await dataPlane.setpoint.ask("/api/v1/namespaces", { method: "POST", body });
    await waitUntil("the orphan is removed", async () => {
      return !(await dataPlane.namespaces()).includes("dinosaur-lost");
    });
  });

  it("ends within seconds after SIGTERM, and its log is JSON", async () => {
    const startMs = performance.now();
    agent.program.signal("SIGTERM");
    const exit = await agent.program.waitForExit();
    assert.equal(exit.code, 0);
    assert.ok(performance.now() - startMs < 15_000);
    const lines = agent.program.stderr().trim().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "{}") as JsonObject;
    assert.equal(textAt(last, "message"), "agent stopped");
    assert.ok(
      lines.every((line) => line.startsWith("{")),
      "every line is JSON",
    );
  });
});

describe("an agent with the simulator", () => {
  it("makes instances ready, and logs why it has no access any more", async () => {
    await fleet.addCluster("west-1", { region: "eu-west-1" });
    await using simulated = await startAgent(fleet, { cluster: "west-1" });
    await fleet.untilPhase("west-1", "ready");
    const id = await fleet.create("sim", { cluster: "west-1", region: "eu-west-1" });
    await fleet.untilStatus(id, "ready");
    await fleet.delete(id);
    await fleet.untilRemoved(id);
    const path = "/apis/fleet.setpoint.dev/v1/dataplaneclusters/west-1";
    await fleet.server.setpoint.ask(path, { method: "DELETE" });
    await waitUntil("the removal of the cluster", async () => {
      return (await fleet.resource(path)) === undefined;
    });
    await simulated.program.waitForLine(
      /status 401.*check --token-file|status 404.*compare --cluster/,
    );
    await fleet.addCluster("west-1", { region: "eu-west-1" });
  });
});
