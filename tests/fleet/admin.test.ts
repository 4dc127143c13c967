// Instances in the admin API of a real server, with real tokens of an issuer of administrators and
// simulated clusters: creation for an owner, versions, placement, expiry, traits, suspension,
// rotation, deletion and restore, and the metrics of all of it.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

let server: FleetServer;

const operators = [
  { version: "1.0.0", isReady: true, versions: ["1.0.0", "1.0.5", "1.1.0", "2.0.0"] },
  { version: "1.1.0", isReady: true, versions: ["1.1.0", "2.0.0"] },
  { version: "1.2.0", isReady: false, versions: ["1.1.0"] },
];

function cluster(name: string, simulator: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "DataPlaneCluster",
    metadata: { name },
    spec: {
      provider: "aws",
      region: "us-east-1",
      isMultiAz: true,
      dns: `apps.${name}.example.com`,
      executor: { kind: "simulator", simulator: { operators, ...simulator } },
      ...more,
    },
  };
}

before(async () => {
  const retention = 3_600;
  server = await startFleetServer({ offering: { retention } });
  await server.apply(cluster("east-1", {}));
  // Chosen by assignment alone: its agent never completes a deletion.
  await server.apply(cluster("east-2", { deleteMs: 86_400_000 }, { isSchedulable: true }));
  await server.apply({
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: {
      accountNumber: "4711",
      members: [{ user: "alice", account: "a-1", isAdmin: true }, { user: "bob" }],
      quotas: [{ offering: "dinosaurs", type: "standard", max: 20 }],
    },
  });
  await server.untilReady();
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

const admin = async (
  method: string,
  path: string,
  body?: JsonObject,
  as = "root",
): Promise<Reply> =>
  await server.call(`/admin${path}`, { method, as, ...(body === undefined ? {} : { body }) });

async function accepted(name: string, more: JsonObject = {}): Promise<string> {
  const body = { name, owner: "alice", organisation_id: acme, cluster_id: "east-1", ...more };
  const reply = await admin("POST", "/dinosaurs?async=true", body, "writer");
  equal(reply.status, 202, reply.text);
  return textAt(reply.json, "id");
}

/** The view of an instance as soon as it satisfies the condition. */
async function until(
  id: string,
  what: string,
  isMet: (view: JsonObject) => boolean,
): Promise<JsonObject> {
  let view: JsonObject = {};
  await waitUntil(`${what} of ${id}`, async () => {
    view = (await admin("GET", `/dinosaurs/${id}`)).json;
    return isMet(view);
  });
  return view;
}

async function ready(name: string, more: JsonObject = {}): Promise<string> {
  const id = await accepted(name, more);
  await until(id, "the status ready", ({ status }) => status === "ready");
  return id;
}

function isRefused(reply: Reply, status: number, number: number, reason: RegExp): void {
  equal(reply.status, status, reply.text);
  equal(reply.json["id"], String(number), reply.text);
  match(textAt(reply.json, "reason"), reason);
}

describe("an instance that an administrator creates", () => {
  it("belongs to its owner, and both APIs show it", async () => {
    const id = await ready("rex");
    const view = (await admin("GET", `/dinosaurs/${id}`, undefined, "reader")).json;
    equal(view["owner"], "alice");
    equal(view["organisation_id"], acme);
    equal(view["owner_account_id"], "a-1");
    equal(view["account_number"], "4711");
    equal(view["instance_type"], "standard");
    equal(view["quota_type"], "list");
    equal(view["cluster_id"], "east-1");
    equal(view["actual_dinosaur_version"], view["desired_dinosaur_version"]);
    equal(view["routes_created"], true);
    equal(objectsAt(view, "routes").length, 1);
    ok(objectsAt(view, "placement", "why").length > 0, JSON.stringify(view["placement"]));
    const seen = await server.call(`/dinosaurs/${id}`, { as: "alice" });
    equal(seen.status, 200, seen.text);
    equal(seen.json["cluster_id"], undefined);
    const listed = await admin("GET", "/dinosaurs?search=owner%20%3D%20alice&orderBy=name");
    deepEqual(
      objectsAt(listed.json, "items").map(({ name }) => name),
      ["rex"],
    );
  });

  it("creates the Organisation of its owner, if there is none", async () => {
    const more = { owner: "zoe", organisation_id: "Zoo & Co", owner_account_id: "z-1" };
    const id = await accepted("tri", more);
    const view = await until(id, "the owner", ({ owner }) => owner === "zoe");
    equal(view["owner_account_id"], "z-1");
    match(textAt(view, "organisation_id"), /^x-[0-9a-f]{32}$/);
    equal(view["instance_type"], "eval");
  });

  it("needs a name, an owner, an organisation and async=true", async () => {
    const whole = { name: "any", owner: "alice", organisation_id: acme };
    const post = async (body: JsonObject, query = "?async=true"): Promise<Reply> =>
      await admin("POST", `/dinosaurs${query}`, body);
    isRefused(await post(whole, ""), 400, 103, /async=true/);
    isRefused(await post({ ...whole, owner: "" }), 400, 37, /owner: is required/);
    equal((await post({ name: "any", organisation_id: acme })).status, 400);
    isRefused(await post({ ...whole, name: "Any" }), 400, 32, /name/);
    isRefused(await post({ ...whole, name: "rex" }), 409, 36, /already used/);
    isRefused(await post({ ...whole, region: "mars" }), 400, 31, /region mars/);
    isRefused(await post({ ...whole, instance_type: "gold" }), 400, 41, /gold/);
  });
});

describe("the versions of an instance", () => {
  it("are changed by a PATCH and applied by the agent, one upgrade at a time", async () => {
    const old = [{ version: "1.0.0", isReady: true, versions: ["1.0.0"] }];
    const fresh = [...old, { version: "1.0.1", isReady: true, versions: ["1.0.0", "1.1.0"] }];
    await server.apply(cluster("east-3", { operators: old }));
    const id = await ready("versioned", { cluster_id: "east-3" });
    await server.apply(cluster("east-3", { operators: fresh, updateMs: 5_000 }));
    await waitUntil("the new operator", async () => {
      const { json } = await admin("GET", "/clusters/east-3");
      return objectsAt(json, "operators").length === 2;
    });
    const path = `/dinosaurs/${id}`;
    const both = { dinosaur_version: "1.1.0", dinosaur_operator_version: "1.0.1" };
    const changed = await admin("PATCH", path, both, "writer");
    equal(changed.status, 200, changed.text);
    equal(changed.json["desired_dinosaur_version"], "1.1.0");
    equal(changed.json["actual_dinosaur_version"], "1.0.0");
    const running = await until(
      id,
      "an upgrade",
      (view) => view["dinosaur_operator_upgrading"] === true,
    );
    equal(running["status"], "ready");
    const other = await admin("PATCH", path, { dinosaur_operator_version: "1.0.0" }, "writer");
    isRefused(other, 400, 8, /dinosaur_operator_version: another upgrade is running/);
    equal((await admin("PATCH", path, both, "writer")).status, 200);
    const ended = await until(
      id,
      "the end of the upgrade",
      (view) => view["actual_dinosaur_version"] === "1.1.0",
    );
    equal(ended["actual_dinosaur_operator_version"], "1.0.1");
    equal(ended["dinosaur_operator_upgrading"], false);
    const seen = await server.call(path, { as: "alice" });
    equal(seen.json["version"], "1.1.0");
  });

  it("are refused by each rule, without any change", async () => {
    const id = await ready("ruled");
    const cases: readonly (readonly [JsonObject, number, RegExp])[] = [
      [{}, 37, /at least one of dinosaur_version or dinosaur_operator_version/],
      [{ dinosaur_version: " " }, 37, /dinosaur_version: must not be empty/],
      [{ dinosaur_version: 7 }, 37, /dinosaur_version/],
      [{ version: "2.0.0" }, 37, /version/],
      [{ dinosaur_version: "9.0.0" }, 8, /does not run the version 9\.0\.0/],
      [{ dinosaur_operator_version: "9.0.0" }, 8, /does not have the operator 9\.0\.0/],
      [{ dinosaur_operator_version: "1.2.0" }, 8, /not ready the operator 1\.2\.0/],
      [{ dinosaur_operator_version: "1.0.0" }, 8, /operator_version: 1\.0\.0 is older/],
    ];
    for (const [body, number, reason] of cases) {
      isRefused(await admin("PATCH", `/dinosaurs/${id}`, body, "writer"), 400, number, reason);
    }
    const same = { dinosaur_version: "2.0.0", dinosaur_operator_version: "1.1.0" };
    equal((await admin("PATCH", `/dinosaurs/${id}`, same, "writer")).status, 200);
    equal((await admin("PATCH", "/dinosaurs/none", same, "writer")).status, 404);
  });
});

describe("the placement of an instance", () => {
  it("follows an assignment to a cluster that can host it", async () => {
    const id = await ready("mover");
    const path = `/dinosaurs/${id}/cluster`;
    isRefused(await admin("PUT", path, { cluster_id: "none" }), 400, 8, /none does not exist/);
    isRefused(await admin("PUT", path, { cluster_id: "" }), 400, 37, /cluster_id: must be/);
    await server.apply(cluster("east-9", {}, { isSchedulable: false }));
    await server.apply(cluster("west-1", {}, { region: "eu-west-1" }));
    await waitUntil("both clusters", async () => {
      const { json } = await admin("GET", "/clusters");
      const names = new Set(objectsAt(json, "items").map((each) => textAt(each, "id")));
      return names.has("east-9") && names.has("west-1");
    });
    isRefused(await admin("PUT", path, { cluster_id: "east-9" }), 400, 8, /is not schedulable/);
    isRefused(await admin("PUT", path, { cluster_id: "west-1" }), 400, 8, /another region/);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const reply = await admin("PUT", path, { cluster_id: "east-3" }, "writer");
      equal(reply.status, 200, reply.text);
      equal(objectAt(reply.json, "placement")["assigned_cluster_id"], "east-3");
    }
    await until(
      id,
      "the move",
      ({ cluster_id: at, status }) => at === "east-3" && status === "ready",
    );
    await waitUntil("nothing is left on the first cluster", async () => {
      const { json } = await admin("GET", "/dinosaurs?search=cluster_id%20%3D%20east-1");
      return !objectsAt(json, "items").some(({ name }) => name === "mover");
    });
    const free = await admin("PUT", path, { cluster_id: null });
    equal(free.status, 200, free.text);
    equal(objectAt(free.json, "placement")["assigned_cluster_id"], undefined);
    equal((await until(id, "its cluster", () => true))["cluster_id"], "east-3");
  });
});

describe("the type of an instance", () => {
  it("is changed for every owner, and the agent gets the new one", async () => {
    const id = await ready("promoted", { owner: "bob", instance_type: "eval" });
    const type = async (instance_type: string, as = "writer"): Promise<Reply> =>
      await admin("PUT", `/dinosaurs/${id}/type`, { instance_type }, as);
    equal((await type("standard", "reader")).status, 404);
    isRefused(await type("none"), 400, 41, /offers the types/);
    const changed = await type("standard");
    equal(changed.status, 200, changed.text);
    equal(changed.json["instance_type"], "standard");
    equal((await type("standard")).status, 200, "a repeated request has the same result");
    await waitUntil("the type at the agent", async () => {
      const path = `/apis/fleet.setpoint.dev/v1/namespaces/cluster-east-1/managedinstances/${id}`;
      const { body } = await server.setpoint.ask(path);
      return textAt(JSON.parse(body.toString()) as JsonObject, "spec", "type") === "standard";
    });
  });
});

describe("the expiry of an instance", () => {
  it("needs a reason, suspends the instance when it has passed, and can be cleared", async () => {
    const id = await ready("expiring");
    const path = `/dinosaurs/${id}/expiry`;
    const later = "2090-01-31T12:00:00Z";
    isRefused(await admin("PUT", path, { expires_at: later, reason: " " }), 400, 37, /reason/);
    equal((await admin("PUT", path, { expires_at: later })).status, 400);
    const invalid = { expires_at: "tomorrow", reason: "unpaid" };
    isRefused(await admin("PUT", path, invalid), 400, 37, /expires_at/);
    const set = await admin("PUT", path, { expires_at: later, reason: "unpaid" }, "writer");
    equal(set.json["expires_at"], later);
    equal(set.json["expiry_reason"], "unpaid");
    // Within the time of grace: the instance is not removed yet.
    const recently = new Date(Date.now() - 60_000).toISOString();
    await admin("PUT", path, { expires_at: recently, reason: "unpaid" });
    await until(id, "the suspension", ({ status }) => status === "suspended");
    const cleared = await admin("PUT", path, { expires_at: null, reason: "paid" });
    equal(cleared.status, 200, cleared.text);
    equal(cleared.json["expires_at"], undefined);
    await until(id, "the end of the suspension", ({ status }) => status === "ready");
  });
});

describe("the traits of an instance", () => {
  it("are a set that administrators list, extend and reduce", async () => {
    const id = await ready("traited");
    const path = `/dinosaurs/${id}/traits`;
    for (const trait of ["canary", "big.tenant", "canary"]) {
      const reply = await admin("PUT", `${path}/${trait}`, undefined, "writer");
      equal(reply.status, 200, reply.text);
    }
    const listed = await admin("GET", path, undefined, "reader");
    deepEqual(listed.json["items"], ["big.tenant", "canary"]);
    isRefused(await admin("PUT", `${path}/-x`), 400, 37, /trait/);
    isRefused(await admin("PUT", `${path}/a%20b`), 400, 37, /trait/);
    equal((await admin("DELETE", `${path}/canary`, undefined, "writer")).status, 404);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      deepEqual((await admin("DELETE", `${path}/canary`)).json["items"], ["big.tenant"]);
    }
    deepEqual(textsAt((await admin("GET", `/dinosaurs/${id}`)).json, "traits"), ["big.tenant"]);
  });
});

