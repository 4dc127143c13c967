// The protocol of agents on a real server, with the credentials of clusters and tokens of a real
// issuer. The test plays the agent: an honest one, and a hostile one. ManagedInstances are written
// as the life cycle of instances writes them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { startAgentServer } from "./agent-server.ts";
import type { AgentServer } from "./agent-server.ts";
import type { Reply } from "./fleet-server.ts";

let fleet: AgentServer;

const role = { realm_access: { roles: ["Fleet-Agent"] } };

before(async () => {
  fleet = await startAgentServer({
    agents: {
      east: { ...role, "fleetshard-operator-cluster-id": "east-1" },
      ghost: { ...role, "fleetshard-operator-cluster-id": "ghost-1" },
      norole: { "fleetshard-operator-cluster-id": "east-1" },
    },
  });
  await fleet.addCluster("east-1");
  await fleet.addCluster("west-1");
});
after(async () => await fleet[Symbol.asyncDispose]());

function ready(status: string, reason = "", message = ""): JsonObject {
  return { conditions: [{ type: "Ready", status, reason, message }] };
}

async function report(cluster: string, reports: JsonObject): Promise<Reply> {
  return await fleet.agent(cluster, "/dinosaurs/status", reports);
}

async function reportOf(cluster: string, id: string): Promise<Json | undefined> {
  return valueAt(await fleet.managed(cluster, id), "status", "report");
}

/** The resourceVersion of everything that an agent could change. */
async function fingerprint(): Promise<string> {
  const kinds = ["dataplaneclusters", "managedinstances", "offerings", "organisations"];
  const lists = await Promise.all(
    kinds.map(async (kind) => await fleet.resource(`/apis/fleet.setpoint.dev/v1/${kind}`)),
  );
  return JSON.stringify(
    lists.flatMap((list) =>
      objectsAt(list, "items").map((item) => [
        textAt(item, "metadata", "name"),
        textAt(item, "metadata", "resourceVersion"),
      ]),
    ),
  );
}

describe("the credential of an agent", () => {
  const paths = ["", "/dinosaurs"];

  it("opens the API of its own cluster, as an account or with a token of an issuer", async () => {
    for (const path of paths) {
      assert.equal((await fleet.agent("east-1", path)).status, 200);
      const { status } = await fleet.server.call(`/agent-clusters/east-1${path}`, { as: "east" });
      assert.equal(status, 200);
    }
  });

  it("does not open the API of another cluster, and no other credential opens one", async () => {
    const west = await fleet.agentToken("west-1");
    for (const as of [west, "ghost", "norole", "alice", "root", fleet.server.setpoint.token]) {
      for (const path of paths) {
        const reply = await fleet.server.call(`/agent-clusters/east-1${path}`, { as });
        assert.equal(reply.status, 404, as);
        assert.equal(textAt(reply.json, "id"), "7");
        assert.equal(textAt(reply.json, "reason"), "Resource not found");
      }
      const body = { i1: ready("True") };
      const call = { method: "PUT", as, body };
      const put = await fleet.server.call("/agent-clusters/east-1/dinosaurs/status", call);
      assert.equal(put.status, 404, as);
    }
    assert.equal((await fleet.server.call("/agent-clusters/east-1")).status, 401);
  });

  it("of a cluster that does not exist gets a reason", async () => {
    for (const path of paths) {
      const reply = await fleet.server.call(`/agent-clusters/ghost-1${path}`, { as: "ghost" });
      assert.equal(reply.status, 404);
      assert.match(textAt(reply.json, "reason"), /the DataPlaneCluster ghost-1 does not exist/);
    }
  });

  it("finds the Offerings of its cluster, and nothing for other callers", async () => {
    const path = "/api/v1/agent-clusters/east-1";
    const own = await fleet.server.call(path, { as: await fleet.agentToken("east-1") });
    assert.equal(own.status, 200);
    const [offering] = objectsAt(own.json, "offerings");
    assert.equal(textAt(offering, "plural"), "dinosaurs");
    assert.deepEqual(objectAt(offering, "applies"), {
      apiVersion: "dinosaurs.example.dev/v1",
      kind: "ManagedDinosaur",
    });
    assert.equal((await fleet.server.call(path, { as: "east" })).status, 200);
    for (const as of [await fleet.agentToken("west-1"), "norole", "alice"]) {
      assert.equal((await fleet.server.call(path, { as })).status, 404, as);
    }
  });
});

