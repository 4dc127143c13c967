// Lists and watches of instances at a real server: pages, orders, searches, and who sees what.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, isError, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

let server: FleetServer;

/** In acme; the order of creation is another than that of the names. */
const made = ["delta", "alpha", "echo", "bravo", "charlie"];

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
  await server.acceptTerms("alice", "bob", "grace");
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
});

async function list(parameters: Readonly<Record<string, string>>, as = "alice"): Promise<Reply> {
  return await server.call(`/dinosaurs?${new URLSearchParams(parameters).toString()}`, { as });
}

const namesOf = ({ json }: Reply): readonly string[] =>
  objectsAt(json, "items").map((item) => textAt(item, "name"));

async function found(parameters: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const reply = await list(parameters);
  equal(reply.status, 200, reply.text);
  return namesOf(reply);
}

describe("a list", () => {
  it("without instances is empty", async () => {
    const { json } = await list({});
    deepEqual(json, { kind: "DinosaurRequestList", page: 1, size: 0, total: 0, items: [] });
  });

  it("has the instances of the organisation, by name", async () => {
    for (const [at, name] of made.entries()) {
      const region = at % 2 === 0 ? "us-east-1" : "eu-west-1";
      await server.create(name === "bravo" ? "bob" : "alice", { name, region });
    }
    await server.create("grace", { name: "zulu" });
    deepEqual(await found({}), [...made].sort());
    deepEqual(namesOf(await list({}, "carl")), [...made].sort());
    deepEqual(namesOf(await list({}, "grace")), ["zulu"]);
    deepEqual(namesOf(await list({}, "dora")), ["zulu"]);
  });

  it("has pages with numbers and sizes as fleet managers define them", async () => {
    const second = await list({ page: "2", size: "2" });
    deepEqual(namesOf(second), ["charlie", "delta"]);
    deepEqual([second.json["page"], second.json["size"], second.json["total"]], [2, 2, 5]);
    const last = await list({ page: "3", size: "2" });
    deepEqual([namesOf(last), last.json["size"]], [["echo"], 2]);
    deepEqual(await found({ page: "4", size: "2" }), []);
    for (const page of ["0", "x"]) equal((await list({ page })).json["page"], 1);
    for (const size of ["-1", "70000"]) equal((await list({ size })).json["size"], 5);
    for (const wrong of [{ page: "-1" }, { size: "0" }, { size: "x" }]) {
      isError(await list(wrong), 400, 17);
    }
  });

  it("is sorted by every advertised field, in both directions", async () => {
    const fields =
      "cloud_provider cluster_id created_at host href id instance_type multi_az name " +
      "organisation_id owner region status updated_at version";
    for (const field of fields.split(" ")) {
      for (const direction of ["", " asc", " desc"]) {
        const reply = await list({ orderBy: `${field}${direction}` });
        equal(reply.status, 200, `${field}${direction}: ${reply.text}`);
        equal(namesOf(reply).length, made.length);
      }
    }
    deepEqual(await found({ orderBy: "name desc" }), made.toSorted().toReversed());
    deepEqual(await found({ orderBy: "region, name desc" }), [
      "bravo",
      "alpha",
      "echo",
      "delta",
      "charlie",
    ]);
    const shown = objectsAt((await list({ orderBy: "id desc" })).json, "items");
    const ids = shown.map((item) => textAt(item, "id"));
    deepEqual(ids, ids.toSorted().toReversed());
    for (const orderBy of ["colour", "name up", "name asc desc", "name;drop table x", "name,,id"]) {
      isError(await list({ orderBy }), 400, 17);
    }
  });

  it("is searched", async () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["name = alpha", ["alpha"]],
      ["NAME <> 'alpha' and region = 'eu-west-1'", ["bravo"]],
      ["name LIKE '%a' and name like 'd%'", ["delta"]],
      ["name ILIKE 'ALP%'", ["alpha"]],
      ["owner IN (bob, unknown)", ["bravo"]],
      ["owner not in ('alice') ", ["bravo"]],
      ["name = alpha OR name = delta AND region = mars", ["alpha"]],
      ["(name = alpha OR name = delta) AND region = us-east-1", ["delta"]],
      ["status = accepted and instance_type = standard and cloud_provider = aws", made],
      [String.raw`name = 'it\'s'`, []],
    ];
    for (const [search, expected] of cases) {
      const names = await found({ search });
      // The life cycle moves the status while the test runs.
      if (search.startsWith("status")) ok(names.length <= made.length);
      else deepEqual(names, [...expected].sort(), search);
    }
    const wrong = await list({ search: "name = alpha AND colour = red" });
    isError(wrong, 400, 23);
    match(textAt(wrong.json, "reason"), /position 18: expected a column \(name, /);
    const joins = Array.from({ length: 12 }, () => "name = a").join(" OR ");
    for (const search of [joins, "(name = a", "name = 'a", "name > a"]) {
      isError(await list({ search }), 400, 23);
    }
  });

  it("cannot be injected into", async () => {
    const attacks = [
      "name = '' OR 1=1 --",
      "name = ''; DROP TABLE resource; --",
      "name = '\\' OR owner LIKE \\'%'",
      "1=1",
      "name = $1",
      "name LIKE '%' UNION SELECT 1",
      "name = '\u0000'",
      "__proto__ = x",
    ];
    for (const text of attacks) {
      for (const parameters of [{ search: text }, { orderBy: text }]) {
        const reply = await list(parameters);
        ok([200, 400].includes(reply.status), `${text}: ${reply.status} ${reply.text}`);
        if (reply.status === 200) equal(reply.json["total"], 0, text);
      }
    }
    equal((await found({})).length, made.length);
  });

  it("shows the state of a resource version, and refuses one that is not a number", async () => {
    const reply = await server.call("/dinosaurs?async=true", {
      method: "POST",
      as: "alice",
      body: { name: "foxtrot" },
    });
    const version = String(reply.headers["x-resource-version"]);
    match(version, /^\d+$/);
    ok((await found({ at_least: version })).includes("foxtrot"));
    isError(await list({ at_least: "x" }), 400, 37);
  });
});