describe("an administrator", () => {
  it("suspends an instance with a reason, and resumes it", async () => {
    const id = await ready("sleeper");
    isRefused(await admin("POST", `/dinosaurs/${id}/suspend`, { reason: "" }), 400, 37, /reason/);
    const body = { reason: "abuse" };
    const first = await admin("POST", `/dinosaurs/${id}/suspend`, body, "writer");
    equal(first.status, 200, first.text);
    const again = await admin("POST", `/dinosaurs/${id}/suspend`, body, "writer");
    deepEqual(again.json["suspension"], first.json["suspension"]);
    await until(id, "the suspension", ({ status }) => status === "suspended");
    for (let repeat = 0; repeat < 2; repeat += 1) {
      equal((await admin("POST", `/dinosaurs/${id}/resume`, undefined, "writer")).status, 200);
    }
    await until(id, "the end of the suspension", ({ status }) => status === "ready");
  });

  it("rotates the secrets of an instance once for each state that was read", async () => {
    const id = await ready("rotated");
    const rotate = async (body: JsonObject): Promise<Reply> =>
      await admin("POST", `/dinosaurs/${id}/rotate-secrets`, body, "writer");
    for (let repeat = 0; repeat < 2; repeat += 1) {
      equal((await rotate({ rotation: 0 })).json["rotation"], 1);
    }
    equal((await rotate({})).json["rotation"], 2);
    equal((await rotate({ rotation: 0 })).status, 409);
    equal((await rotate({ rotation: -5 })).status, 409);
  });
});

