// Who may see, change and delete an instance; denied users, maintenance and rates of requests.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, globex, isError, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

let server: FleetServer;

before(async () => {
  server = await startFleetServer();
  await server.apply({
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: {
      members: ["alice", "bob", "carl"].map((user) => ({ user })),
      quotas: [{ offering: "dinosaurs", type: "standard", max: 50 }],
    },
  });
  await server.untilReady();
  await server.acceptTerms("alice", "bob", "carl", "grace");
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

const patch = async (id: string, as: string, body: JsonObject): Promise<Reply> =>
  await server.call(`/dinosaurs/${id}`, { method: "PATCH", as, body });

const remove = async (id: string, as: string, query = "?async=true"): Promise<Reply> =>
  await server.call(`/dinosaurs/${id}${query}`, { method: "DELETE", as });

/** Changes parts of the spec of the Offering. */
async function setOffering(spec: JsonObject): Promise<void> {
  const answer = await server.setpoint.ask("/apis/fleet.setpoint.dev/v1/offerings/dinosaurs", {
    method: "PATCH",
    body: { spec },
    headers: { "content-type": "application/merge-patch+json" },
  });
  equal(answer.status, 200, String(answer.body));
}

describe("an instance", () => {
  it("is visible to colleagues, and does not exist for other organisations", async () => {
    const { id } = await server.create("bob", { name: "shared" });
    for (const as of ["alice", "bob", "carl"]) {
      equal((await server.call(`/dinosaurs/${id}`, { as })).status, 200);
    }
    isError(await server.call(`/dinosaurs/${id}`, { as: "grace" }), 404, 7);
    isError(await patch(id, "grace", { owner: "grace" }), 404, 7);
    isError(await remove(id, "grace"), 404, 7);
    isError(await server.call(`/dinosaurs/${id}/metrics/query`, { as: "grace" }), 404, 7);
    for (const unknown of ["unknown", "x".repeat(5_000), "%00", "..%2f"]) {
      isError(await server.call(`/dinosaurs/${unknown}`, { as: "alice" }), 404, 7);
    }
  });

  it("is given away by its owner and by administrators of the organisation alone", async () => {
    const { id } = await server.create("bob", { name: "gift" });
    isError(await patch(id, "carl", { owner: "carl" }), 403, 11);
    for (const owner of ["grace", "unknown", "system:admin"]) {
      isError(await patch(id, "bob", { owner }), 400, 21);
    }
    isError(await patch(id, "bob", {}), 400, 37);
    isError(await patch(id, "bob", { owner: "carl", name: "other" }), 400, 37);
    const given = await patch(id, "bob", { owner: "carl" });
    equal(given.status, 200, given.text);
    equal(given.json["owner"], "carl");
    isError(await patch(id, "bob", { owner: "bob" }), 403, 11);
    equal((await patch(id, "alice", { owner: "bob" })).json["owner"], "bob");
  });

  it("changes to a type for which its owner has a quota", async () => {
    const { id } = await server.create("grace", { name: "trial" });
    const promote = async (instance_type: string): Promise<Reply> =>
      await patch(id, "grace", { instance_type });
    isError(await promote("standard"), 403, 120);
    await server.apply({
      apiVersion: "fleet.setpoint.dev/v1",
      kind: "Organisation",
      metadata: { name: globex },
      spec: { quotas: [{ offering: "dinosaurs", type: "standard", max: 2 }] },
    });
    isError(await promote(""), 400, 37);
    isError(await promote("huge"), 400, 41);
    const promoted = await promote("standard");
    equal(promoted.status, 200, promoted.text);
    equal(promoted.json["instance_type"], "standard");
    equal(promoted.json["id"], id);
    isError(await promote("eval"), 400, 8);
    equal((await server.create("grace", { name: "second" }))["instance_type"], "standard");
  });

  it("is deleted by its owner and by administrators of the organisation alone", async () => {
    const { id } = await server.create("bob", { name: "short-lived" });
    isError(await remove(id, "bob", ""), 400, 103);
    isError(await remove(id, "carl"), 403, 11);
    const deleted = await remove(id, "alice");
    equal(deleted.status, 202);
    equal(deleted.text, "");
    // A repeat is answered in the same way until the instance does not exist.
    ok([202, 404].includes((await remove(id, "bob")).status));
    await waitUntil("the end of the instance", async () => {
      const { status, json } = await server.call(`/dinosaurs/${id}`, { as: "bob" });
      if (status === 404) return true;
      ok(["deprovision", "deleting"].includes(textAt(json, "status")), textAt(json, "status"));
      return false;
    });
    const list = await server.call("/dinosaurs?search=name%20%3D%20short-lived", { as: "bob" });
    equal(list.json["total"], 0);
    equal((await server.create("carl", { name: "short-lived" }))["owner"], "carl");
  });

  it("has metrics when the Offering has a back end, and says so when it has none", async () => {
    const { id } = await server.create("bob", { name: "measured" });
    const path = `/dinosaurs/${id}/metrics`;
    const none = await server.call(`${path}/query`, { as: "bob" });
    isError(none, 503, 9);
    match(textAt(none.json, "reason"), /has no spec.metrics.prometheus/);
    for (const query of [
      "",
      "?duration=60",
      "?duration=x&interval=30",
      "?duration=60&interval=0",
    ]) {
      isError(await server.call(`${path}/query_range${query}`, { as: "bob" }), 400, 21);
    }
  });
});

describe("providers and regions", () => {
  it("show what is offered, and what is left", async () => {
    const providers = await server.call("/cloud_providers", { as: "alice" });
    deepEqual(objectsAt(providers.json, "items"), [
      {
        kind: "CloudProvider",
        id: "aws",
        name: "aws",
        display_name: "Amazon Web Services",
        enabled: true,
      },
    ]);
    const regions = await server.call("/cloud_providers/aws/regions", { as: "alice" });
    equal(regions.json["kind"], "CloudRegionList");
    const [east, west] = objectsAt(regions.json, "items");
    deepEqual(east?.["supported_instance_types"], ["standard", "eval"]);
    equal(textAt(west, "id"), "eu-west-1");
    for (const { capacity } of [east, west].map((region) => region ?? {})) {
      for (const entry of capacity as unknown as readonly JsonObject[]) {
        equal(entry["max_capacity_reached"], entry["remaining"] === 0);
      }
    }
    const path = "/cloud_providers/aws/regions?instance_type=eval";
    const evals = await server.call(path, { as: "alice" });
    equal(evals.json["total"], 1);
    for (const empty of ["/cloud_providers/none/regions", `${path}x`]) {
      deepEqual((await server.call(empty, { as: "alice" })).json["items"], []);
    }
  });
});

describe("the service", () => {
  it("is closed to denied users, who see that it is full", async () => {
    const { id } = await server.create("carl", { name: "of-carl" });
    await setOffering({ access: { deniedUsers: ["carl"] } });
    isError(await server.call("/dinosaurs", { as: "carl" }), 403, 4);
    isError(await server.call(`/dinosaurs/${id}`, { as: "carl" }), 403, 4);
    isError(await patch(id, "carl", { owner: "bob" }), 403, 4);
    isError(await remove(id, "carl"), 403, 4);
    const post = { method: "POST", as: "carl", body: { name: "more" } };
    isError(await server.call("/dinosaurs?async=true", post), 403, 4);
    const status = await server.call("/status", { as: "carl" });
    deepEqual(status.json, { dinosaurs: { max_capacity_reached: true } });
    // A denied member cannot become the owner either.
    const { id: other } = await server.create("bob", { name: "of-bob" });
    isError(await patch(other, "bob", { owner: "carl" }), 400, 21);
    await setOffering({ access: null });
    equal((await server.call("/dinosaurs", { as: "carl" })).status, 200);
  });

  it("is closed in maintenance, except for the allowed organisations", async () => {
    await setOffering({ access: { isInMaintenance: true, allowedOrganisations: [acme] } });
    isError(await server.call("/dinosaurs", { as: "grace" }), 403, 18);
    equal((await server.call("/dinosaurs", { as: "alice" })).status, 200);
    await setOffering({ access: null });
    equal((await server.call("/dinosaurs", { as: "grace" })).status, 200);
  });

  it("limits the requests of one organisation, and not those of another", async () => {
    await setOffering({ api: { public: { requestsPerSecond: 1 } } });
    const burst = await Promise.all(
      Array.from({ length: 40 }, () => server.call("/dinosaurs", { as: "alice" })),
    );
    const refused = burst.find(({ status }) => status === 429);
    ok(refused !== undefined);
    isError(refused, 429, 429);
    match(String(refused.headers["retry-after"]), /^\d+$/);
    isError(await server.call("/dinosaurs", { as: "bob" }), 429, 429);
    equal((await server.call("/dinosaurs", { as: "grace" })).status, 200);
    equal((await server.call("/errors")).status, 200);
    equal((await server.call("/admin/openapi", { as: "reader" })).status, 200);
    await setOffering({ api: { public: { requestsPerSecond: null } } });
  });
});
