// The life cycle over REST on a real server, with agents of three clusters and DNS records in a
// real PowerDNS behind a proxy that can fail: placement, preparations, routes and times.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { Canned, FaultProxy } from "../peers/fault-proxy.ts";
import { powerDnsKey, startPowerDns } from "../peers/powerdns.ts";
import type { Service } from "../peers/service.ts";
import { waitUntil } from "../peers/wait.ts";
import { fleetApi, startAgentServer } from "./agent-server.ts";
import type { AgentServer } from "./agent-server.ts";
import { createZone, recordsLeft, unresolvedRoutes, zone } from "./campaign-dns.ts";
import { acme, isError } from "./fleet-server.ts";

const opened = new AsyncDisposableStack();
let dns: Service;
let proxy: FaultProxy;
let fleet: AgentServer;

before(async () => {
  dns = opened.use(await startPowerDns());
  await createZone(dns);
  proxy = opened.use(await startFaultProxy({ target: () => dns.url }));
  const record = { apiVersion: "dns.setpoint.dev/v1", kind: "DnsRecord" };
  const of = (spec: JsonObject): JsonObject => ({ ...record, spec: { zone: "public", ...spec } });
  const mark = { name: "${instance.metadata.name}", type: "TXT", values: ["is here"] };
  const route = { name: "${route.domain + '.'}", type: "CNAME", values: ["${route.router + '.'}"] };
  const preparations = [
    { name: "mark", template: of(mark) },
    { name: "route", phase: "routes", forEach: "route", template: of(route) },
  ];
  const offering = { domain: zone.replace(/\.$/, ""), preparations };
  fleet = opened.use(await startAgentServer({ offering }));
  await declareZone();
  await fleet.addCluster("open", { capacity: { instances: -1 } });
  await fleet.addCluster("small", { capacity: { instances: 1 } });
  await fleet.addCluster("closed", { isSchedulable: false });
  for (const cluster of ["open", "small", "closed"]) await fleet.reportReady(cluster);
});

after(async () => {
  await opened.disposeAsync();
});

async function declareZone(): Promise<void> {
  const stringData = { key: powerDnsKey };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "dns" }, stringData };
  const apiKey = { secretRef: { namespace: "default", name: "dns", key: "key" } };
  const allow = { namespaces: { names: [`org-${acme}`] } };
  const ofPowerDns = {
    apiVersion: "dns.setpoint.dev/v1",
    kind: "DnsZone",
    metadata: { name: "public" },
    spec: { zone, powerdns: { url: proxy.url, apiKey }, allow },
  };
  await post("/api/v1/namespaces/default/secrets", secret);
  await post("/apis/dns.setpoint.dev/v1/dnszones", ofPowerDns);
}

async function post(path: string, body: JsonObject): Promise<void> {
  const answer = await fleet.server.setpoint.ask(path, { method: "POST", body });
  assert.equal(answer.status, 201, String(answer.body));
}

/** Creates an instance as a customer, and resolves with its id. */
async function create(name: string): Promise<string> {
  const call = { method: "POST", as: "alice", body: { name } };
  const reply = await fleet.server.call("/dinosaurs?async=true", call);
  assert.equal(reply.status, 202, reply.text);
  return textAt(reply.json, "id");
}

async function reportRunning(id: string, host?: string, version = "1.0.0"): Promise<void> {
  const router = `${host}.apps.open.example.com`;
  const routes = host === undefined ? [] : [{ name: "web", prefix: "", router }];
  const conditions = [{ type: "Ready", status: "True" }];
  const report = { conditions, routes, versions: { dinosaur: version } };
  const reply = await fleet.report("open", { [id]: report });
  assert.equal(reply.json["stored"], 1, reply.text);
}

async function statusOf(id: string): Promise<string> {
  return textAt(await fleet.instance(id), "status");
}

async function changeTimeouts(timeouts: JsonObject): Promise<void> {
  await fleet.patch(`${fleetApi}/offerings/dinosaurs`, { spec: { timeouts } });
}

