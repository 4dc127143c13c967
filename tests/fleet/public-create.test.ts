// Creating instances through the public API of a real server, with real tokens: terms, the order of
// the checks, defaults, names, and what kubectl sees of it.
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
      members: [{ user: "alice" }, { user: "bob" }, { user: "carl" }],
      quotas: [{ offering: "dinosaurs", type: "standard", max: 50 }],
    },
  });
  await server.untilReady();
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

const create = async (as: string, body: unknown, query = "?async=true"): Promise<Reply> =>
  await server.call(`/dinosaurs${query}`, { method: "POST", as, body });

describe("the terms of the service", () => {
  it("must be accepted before the first creation, before anything else is checked", async () => {
    isError(await create("alice", "{broken", ""), 403, 12);
    const terms = await server.call("/terms", { as: "alice" });
    deepEqual(terms.json, {
      kind: "Terms",
      required: true,
      version: "2026-01",
      url: "https://dinosaurs.example/terms",
      accepted: false,
    });
    equal((await server.call("/dinosaurs", { as: "alice" })).status, 200);
  });

  it("are accepted by version, once for each user", async () => {
    const accept = async (as: string, version: unknown): Promise<Reply> =>
      await server.call("/terms", { method: "POST", as, body: { version } });
    const old = await accept("alice", "2025-01");
    isError(old, 400, 37);
    match(textAt(old.json, "reason"), /version: "2025-01" is not the present version: 2026-01/);
    isError(await accept("alice", 7), 400, 37);
    const first = await accept("alice", "2026-01");
    equal(first.status, 200, first.text);
    equal(first.json["accepted"], true);
    ok(textAt(first.json, "accepted_at") !== "");
    deepEqual((await accept("alice", "2026-01")).json, first.json);
    isError(await create("bob", { name: "rex" }), 403, 12);
    equal((await accept("bob", "2026-01")).status, 200);
    // A user of an organisation that the server has never seen.
    equal((await accept("grace", "2026-01")).status, 200);
    equal((await server.call("/terms", { as: "grace" })).json["accepted"], true);
  });
});

describe("a creation", () => {
  it("must be asynchronous", async () => {
    isError(await create("alice", { name: "rex" }, ""), 400, 103);
    isError(await create("alice", { name: "rex" }, "?async=false"), 400, 103);
  });

  it("needs a JSON object with known fields", async () => {
    for (const body of ["{broken", "[]", '"text"', ""]) {
      isError(await create("alice", body), 400, 17);
    }
    const unknown = await create("alice", { name: "rex", colour: "red" });
    isError(unknown, 400, 37);
    match(textAt(unknown.json, "reason"), /colour: unknown field/);
    isError(await create("alice", { name: "rex", multi_az: "yes" }), 400, 37);
    isError(await create("alice", { name: "rex", parameters: { species: "cat" } }), 400, 37);
  });

  it("needs a name that can be part of a host", async () => {
    for (const name of ["", "Rex", "1rex", "rex-", "-rex", "re_x", "re.x", "réx"]) {
      isError(await create("alice", { name }), 400, 32);
    }
    isError(await create("alice", { name: "a".repeat(33) }), 400, 34);
    equal((await create("alice", { name: "a".repeat(32) })).status, 202);
  });

  it("needs a provider, a region and a type that are offered", async () => {
    isError(await create("alice", { name: "rex", cloud_provider: "ibm" }), 400, 30);
    const region = await create("alice", { name: "rex", region: "mars" });
    isError(region, 400, 31);
    match(textAt(region.json, "reason"), /us-east-1, eu-west-1/);
    // Without a quota the type is eval, which this region does not offer.
    isError(await create("grace", { name: "rex", region: "eu-west-1" }), 400, 41);
    isError(await create("alice", { name: "rex", multi_az: false }), 400, 35);
  });

  it("is accepted with defaults and an address", async () => {
    const reply = await create("alice", { name: "rex" });
    equal(reply.status, 202, reply.text);
    const { json } = reply;
    const id = textAt(json, "id");
    deepEqual(json, {
      id,
      kind: "DinosaurRequest",
      href: `/api/dinosaurs_mgmt/v1/dinosaurs/${id}`,
      status: "accepted",
      cloud_provider: "aws",
      multi_az: true,
      region: "us-east-1",
      owner: "alice",
      name: "rex",
      created_at: json["created_at"],
      updated_at: json["created_at"],
      instance_type: "standard",
    });
    match(id, /^[a-z0-9]{20}$/);
    match(textAt(json, "created_at"), /^\d{4}-\d\d-\d\dT/);
    const read = await server.call(`/dinosaurs/${id}`, { as: "bob" });
    equal(read.status, 200);
    equal(read.json["id"], id);
  });

  it("takes parameters of the Offering", async () => {
    const parameters = { species: "triceratops", enclosure: { squareMetres: 200 } };
    const reply = await create("alice", { name: "tri", region: "eu-west-1", parameters });
    equal(reply.status, 202, reply.text);
    deepEqual([reply.json["region"], reply.json["parameters"]], ["eu-west-1", parameters]);
    const small = { name: "small", parameters: { enclosure: { squareMetres: 1 } } };
    isError(await create("alice", small), 400, 37);
  });

  it("is refused for a name of the organisation, before its other fields are checked", async () => {
    isError(await create("bob", { name: "rex", region: "mars" }), 409, 36);
    equal((await create("grace", { name: "rex" })).status, 202);
  });

  it("of an evaluation instance is possible once for each owner", async () => {
    isError(await create("grace", { name: "rex2" }), 403, 24);
  });

  it("is seen by the next list, on this server", async () => {
    for (const at of [1, 2, 3, 4, 5]) {
      equal((await create("alice", { name: `quick-${at}` })).status, 202);
      const search = encodeURIComponent(`name = quick-${at}`);
      const list = await server.call(`/dinosaurs?search=${search}`, { as: "alice" });
      equal(list.json["total"], 1);
    }
  });

  it("of 20 requests for one name succeeds once", async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => create("alice", { name: "contested" })),
    );
    const count = (wanted: number): number => all.filter(({ status }) => status === wanted).length;
    deepEqual([count(202), count(409)], [1, 19]);
  });

  it("makes the organisation, its namespace and its member at first sight", async () => {
    const { setpoint } = server;
    const path = `/apis/fleet.setpoint.dev/v1/organisations/${globex}`;
    const { spec } = JSON.parse(String((await setpoint.ask(path)).body)) as { spec: JsonObject };
    const { issuer } = server.providers.customers;
    const claimedFrom = `${issuer} org_id,rh-org-id`;
    deepEqual(spec["members"], [{ user: "grace", claimedFrom }]);
    deepEqual(spec["issuers"], [issuer]);
    const instances = `/apis/dinosaurs.example.dev/v1/namespaces/org-${globex}/dinosaurs/rex`;
    const rex = await setpoint.ask(instances);
    equal(rex.status, 200);
    match(String(rex.body), /"owner":"grace"/);
    const headers = { authorization: `Bearer ${await server.token("grace")}` };
    await waitUntil("the rights of the member", async () => {
      return (await setpoint.ask(instances, { headers })).status === 200;
    });
    const other = `/apis/dinosaurs.example.dev/v1/namespaces/org-${acme}/dinosaurs/rex`;
    equal((await setpoint.ask(other, { headers })).status, 403);
  });

  it("ends the membership in an organisation that the token does not name any more", async () => {
    const claimedFrom = `${server.providers.customers.issuer} org_id,rh-org-id`;
    const members = [
      { user: "dora", claimedFrom },
      { user: "eli", claimedFrom },
    ];
    const [apiVersion, kind] = ["fleet.setpoint.dev/v1", "Organisation"];
    await server.apply({ apiVersion, kind, metadata: { name: "former" }, spec: { members } });
    equal((await server.call("/dinosaurs", { as: "dora" })).status, 200);
    const path = "/apis/fleet.setpoint.dev/v1/organisations/former";
    const { body } = await server.setpoint.ask(path);
    const { spec } = JSON.parse(String(body)) as { spec: JsonObject };
    deepEqual(spec["members"], [{ user: "eli", claimedFrom }]);
  });
});