describe("a deleted instance", () => {
  it("is listed and can be restored, once", async () => {
    const id = await ready("phoenix");
    equal((await admin("DELETE", `/dinosaurs/${id}`)).json["id"], "103");
    equal((await admin("DELETE", `/dinosaurs/${id}?async=true`)).status, 202);
    // A repeat is answered in the same way until the instance does not exist.
    ok([202, 404].includes((await admin("DELETE", `/dinosaurs/${id}?async=true`)).status));
    const deleted = async (): Promise<JsonObject | undefined> =>
      objectsAt((await admin("GET", "/deleted_dinosaurs")).json, "items").find(
        (each) => each["id"] === id,
      );
    await waitUntil("the record of the deletion", async () => (await deleted()) !== undefined);
    const record = await deleted();
    equal(record?.["name"], "phoenix");
    equal(record["owner"], "alice");
    equal(record["organisation_id"], acme);
    ok(textAt(record, "restorable_until") > textAt(record, "deleted_at"));
    await waitUntil("the end of the deletion", async () => {
      return (await admin("GET", `/dinosaurs/${id}`)).status === 404;
    });
    const restored = await admin("POST", `/dinosaurs/${id}/restore`);
    equal(restored.status, 202, restored.text);
    equal(restored.json["id"], id);
    equal(restored.json["name"], "phoenix");
    equal(restored.json["owner"], "alice");
    await until(id, "the status ready", ({ status }) => status === "ready");
    equal((await admin("POST", `/dinosaurs/${id}/restore`)).status, 200);
    equal(await deleted(), undefined);
  });

  it("cannot be restored while another instance has its name", async () => {
    const id = await ready("taken");
    await admin("DELETE", `/dinosaurs/${id}?async=true`);
    await waitUntil("the end of the deletion", async () => {
      return (await admin("GET", `/dinosaurs/${id}`)).status === 404;
    });
    await ready("taken");
    isRefused(await admin("POST", `/dinosaurs/${id}/restore`), 409, 36, /taken/);
    isRefused(await admin("POST", "/dinosaurs/none/restore"), 404, 7, /no deleted Dinosaur/);
    const unknown = "0123456789abcdef0123";
    isRefused(await admin("POST", `/dinosaurs/${unknown}/restore`), 410, 25, /is not kept/);
  });

  it("does not wait for an agent that does not answer when the deletion is forced", async () => {
    const id = await ready("stuck", { cluster_id: "east-2" });
    equal((await admin("DELETE", `/dinosaurs/${id}?async=true`)).status, 202);
    await until(id, "the deletion", ({ status }) => status === "deprovision");
    const force = `/dinosaurs/${id}?async=true&force=true`;
    isRefused(await admin("DELETE", force), 400, 37, /reason: is required/);
    equal(
      (await admin("DELETE", `${force}&reason=lost%20cluster`, undefined, "writer")).status,
      404,
    );
    equal((await admin("GET", `/dinosaurs/${id}`)).json["status"], "deprovision");
    equal((await admin("DELETE", `${force}&reason=lost%20cluster`)).status, 202);
    await waitUntil("the end of the deletion", async () => {
      return (await admin("GET", `/dinosaurs/${id}`)).status === 404;
    });
  });

  it("is forced in one commit, so that no live instance is marked for it", async () => {
    const id = await ready("marked", { cluster_id: "east-2" });
    const path = `/apis/dinosaurs.example.dev/v1/namespaces/org-${acme}/dinosaurs`;
    const { body: list } = await server.setpoint.ask(path);
    const from = textAt(JSON.parse(list.toString()) as JsonObject, "metadata", "resourceVersion");
    const force = `/dinosaurs/${id}?async=true&force=true&reason=lost`;
    equal((await admin("DELETE", force)).status, 202);
    await waitUntil("the end of the deletion", async () => {
      return (await admin("GET", `/dinosaurs/${id}`)).status === 404;
    });
    const since = `${path}?watch=true&resourceVersion=${from}&timeoutSeconds=1`;
    const { body } = await server.setpoint.ask(since);
    const marked = body
      .toString()
      .split("\n")
      .filter((line) => line.includes("force-delete"))
      .map((line) => objectAt(JSON.parse(line) as JsonObject, "object", "metadata"));
    ok(marked.length > 0);
    for (const metadata of marked) ok(metadata["deletionTimestamp"] !== undefined);
  });
});