describe("an instance", () => {
  it("is placed where there is room: never on a full or unschedulable cluster", async () => {
    // Of two unused clusters the first by name, then the least used. `open` has no limit.
    for (const [name, cluster] of [
      ["a", "open"],
      ["b", "small"],
      ["c", "open"],
      ["d", "open"],
      ["e", "open"],
    ] as const) {
      await fleet.create(name, { cluster });
    }
    assert.deepEqual(await fleet.instancesOf("closed"), []);
    assert.equal((await fleet.instancesOf("small")).length, 1);
    const closed = `${fleetApi}/dataplaneclusters/closed`;
    await fleet.patch(closed, { spec: { isSchedulable: true } });
    await fleet.create("f", { cluster: "closed" });
    await fleet.patch(closed, { spec: { isSchedulable: false } });
  });
});

describe("the routes of an instance", () => {
  let id = "";
  const routes = async (): Promise<readonly JsonObject[]> =>
    objectsAt(await fleet.stored(id), "status", "routes");

  it("exist in DNS before the instance is ready", async () => {
    id = await fleet.create("routed", { cluster: "open" });
    await reportRunning(id);
    assert.equal(await statusOf(id), "provisioning", "no routes are reported");
    const held = proxy.on({ method: "PATCH", body: "CNAME" }, { kind: "hold" }, 1);
    await reportRunning(id, "one");
    await held.hit();
    assert.equal(await statusOf(id), "provisioning", "no routes are in DNS");
    assert.equal((await fleet.instance(id))?.["host"], undefined);
    held.release();
    const ready = await fleet.untilStatus(id, "ready");
    const [route] = await routes();
    assert.equal(textAt(ready, "host"), textAt(route, "domain"));
    assert.equal(textAt(route, "router"), "one.apps.open.example.com");
    assert.deepEqual(await unresolvedRoutes(dns, await routes()), []);
  });

  it("are not changed by an agent while they are in use", async () => {
    const earlier = await routes();
    const writes = proxy.writes({ body: "CNAME" }).length;
    await reportRunning(id, "other", "2.0.0");
    await waitUntil("the report", async () => {
      return textAt(await fleet.stored(id), "status", "actualVersions", "product") === "2.0.0";
    });
    assert.deepEqual(await routes(), earlier);
    assert.deepEqual(await unresolvedRoutes(dns, earlier), []);
    assert.equal(proxy.writes({ body: "CNAME" }).length, writes);
    assert.equal(await statusOf(id), "ready");
  });
});

describe("an external system", () => {
  const fails = (name: string, answer: Canned, times?: number): ReturnType<FaultProxy["on"]> =>
    proxy.on({ method: "PATCH", body: `"${name}.${zone}"` }, { kind: "answer", answer }, times);
  const busy = { status: 503, body: '{"error":"busy"}' };

  it("that fails for a while delays the instance", async () => {
    const rule = fails("delayed", busy, 2);
    const id = await create("delayed");
    await rule.hit(2);
    await fleet.untilStatus(id, "provisioning");
  });

  it("that refuses a preparation fails the instance at once", async () => {
    // The time for preparations is 5 minutes.
    fails("refused", { status: 422, body: '{"error":"no such luck"}' });
    const id = await create("refused");
    const failed = await fleet.untilStatus(id, "failed");
    assert.equal(textAt(failed, "failed_reason"), "the preparation mark failed");
  });

  it("that fails for longer than the Offering allows fails the instance", async () => {
    const rule = fails("late", busy);
    const id = await create("late");
    await rule.hit();
    assert.equal(await statusOf(id), "preparing");
    await changeTimeouts({ preparation: 1 });
    const failed = await fleet.untilStatus(id, "failed");
    const reason = "not prepared after 1 s: the preparation mark is not ready";
    assert.equal(textAt(failed, "failed_reason"), reason);
    proxy.clear();
    await changeTimeouts({ preparation: 300 });
  });
});

describe("an instance without progress", () => {
  it("fails with the reason, and is ready when its agent says so later", async () => {
    const id = await fleet.create("silent", { cluster: "open" });
    await fleet.untilStatus(id, "provisioning");
    await changeTimeouts({ creation: 1 });
    const failed = await fleet.untilStatus(id, "failed");
    const reason = "not ready after 1 s: the agent of the cluster installs the instance";
    assert.equal(textAt(failed, "failed_reason"), reason);
    await changeTimeouts({ creation: 3600 });
    await reportRunning(id, "late");
    const ready = await fleet.untilStatus(id, "ready");
    assert.equal(ready["failed_reason"], undefined);
  });
});

