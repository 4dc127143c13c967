// The protocol of agents on a real server, with the credentials of clusters and tokens of a real
// issuer. The test plays the customer and the agent: an honest one, and a hostile one.
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
  await fleet.addCluster("west-1", { region: "eu-west-1" });
});
after(async () => await fleet[Symbol.asyncDispose]());

function ready(status: string, reason = "", message = ""): JsonObject {
  return { conditions: [{ type: "Ready", status, reason, message }] };
}

function running(more: JsonObject = {}): JsonObject {
  const routes = [{ name: "web", prefix: "", router: "router.apps.east-1.example.com" }];
  return { ...ready("True"), routes, ...more };
}

/** Everything that an agent could change. */
async function fingerprint(): Promise<string> {
  const kinds = ["dataplaneclusters", "managedinstances", "offerings", "organisations"];
  const lists = await Promise.all(
    kinds.map(async (kind) => await fleet.resource(`/apis/fleet.setpoint.dev/v1/${kind}`)),
  );
  return JSON.stringify(
    lists.flatMap((list) =>
      objectsAt(list, "items").map((item) => [
        textAt(item, "metadata", "name"),
        item["spec"],
        // The rest of a status changes by itself, such as the number of instances.
        valueAt(item, "status", "report"),
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
  let id = "";

  it("are listed for their agent with what it needs", async () => {
    await fleet.reportReady("east-1");
    await fleet.reportReady("west-1");
    id = await fleet.create("rex", { parameters: { species: "tyrannosaurus" } });
    const [item, ...others] = await fleet.instancesOf("east-1");
    assert.deepEqual(others, []);
    assert.equal(textAt(item, "id"), id);
    assert.equal(textAt(item, "kind"), "ManagedDinosaur");
    assert.equal(textAt(item, "metadata", "name"), "rex");
    assert.deepEqual(objectAt(item, "spec", "versions"), {
      dinosaur: "2.0.0",
      dinosaurOperator: "1.0.0",
    });
    assert.match(textAt(item, "spec", "endpoint", "host"), /^rex-/);
    assert.equal(valueAt(item, "spec", "deleted"), false);
    assert.equal(valueAt(item, "spec", "endpoint", "tls"), undefined);
    assert.deepEqual(await fleet.instancesOf("west-1"), []);
    await waitUntil("the used units of the cluster", async () => {
      const path = "/apis/fleet.setpoint.dev/v1/dataplaneclusters/east-1";
      return valueAt(await fleet.resource(path), "status", "used") === 1;
    });
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
    let second = "";
    {
      using watch = await watchFrom(from);
      assert.equal(watch.status, 200);
      second = await fleet.create("second");
      const west = await fleet.create("west", { cluster: "west-1", region: "eu-west-1" });
      const event = await waitUntil("the new instance", () =>
        watch.events.find((one) => textAt(one, "object", "id") === second),
      );
      assert.equal(textAt(event, "type"), "CHANGE");
      last = textAt(event, "resource_version");
      assert.ok(watch.events.every((one) => textAt(one, "object", "id") !== west));
    }
    await fleet.create("third");
    await fleet.delete(second);
    using resumed = await watchFrom(last);
    const deleted = await waitUntil("the deletion", () =>
      resumed.events.find((one) => valueAt(one, "object", "spec", "deleted") === true),
    );
    assert.equal(textAt(deleted, "object", "id"), second);
    assert.ok(resumed.events.some((one) => textAt(one, "object", "metadata", "name") === "third"));
    await fleet.report("east-1", { [second]: ready("False", "Deleted") });
    await waitUntil("the removal", () =>
      resumed.events.find((one) => textAt(one, "type") === "DELETED"),
    );
    const future = await fleet.agent("east-1", "/dinosaurs?watch=true&gt_version=999999999");
    assert.equal(future.status, 400, "the version has not been reached");
  });

  it("become ready by the report of their agent, and the same report is stored once", async () => {
    assert.equal(textAt(await fleet.instance(id), "status"), "provisioning");
    const sent = { [id]: running({ versions: { dinosaur: "2.0.0" } }) };
    const first = await fleet.report("east-1", sent);
    assert.equal(first.status, 200);
    assert.equal(first.json["stored"], 1);
    const found = await fleet.untilStatus(id, "ready");
    assert.equal(textAt(found, "version"), "2.0.0");
    const stored = await fleet.managed("east-1", id);
    const again = await fleet.report("east-1", sent);
    assert.deepEqual([again.json["stored"], again.json["unchanged"]], [0, 1]);
    const unchanged = await fleet.managed("east-1", id);
    assert.equal(
      textAt(unchanged, "metadata", "resourceVersion"),
      textAt(stored, "metadata", "resourceVersion"),
    );
  });

  it("fail with the message of their agent, and are ready again", async () => {
    await fleet.report("east-1", { [id]: ready("False", "Error", "disk full") });
    const failed = await fleet.untilStatus(id, "failed");
    assert.match(textAt(failed, "failed_reason"), /disk full/);
    await fleet.report("east-1", { [id]: running() });
    const found = await fleet.untilStatus(id, "ready");
    assert.equal(valueAt(found, "failed_reason") ?? "", "");
  });

  it("show an update while their agent reports one", async () => {
    const name = textAt(await fleet.instance(id), "name");
    const path = `/apis/dinosaurs.example.dev/v1/namespaces/org-13640203/dinosaurs/${name}`;
    const isUpgrading = async (wanted: boolean): Promise<void> => {
      await waitUntil(`upgrading is ${wanted}`, async () => {
        const found = valueAt(await fleet.resource(path), "status", "upgrading", "product");
        return (found === true) === wanted;
      });
    };
    const updating = [{ type: "Ready", status: "True", reason: "DinosaurUpdating" }];
    await fleet.report("east-1", { [id]: running({ conditions: updating }) });
    await isUpgrading(true);
    await fleet.report("east-1", { [id]: running() });
    await isUpgrading(false);
  });

  it("get a new placement when their cluster rejects them", async () => {
    const rejected = await fleet.create("rejected");
    const placement = async (): Promise<string> =>
      textAt(await fleet.managed("east-1", rejected), "spec", "placementId");
    const first = await placement();
    await fleet.report("east-1", { [rejected]: ready("False", "Rejected", "not now") });
    await waitUntil("another placement", async () => {
      const now = await placement();
      return now !== "" && now !== first;
    });
    assert.equal(textAt(await fleet.instance(rejected), "status"), "provisioning");
    const stale = { placementId: first, ...running() };
    const reply = await fleet.report("east-1", { [rejected]: stale });
    assert.equal(reply.json["refused"], 1);
    await fleet.report("east-1", { [rejected]: running() });
    await fleet.untilStatus(rejected, "ready");
  });

  it("move to another cluster when their cluster is full", async () => {
    const full = await fleet.create("full");
    await fleet.addCluster("east-2");
    await fleet.reportReady("east-2");
    const message = "Cluster has insufficient resources";
    await fleet.report("east-1", { [full]: ready("False", "Rejected", message) });
    await waitUntil("the instance on east-2", async () => {
      return (await fleet.instancesOf("east-2")).some((item) => textAt(item, "id") === full);
    });
    await waitUntil("the deletion on east-1", async () => {
      const items = await fleet.instancesOf("east-1");
      const left = items.find((item) => textAt(item, "id") === full);
      return left === undefined || valueAt(left, "spec", "deleted") === true;
    });
    await fleet.report("east-1", { [full]: ready("False", "Deleted") });
    const routes = [{ prefix: "", router: "router.apps.east-2.example.com" }];
    await fleet.report("east-2", { [full]: running({ routes }) });
    await fleet.untilStatus(full, "ready");
    const east2 = "/apis/fleet.setpoint.dev/v1/dataplaneclusters/east-2";
    await fleet.patch(east2, { spec: { isSchedulable: false } });
  });

  it("end when their agent reports them as deleted, and their name is free", async () => {
    const gone = await fleet.create("brief");
    await fleet.delete(gone);
    await fleet.untilStatus(gone, "deprovision");
    const item = await waitUntil("the deletion", async () => {
      const items = await fleet.instancesOf("east-1");
      return items.find(
        (one) => textAt(one, "id") === gone && valueAt(one, "spec", "deleted") === true,
      );
    });
    assert.equal(textAt(item, "metadata", "name"), "brief");
    await fleet.report("east-1", { [gone]: ready("False", "Deleted") });
    await fleet.untilRemoved(gone);
    assert.notEqual(await fleet.create("brief"), gone);
  });

  it("are placed only while the agent of the cluster is ready", async () => {
    await fleet.agent("west-1", "/status", ready("False", "NoNodes"));
    await fleet.untilPhase("west-1", "waiting");
    const place = { cloud_provider: "aws", region: "eu-west-1", multi_az: true };
    const call = { method: "POST", as: "alice", body: { name: "patient", ...place } };
    const reply = await fleet.server.call("/dinosaurs?async=true", call);
    assert.equal(reply.status, 202, reply.text);
    const patient = textAt(reply.json, "id");
    assert.equal(textAt(await fleet.instance(patient), "status"), "accepted");
    assert.equal(await fleet.managed("west-1", patient), undefined);
    await fleet.reportReady("west-1");
    await waitUntil("the instance at its agent", async () => {
      return (await fleet.instancesOf("west-1")).some((item) => textAt(item, "id") === patient);
    });
  });
});

describe("an Offering that a cluster does not host any more", () => {
  it("is shown to the agent until its last instance has left the cluster", async () => {
    const id = await fleet.create("leaver", { cluster: "west-1", region: "eu-west-1" });
    const [cluster, offered] = [
      "/apis/fleet.setpoint.dev/v1/dataplaneclusters/west-1",
      "/api/v1/agent-clusters/west-1",
    ];
    const shown = async (): Promise<readonly string[]> => {
      const { json } = await fleet.server.call(offered, { as: await fleet.agentToken("west-1") });
      return objectsAt(json, "offerings").map((offering) => textAt(offering, "plural"));
    };
    await fleet.patch(cluster, { spec: { offerings: ["trees"] } });
    assert.deepEqual(await shown(), ["dinosaurs"]);
    for (const item of await fleet.instancesOf("west-1")) {
      const left = textAt(item, "id");
      await fleet.delete(left);
      await waitUntil("the deletion at the agent", async () => {
        const items = await fleet.instancesOf("west-1");
        const found = items.find((one) => textAt(one, "id") === left);
        return valueAt(found, "spec", "deleted") === true;
      });
      await fleet.report("west-1", { [left]: ready("False", "Deleted") });
      await fleet.untilRemoved(left);
    }
    assert.equal(await fleet.stored(id), undefined);
    await waitUntil("the end of the Offering", async () => (await shown()).length === 0);
    await fleet.patch(cluster, { spec: { offerings: null } });
    assert.deepEqual(await shown(), ["dinosaurs"]);
  });
});

describe("a faulty or hostile agent", () => {
  let id = "";
  let other = "";

  it("cannot delete a live instance, or report about an earlier placement", async () => {
    id = await fleet.create("target");
    other = await fleet.create("foreign", { cluster: "west-1", region: "eu-west-1" });
    await fleet.report("east-1", { [id]: running() });
    await fleet.untilStatus(id, "ready");
    await fleet.untilStatus(other, "provisioning");
    const earlier = await fleet.managed("east-1", id);
    for (const entry of [
      ready("False", "Deleted"),
      { placementId: "p0", ...ready("False", "Error", "stale") },
      { placementId: "p0", ...ready("False", "Deleted") },
    ]) {
      const reply = await fleet.report("east-1", { [id]: entry });
      assert.equal(reply.status, 200);
      assert.equal(reply.json["refused"], 1);
    }
    assert.deepEqual(await fleet.managed("east-1", id), earlier);
    assert.equal(textAt(await fleet.instance(id), "status"), "ready");
  });

  it("cannot report about instances of another cluster, or ones that do not exist", async () => {
    const earlier = await fingerprint();
    const entries = {
      [other]: ready("False", "Error"),
      absent: ready("True"),
      [`../${id}`]: ready("True"),
    };
    const reply = await fleet.report("east-1", entries);
    assert.equal(reply.status, 200);
    assert.equal(reply.json["refused"], 3);
    assert.equal(await fingerprint(), earlier);
    await fleet.server.untilLogged(/reports of an agent refused/);
  });

  it("changes nothing with conditions that are not understood", async () => {
    const earlier = await fleet.managed("east-1", id);
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
      const reply = await fleet.report("east-1", { [id]: entry });
      assert.equal(reply.status, 200, JSON.stringify(entry));
      assert.equal(reply.json["refused"], 1, JSON.stringify(entry));
    }
    assert.deepEqual(await fleet.managed("east-1", id), earlier);
  });

  it("cannot direct a route outside of the domain of its cluster", async () => {
    const routed = await fleet.create("routed");
    const routes = [{ prefix: "", router: "bank.example.net" }];
    const reply = await fleet.report("east-1", { [routed]: running({ routes }) });
    assert.equal(reply.json["stored"], 1);
    const stored = valueAt(await fleet.managed("east-1", routed), "status", "report");
    assert.equal(valueAt(stored, "routes"), undefined);
    assert.match(JSON.stringify(stored), /bank\.example\.net is not below the domain/);
    assert.equal(textAt(await fleet.instance(routed), "status"), "provisioning");
    await fleet.report("east-1", { [routed]: running() });
    await fleet.untilStatus(routed, "ready");
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
    const large = await fleet.report("east-1", many);
    assert.ok([200, 400, 413].includes(large.status), String(large.status));
    const some = Object.fromEntries(Object.entries(many).slice(0, 2_000));
    const startMs = performance.now();
    const reply = await fleet.report("east-1", some);
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
      ["PATCH", `${path}/${id}`],
      ["PATCH", `${path}/${id}/status`],
      ["DELETE", `${path}/${id}`],
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