describe("a creation after a change of the Offering", () => {
  const offering = "/apis/fleet.setpoint.dev/v1/offerings/dinosaurs";
  const readOffering = async (): Promise<JsonObject> =>
    JSON.parse(String((await server.setpoint.ask(offering)).body)) as JsonObject;
  const change = async (spec: JsonObject): Promise<void> => {
    const headers = { "content-type": "application/merge-patch+json" };
    const reply = await server.setpoint.ask(offering, { method: "PATCH", body: { spec }, headers });
    equal(reply.status, 200, String(reply.body));
  };

  it("is refused in a full region until a deletion has ended, without an agent", async () => {
    // One is there: see above.
    const types = [{ name: "standard", limit: 2 }];
    const [aws = {}] = objectsAt((await readOffering())["spec"], "providers");
    const regions = objectsAt(aws, "regions").map((region) =>
      textAt(region, "id") === "eu-west-1" ? Object.assign({}, region, { types }) : region,
    );
    await change({ providers: [{ ...aws, regions }] });
    await waitUntil("the limit of the region", async () =>
      objectsAt((await readOffering())["status"], "regions").some(
        (region) => textAt(region, "region") === "eu-west-1" && region["capacity"] === 2,
      ),
    );
    const first = await create("alice", { name: "full-1", region: "eu-west-1" });
    equal(first.status, 202, first.text);
    const next = { name: "full-2", region: "eu-west-1" };
    isError(await create("alice", next), 403, 24);
    const path = `/dinosaurs/${textAt(first.json, "id")}?async=true`;
    equal((await server.call(path, { method: "DELETE", as: "alice" })).status, 202);
    await waitUntil("room", async () => (await create("alice", next)).status === 202);
  });

  it("is refused when the type that the caller would get is disabled", async () => {
    const types = objectsAt((await readOffering())["spec"], "types").map((type) =>
      textAt(type, "name") === "eval" ? Object.assign({}, type, { enabled: false }) : type,
    );
    await change({ types });
    await server.acceptTerms("dora");
    isError(await create("dora", { name: "trial" }), 403, 4);
  });

  it("waits for a cluster until its time is over, and then fails with the reason", async () => {
    await change({ timeouts: { placement: 1 } });
    const { json } = await create("alice", { name: "homeless" });
    const failed = await waitUntil("the failure", async () => {
      const read = await server.call(`/dinosaurs/${textAt(json, "id")}`, { as: "alice" });
      return read.json["status"] === "failed" ? read.json : undefined;
    });
    match(textAt(failed, "failed_reason"), /no cluster/);
  });

  it("ends with the lifespan of an evaluation instance, and no other type ends", async () => {
    const { json } = await server.call("/dinosaurs", { as: "grace" });
    equal(json["total"], 1);
    const types = objectsAt((await readOffering())["spec"], "types").map((type) =>
      textAt(type, "name") === "eval" ? Object.assign({}, type, { lifespanSeconds: 1 }) : type,
    );
    await change({ types });
    await waitUntil("the end of the evaluation instance", async () => {
      return (await server.call("/dinosaurs", { as: "grace" })).json["total"] === 0;
    });
    const search = encodeURIComponent("name = rex");
    equal((await server.call(`/dinosaurs?search=${search}`, { as: "alice" })).json["total"], 1);
  });
});