describe("the instance of a denied owner", () => {
  const organisation = `${fleetApi}/organisations/${acme}`;

  it("is suspended by its agent, and resumed when the owner is allowed again", async () => {
    const id = await fleet.create("denied", { cluster: "open" });
    await reportRunning(id, "denied");
    await fleet.untilStatus(id, "ready");
    const suspended = async (wanted: boolean): Promise<void> => {
      await waitUntil(`suspended is ${wanted} at the agent`, async () => {
        const items = await fleet.instancesOf("open");
        const found = items.find((item) => textAt(item, "id") === id);
        return valueAt(found, "spec", "suspended") === wanted;
      });
    };
    await fleet.patch(organisation, { spec: { isDenied: true } });
    await suspended(true);
    isError(await fleet.server.call(`/dinosaurs/${id}`, { as: "alice" }), 403, 4);
    const conditions = [{ type: "Ready", status: "False", reason: "Suspended" }];
    await fleet.report("open", { [id]: { conditions } });
    await fleet.untilStatus(id, "suspended");
    await fleet.patch(organisation, { spec: { isDenied: false } });
    await suspended(false);
    await reportRunning(id, "denied");
    await fleet.untilStatus(id, "ready");
  });
});

describe("a server that is stopped while instances are created", () => {
  it("leaves whole instances and none twice, and ends in time", async () => {
    const { setpoint } = fleet.server;
    const names = Array.from({ length: 20 }, (_, at) => `halt-${at}`);
    const creations = names.map(async (name) => {
      const call = { method: "POST", as: "alice", body: { name } };
      // The connection may be refused or cut.
      const reply = await fleet.server.call("/dinosaurs?async=true", call).catch(() => undefined);
      return reply?.status === 202 ? [name] : [];
    });
    await Promise.race(creations);
    const startedMs = performance.now();
    assert.equal(await setpoint.stop(), 0);
    assert.ok(performance.now() - startedMs < 30_000);
    const accepted = (await Promise.all(creations)).flat();
    assert.ok(accepted.length > 0);
    await setpoint.start();
    await fleet.server.untilReady();
    const search = encodeURIComponent("name LIKE halt-%");
    const { json } = await fleet.server.call(`/dinosaurs?size=100&search=${search}`, {
      as: "alice",
    });
    const found = objectsAt(json, "items").map((item) => textAt(item, "name"));
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual(
      accepted.filter((name) => !found.includes(name)),
      [],
      "accepted and lost",
    );
    for (const item of objectsAt(json, "items")) {
      await fleet.untilStatus(textAt(item, "id"), "provisioning");
    }
  });
});

describe("a cluster at its end", () => {
  const path = `${fleetApi}/dataplaneclusters/open`;

  it("cannot be deleted while it has instances", async () => {
    const { status, body } = await fleet.server.setpoint.ask(path, { method: "DELETE" });
    assert.equal(status, 409, String(body));
    assert.match(String(body), /set spec\.isDraining/);
    assert.equal(await fleet.phaseOf("open"), "ready");
  });

  it("leaves nothing in DNS when its instances are deleted", async () => {
    const { json } = await fleet.server.call("/dinosaurs", { as: "alice" });
    const ids = objectsAt(json, "items").map((item) => textAt(item, "id"));
    for (const id of ids) await fleet.delete(id);
    for (const cluster of ["open", "small", "closed"]) {
      const deleted = { conditions: [{ type: "Ready", status: "False", reason: "Deleted" }] };
      await waitUntil(`the end of the instances of ${cluster}`, async () => {
        const left = (await fleet.instancesOf(cluster)).map((item) => textAt(item, "id"));
        await fleet.report(cluster, Object.fromEntries(left.map((id) => [id, deleted])));
        return left.length === 0;
      });
    }
    for (const id of ids) await fleet.untilRemoved(id);
    await waitUntil("an empty zone", async () => (await recordsLeft(dns)).length === 0);
    isError(await fleet.server.call(`/dinosaurs/${ids[0]}`, { as: "alice" }), 404, 7);
  });

  it("is removed when it is empty, and its id is free", async () => {
    const { status, body } = await fleet.server.setpoint.ask(path, { method: "DELETE" });
    assert.equal(status, 200, String(body));
    await waitUntil("the removal", async () => (await fleet.resource(path)) === undefined);
    await fleet.addCluster("open");
  });
});
