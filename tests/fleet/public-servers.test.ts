// Two real servers of one PostgreSQL: what one of them answers, the other one shows.
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
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
  await one.apply(organisation(12));
  other = opened.use(await one.startSibling(store));
  for (const server of [one, other]) await server.untilReady();
  await one.acceptTerms("alice", "bob");
});

after(async () => {
  await opened.disposeAsync();
});

function organisation(max: number): JsonObject {
  return {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: {
      members: [{ user: "alice" }, { user: "bob" }],
      quotas: [{ offering: "dinosaurs", type: "standard", max }],
    },
  };
}

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

  it("is one of the allowed ones of 50 requests over REST and with kubectl", async () => {
    // Twelve exist, and eight more are allowed.
    await one.apply(organisation(20));
    const overRest = createAll(Array.from({ length: 40 }, (_, at) => `e${at}`));
    const [path = ""] = kubectlPaths();
    const withKubectl = [one, other].map(async ({ setpoint }, server) => {
      await using kubectl = await openKubectl(path, setpoint.kubeconfig);
      const items = Array.from({ length: 5 }, (_, at) => dinosaur(`f${server}-${at}`));
      const input = { apiVersion: "v1", kind: "List", items };
      const { stdout, stderr } = await kubectl.run(["create", "-f", "-"], { input });
      const created = stdout.match(/ created$/gm)?.length ?? 0;
      const refused = stderr.match(/is used up$/gm)?.length ?? 0;
      equal(created + refused, items.length, stderr);
      return created;
    });
    const replies = await overRest;
    const ran = await Promise.all(withKubectl);
    const accepted = replies.filter(({ status }) => status === 202).length;
    for (const reply of replies) if (reply.status !== 202) isError(reply, 403, 5);
    equal(
      ran.reduce((sum, created) => sum + created, accepted),
      8,
    );
    const list = await other.call("/dinosaurs?size=100", { as: "alice" });
    equal(list.json["total"], 20);
  });

  it("moves along each edge of its life once, whichever server works on it", async () => {
    // With the 20 above as many as the Offering allows.
    const [all, deleted] = [980, 200];
    await one.apply(organisation(20 + all));
    await one.apply(simulatedCluster);
    const names = Array.from({ length: all }, (_, at) => `g${at}`);
    await eachAtOnce(names, async (name, at) => {
      const body = dinosaur(name);
      const { status } = await serverOf(at).ask(dinosaurs, { method: "POST", body });
      equal(status, 201, name);
    });
    await untilPhases(20 + all, "ready");
    await eachAtOnce(names.slice(0, deleted), async (name, at) => {
      await serverOf(at).ask(`${dinosaurs}/${name}`, { method: "DELETE" });
    });
    await untilPhases(20 + all - deleted, "ready");
    const moves = [one, other].flatMap(({ setpoint }) => movesIn(setpoint.log()));
    deepEqual(
      moves.filter((move, at) => moves.indexOf(move) !== at),
      [],
      "logged twice",
    );
    const ready = moves.filter((move) => move.endsWith(" ready"));
    equal(new Set(ready.map((move) => move.split(" ")[0])).size, 20 + all);
    ok(
      [one, other].every(({ setpoint }) => movesIn(setpoint.log()).length > 0),
      "both have worked",
    );
  });
});

const dinosaurs = `/apis/dinosaurs.example.dev/v1/namespaces/org-${acme}/dinosaurs`;

function serverOf(at: number): FleetServer["setpoint"] {
  return (at % 2 === 0 ? one : other).setpoint;
}

async function eachAtOnce(
  names: readonly string[],
  work: (name: string, at: number) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < names.length; at += 50) {
    const some = names.slice(at, at + 50);
    await Promise.all(some.map(async (name, index) => await work(name, at + index)));
  }
}

/** All instances that there are have this phase. */
async function untilPhases(count: number, phase: string): Promise<void> {
  await waitUntil(
    `${count} instances to be ${phase}`,
    async () => {
      const { body } = await one.setpoint.ask(dinosaurs);
      const items = objectsAt(JSON.parse(String(body)) as JsonObject, "items");
      const isThere = items.every((item) => textAt(item, "status", "phase") === phase);
      // Each answer has all documents.
      return (isThere && items.length === count) || (await delay(250, false));
    },
    { limitMs: 120_000 },
  );
}

/** Such as "ID provisioning ready", for each line. */
function movesIn(log: string): readonly string[] {
  return log.split("\n").flatMap((line) => {
    if (!line.includes("instance moved")) return [];
    const { instance, from, phase } = JSON.parse(line) as Record<string, string>;
    return [`${instance} ${from} ${phase}`];
  });
}

const simulatedCluster: JsonObject = {
  apiVersion: "fleet.setpoint.dev/v1",
  kind: "DataPlaneCluster",
  metadata: { name: "east-1" },
  spec: {
    provider: "aws",
    region: "us-east-1",
    isMultiAz: true,
    dns: "apps.east-1.example.com",
    executor: { kind: "simulator" },
  },
};

function dinosaur(name: string): JsonObject {
  const metadata = { name, namespace: `org-${acme}` };
  const spec = { owner: "alice" };
  return { apiVersion: "dinosaurs.example.dev/v1", kind: "Dinosaur", metadata, spec };
}