describe("a cluster", () => {
  it("waits for its agent, is ready while the agent says so, and waits again", async () => {
    assert.equal(await fleet.phaseOf("west-1"), "waiting");
    const put = await fleet.agent("west-1", "/status", ready("True"));
    assert.equal(put.status, 204);
    assert.equal(put.text, "");
    await fleet.untilPhase("west-1", "ready");
    await fleet.agent("west-1", "/status", ready("False", "NoNodes", "no nodes"));
    await fleet.untilPhase("west-1", "waiting");
    const cluster = await fleet.resource("/apis/fleet.setpoint.dev/v1/dataplaneclusters/west-1");
    assert.equal(textAt(cluster, "status", "report", "reason"), "NoNodes");
  });

  it("keeps operators and capacity that its agent reports, and refuses invalid ones", async () => {
    await fleet.reportReady("east-1", {
      dinosaurOperator: [{ ready: true, version: "1.10.0", dinosaurVersions: ["3.0.0"] }],
      operators: [],
      capacity: { standard: { maxUnits: 7, remainingUnits: 7 } },
    });
    const invalid = await fleet.agent("east-1", "/status", {
      ...ready("True"),
      operators: [{ version: "not a version" }],
    });
    assert.equal(invalid.status, 400);
    assert.equal(textAt(invalid.json, "id"), "8");
    const view = await fleet.agent("east-1", "");
    assert.deepEqual(objectAt(view.json, "spec", "capacity"), { standard: { maxUnits: 7 } });
  });
});

describe("instances of a cluster", () => {
  it("are listed for their agent with what it needs", async () => {
    await fleet.place("east-1", "i1");
    await fleet.place("east-1", "nohost", { host: "" }).catch(() => undefined);
    const [item, ...others] = await fleet.instancesOf("east-1");
    assert.deepEqual(others, []);
    assert.equal(textAt(item, "kind"), "ManagedDinosaur");
    assert.deepEqual(objectAt(item, "spec", "versions"), {
      dinosaur: "2.0.0",
      dinosaurOperator: "1.0.0",
    });
    assert.equal(textAt(item, "spec", "endpoint", "host"), "i1.dinosaurs.example.com");
    assert.equal(valueAt(item, "spec", "deleted"), false);
    assert.equal(valueAt(item, "spec", "endpoint", "tls"), undefined);
  });

  it("are watched from a version on, also after the stream has ended", async () => {
    const list = await fleet.agent("east-1", "/dinosaurs");
    const from = textAt(list.json, "resource_version");
    const token = await fleet.agentToken("east-1");
    const watchFrom = async (version: string) =>
      await fleet.server.watch(
        `/agent-clusters/east-1/dinosaurs?watch=true&gt_version=${version}`,
        token,
      );
    let last = from;
    {
      using watch = await watchFrom(from);
      assert.equal(watch.status, 200);
      await fleet.place("east-1", "i2");
      await fleet.place("west-1", "w1");
      const event = await waitUntil("the new instance", () =>
        watch.events.find((one) => textAt(one, "object", "id") === "i2"),
      );
      assert.equal(textAt(event, "type"), "CHANGE");
      last = textAt(event, "resource_version");
      assert.ok(watch.events.every((one) => textAt(one, "object", "id") !== "w1"));
    }
    await fleet.place("east-1", "i3");
    await fleet.deleteManaged("east-1", "i2");
    using resumed = await watchFrom(last);
    const deleted = await waitUntil("the deletion of i2", () =>
      resumed.events.find((one) => valueAt(one, "object", "spec", "deleted") === true),
    );
    assert.equal(textAt(deleted, "object", "id"), "i2");
    assert.ok(resumed.events.some((one) => textAt(one, "object", "id") === "i3"));
    await report("east-1", { i2: { placementId: "p1", ...ready("False", "Deleted") } });
    await waitUntil("the removal of i2", () =>
      resumed.events.find((one) => textAt(one, "type") === "DELETED"),
    );
    const future = await fleet.agent("east-1", "/dinosaurs?watch=true&gt_version=999999999");
    assert.equal(future.status, 504, "the version has not been reached");
  });

  it("get the reports of their agent, and the same report is stored once", async () => {
    const routes = [{ name: "web", prefix: "", router: "router.apps.east-1.example.com" }];
    const sent = { i1: { ...ready("True"), versions: { dinosaur: "2.0.0" }, routes } };
    const first = await report("east-1", sent);
    assert.equal(first.status, 200);
    assert.equal(first.json["stored"], 1);
    const stored = await fleet.managed("east-1", "i1");
    assert.equal(textAt(stored, "status", "report", "versions", "product"), "2.0.0");
    const again = await report("east-1", sent);
    assert.deepEqual([again.json["stored"], again.json["unchanged"]], [0, 1]);
    const unchanged = await fleet.managed("east-1", "i1");
    assert.equal(
      textAt(unchanged, "metadata", "resourceVersion"),
      textAt(stored, "metadata", "resourceVersion"),
    );
  });
});