describe("a watch", () => {
  const typesOf = (events: readonly JsonObject[], name: string): readonly unknown[] =>
    events.filter((event) => textAt(event, "object", "name") === name).map(({ type }) => type);

  it("begins with the present state, and shows changes of the organisation alone", async () => {
    using watch = await server.watch("/dinosaurs?watch=true", "alice");
    equal(watch.status, 200);
    await waitUntil("a bookmark", () => watch.events.some(({ type }) => type === "BOOKMARK"));
    for (const name of made) ok(typesOf(watch.events, name).includes("CHANGE"), name);
    await server.create("alice", { name: "golf" });
    await server.call("/dinosaurs", { as: "grace" });
    await waitUntil("a change", () => typesOf(watch.events, "golf").includes("CHANGE"));
    const event = watch.events.find((one) => textAt(one, "object", "name") === "golf");
    equal(objectAt(event, "object")["kind"], "DinosaurRequest");
    match(textAt(event, "resource_version"), /^\d+$/);
    deepEqual(typesOf(watch.events, "zulu"), []);
  });

  it("resumes after a resource version, and shows deletions", async () => {
    const first = await server.create("alice", { name: "hotel" });
    let version = "";
    {
      using watch = await server.watch("/dinosaurs?watch=true", "alice");
      await waitUntil("hotel", () => typesOf(watch.events, "hotel").length > 0);
      await waitUntil("a bookmark", () => watch.events.some(({ type }) => type === "BOOKMARK"));
      version = textAt(watch.events.at(-1), "resource_version");
    }
    const { id } = first;
    const deleted = await server.call(`/dinosaurs/${id}?async=true`, {
      method: "DELETE",
      as: "alice",
    });
    equal(deleted.status, 202);
    using watch = await server.watch(`/dinosaurs?watch=true&gt_version=${version}`, "alice");
    await waitUntil("the deletion", () => typesOf(watch.events, "hotel").includes("DELETED"));
    deepEqual(typesOf(watch.events, "delta"), []);
    const versions = watch.events.map((event) => Number(textAt(event, "resource_version")));
    deepEqual(
      versions,
      versions.toSorted((one, other) => one - other),
    );
    ok(versions.every((one) => one >= Number(version)));
  });

  it("of one instance shows that instance", async () => {
    const { id } = await server.create("alice", { name: "india" });
    using watch = await server.watch(`/dinosaurs/${id}?watch=true`, "bob");
    await waitUntil("a change", () => typesOf(watch.events, "india").length > 0);
    await server.create("alice", { name: "juliet" });
    await server.call(`/dinosaurs/${id}?async=true`, { method: "DELETE", as: "alice" });
    await waitUntil("the deletion", () => typesOf(watch.events, "india").includes("DELETED"));
    const names = new Set(watch.events.map((event) => textAt(event, "object", "name")));
    names.delete("");
    deepEqual([...names], ["india"]);
  });

  it("ends after its time with the version to resume after", async () => {
    using watch = await server.watch("/dinosaurs?watch=true&timeout_seconds=1", "bob");
    await waitUntil("the end", () => watch.state.isEnded);
    equal(watch.status, 200);
    equal(watch.events.at(-1)?.["type"], "BOOKMARK");
    for (const seconds of ["0", "-1", "1.5", "x"]) {
      isError(await list({ watch: "true", timeout_seconds: seconds }), 400, 37);
    }
    isError(await list({ timeout_seconds: "1" }), 400, 21);
  });

  it("is refused with parameters of a list, and for versions that do not exist", async () => {
    isError(await list({ watch: "true", search: "name = a" }), 400, 21);
    isError(await list({ gt_version: "1" }), 400, 21);
    isError(await list({ watch: "true", gt_version: "x" }), 400, 37);
    isError(await list({ watch: "true", gt_version: "999999999" }), 400, 21);
    const { json } = await server.call("/dinosaurs", { as: "alice" });
    const id = textAt(objectsAt(json, "items")[0], "id");
    isError(await server.call(`/dinosaurs/${id}?watch=true`, { as: "grace" }), 404, 7);
  });

  it("ends when the user is denied", async () => {
    using watch = await server.watch("/dinosaurs?watch=true", "carl");
    await waitUntil("a bookmark", () => watch.events.some(({ type }) => type === "BOOKMARK"));
    const path = `/apis/fleet.setpoint.dev/v1/organisations/${acme}`;
    const members = [{ user: "alice" }, { user: "bob" }, { user: "carl", isDenied: true }];
    const answer = await server.setpoint.ask(path, {
      method: "PATCH",
      body: { spec: { members } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    equal(answer.status, 200, String(answer.body));
    isError(await server.call("/dinosaurs", { as: "carl" }), 403, 4);
    await server.create("alice", { name: "kilo" });
    await waitUntil("the end", () => watch.state.isEnded);
    const last = watch.events.at(-1);
    equal(last?.["type"], "error");
    equal(objectAt(last, "error")["code"], "DINOSAURS-MGMT-4");
    deepEqual(typesOf(watch.events, "kilo"), []);
    notEqual(objectAt(last, "error")["operation_id"], undefined);
  });
});
