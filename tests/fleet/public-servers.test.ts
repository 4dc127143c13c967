// Two real servers of one PostgreSQL: what one of them answers, the other one shows.
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startPostgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { acme, isError, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

const opened = new AsyncDisposableStack();
let one: FleetServer;
let other: FleetServer;

before(async () => {
  const postgres = opened.use(await startPostgres());
  const store = postgres.url(await postgres.createDatabase());
  one = opened.use(await startFleetServer({ store }));
  await one.apply({
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: {
      members: [{ user: "alice" }, { user: "bob" }],
      quotas: [{ offering: "dinosaurs", type: "standard", max: 12 }],
    },
  });
  other = opened.use(await one.startSibling(store));
  for (const server of [one, other]) await server.untilReady();
  await one.acceptTerms("alice", "bob");
});

after(async () => {
  await opened.disposeAsync();
});

async function create(server: FleetServer, name: string): Promise<Reply> {
  const call = { method: "POST", as: "alice", body: { name } };
  return await server.call("/dinosaurs?async=true", call);
}

/** At both servers in turn, all at the same time. */
async function createAll(names: readonly string[]): Promise<readonly Reply[]> {
  return await Promise.all(names.map((name, at) => create(at % 2 === 0 ? one : other, name)));
}

describe("an instance of one server", () => {
  it("is in the list of the other server at its resource version, every time", async () => {
    for (const name of ["a1", "a2", "a3", "a4", "a5"]) {
      const created = await create(one, name);
      equal(created.status, 202, created.text);
      const version = String(created.headers["x-resource-version"]);
      const list = await other.call(`/dinosaurs?at_least=${version}`, { as: "bob" });
      const names = objectsAt(list.json, "items").map((item) => textAt(item, "name"));
      ok(names.includes(name), `${name} at ${version}: ${names.join(" ")}`);
      const read = await other.call(`/dinosaurs/${textAt(created.json, "id")}`, { as: "bob" });
      equal(read.status, 200);
    }
  });

  it("is in the watch of the other server, which resumes at the first one", async () => {
    const sees = (events: readonly unknown[], name: string): boolean =>
      events.some((event) => textAt(event as never, "object", "name") === name);
    let version = "";
    {
      using watch = await other.watch("/dinosaurs?watch=true", "bob");
      equal((await create(one, "b1")).status, 202);
      await waitUntil("b1", () => sees(watch.events, "b1"));
      version = textAt(watch.events.at(-1), "resource_version");
    }
    equal((await create(other, "b2")).status, 202);
    using watch = await one.watch(`/dinosaurs?watch=true&gt_version=${version}`, "bob");
    await waitUntil("b2", () => sees(watch.events, "b2"));
    ok(!sees(watch.events, "a1"));
  });

  it("has a name that no request at any server gets again", async () => {
    const replies = await createAll(Array.from({ length: 20 }, () => "c1"));
    const taken = replies.filter(({ status }) => status !== 202);
    equal(taken.length, 19);
    for (const reply of taken) isError(reply, 409, 36);
  });

  it("counts for the quota of all servers", async () => {
    // Eight exist, and twelve are allowed.
    const replies = await createAll(Array.from({ length: 10 }, (_, at) => `d${at}`));
    const accepted = replies.filter(({ status }) => status === 202);
    const refused = replies.filter(({ status }) => status !== 202);
    deepEqual([accepted.length, refused.length], [4, 6]);
    for (const reply of refused) isError(reply, 403, 5);
  });
});