describe("a faulty or hostile agent", () => {
  it("cannot delete a live instance, or report about an earlier placement", async () => {
    const earlier = await fleet.managed("east-1", "i1");
    for (const entry of [
      ready("False", "Deleted"),
      { placementId: "p0", ...ready("False", "Error", "stale") },
      { placementId: "p0", ...ready("False", "Deleted") },
    ]) {
      const reply = await report("east-1", { i1: entry });
      assert.equal(reply.status, 200);
      assert.equal(reply.json["refused"], 1);
    }
    assert.deepEqual(await fleet.managed("east-1", "i1"), earlier);
  });

  it("cannot report about instances of another cluster, or ones that do not exist", async () => {
    const earlier = await fingerprint();
    const entries = { w1: ready("False", "Error"), absent: ready("True"), "../i1": ready("True") };
    const reply = await report("east-1", entries);
    assert.equal(reply.status, 200);
    assert.equal(reply.json["refused"], 3);
    assert.equal(await reportOf("west-1", "w1"), undefined);
    assert.equal(await fingerprint(), earlier);
    assert.match(fleet.server.setpoint.log(), /reports of an agent refused/);
  });

  it("changes nothing with conditions that are not understood", async () => {
    const earlier = await fleet.managed("east-1", "i1");
    for (const entry of [
      7,
      "Ready",
      [],
      {},
      { conditions: {} },
      ready("Unknown"),
      ready("perhaps"),
      { conditions: [{ type: "Ready", status: { a: 1 } }] },
    ] as readonly Json[]) {
      const reply = await report("east-1", { i1: entry });
      assert.equal(reply.status, 200, JSON.stringify(entry));
      assert.equal(reply.json["refused"], 1, JSON.stringify(entry));
    }
    assert.deepEqual(await fleet.managed("east-1", "i1"), earlier);
  });

  it("cannot direct a route outside of the domain of its cluster", async () => {
    const routes = [{ prefix: "", router: "bank.example.net" }];
    const reply = await report("east-1", { i1: { ...ready("True"), routes } });
    assert.equal(reply.json["stored"], 1);
    const stored = await reportOf("east-1", "i1");
    assert.equal(valueAt(stored, "routes"), undefined);
    assert.match(JSON.stringify(stored), /bank\.example\.net is not below the domain/);
  });

  it("gets clear errors for bodies that cannot be read, and no 500", async () => {
    const token = await fleet.agentToken("east-1");
    const put = async (path: string, body: unknown): Promise<Reply> =>
      await fleet.server.call(`/agent-clusters/east-1${path}`, { method: "PUT", as: token, body });
    for (const path of ["/status", "/dinosaurs/status"]) {
      for (const body of ["{", "[]", '"x"', "null", "", `{"a":${"[".repeat(10_000)}`]) {
        const reply = await put(path, body);
        assert.equal(reply.status, 400, `${path} ${body.slice(0, 20)}`);
        assert.match(textAt(reply.json, "reason"), /./);
      }
    }
    for (const [path, method] of [
      ["", "DELETE"],
      ["/dinosaurs", "POST"],
      ["/other", "GET"],
    ] as const) {
      const call = { method, as: token };
      const reply = await fleet.server.call(`/agent-clusters/east-1${path}`, call);
      assert.ok([404, 405].includes(reply.status), `${method} ${path}: ${reply.status}`);
    }
  });

  it("cannot send more than a limit, and a large batch costs little", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`x${at}`, ready("True")]),
    );
    const large = await report("east-1", many);
    assert.ok([200, 400, 413].includes(large.status), String(large.status));
    const some = Object.fromEntries(Object.entries(many).slice(0, 2_000));
    const startMs = performance.now();
    const reply = await report("east-1", some);
    assert.equal(reply.status, 200);
    assert.equal(reply.json["refused"], 2_000);
    assert.equal(objectsAt(reply.json, "refusals").length, 20);
    assert.ok(performance.now() - startMs < 20_000);
  });

  it("cannot write with its account through the Kubernetes API", async () => {
    const authorization = `Bearer ${await fleet.agentToken("east-1")}`;
    const { setpoint } = fleet.server;
    const path = "/apis/fleet.setpoint.dev/v1/namespaces/cluster-east-1/managedinstances";
    const read = await setpoint.ask(path, { headers: { authorization } });
    assert.equal(read.status, 200);
    const body = { metadata: { labels: { a: "b" } } };
    for (const [method, at] of [
      ["PATCH", `${path}/i1`],
      ["PATCH", `${path}/i1/status`],
      ["DELETE", `${path}/i1`],
      ["PATCH", "/apis/fleet.setpoint.dev/v1/dataplaneclusters/east-1/status"],
      ["POST", "/api/v1/namespaces/cluster-east-1/serviceaccounts/agent/token"],
    ] as const) {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { authorization, "content-type": type };
      const { status } = await setpoint.ask(at, { method, body, headers });
      assert.equal(status, 403, `${method} ${at}`);
    }
  });
});
