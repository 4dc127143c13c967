// Quotas of a real service over HTTP: what customers see, and that no unit is lost or doubled when
// the server and the service are killed during creations and deletions.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import type { Fault, QuotaState } from "../peers/quota-ledger.ts";
import { waitUntil } from "../peers/wait.ts";
import { seed } from "../seed.ts";
import { acme, startFleetServer } from "./fleet-server.ts";
import type { FleetServer, Reply } from "./fleet-server.ts";

/** The quota service as a program of its own, which can be killed. */
class QuotaProgram implements AsyncDisposable {
  readonly #folder: string;
  #program: Program | undefined;
  #port = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const args = ["--data", join(this.#folder, "ledger"), "--port", `${this.#port}`];
    this.#program = await startProgram("tests/peers/quota-service.ts", { args });
    const [, port] = await this.#program.waitForLine(/quota service at http:\/\/[^:]+:(\d+)/);
    this.#port = Number(port);
  }

  async kill9(): Promise<void> {
    await this.#program?.kill9();
  }

  async set(path: "limits" | "faults", body: unknown): Promise<void> {
    const method = path === "limits" ? "PUT" : "POST";
    await fetch(`${this.url}/${path}`, { method, body: JSON.stringify(body) });
  }

  async state(): Promise<QuotaState> {
    return (await (await fetch(`${this.url}/state`)).json()) as QuotaState;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill9();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function applyClusters(server: FleetServer): Promise<void> {
  const text = await readFile(new URL("../../examples/dinosaurs/clusters.yaml", import.meta.url));
  for (const part of text.toString("utf8").split("\n---\n")) {
    await server.apply(parseYaml(part).value as JsonObject);
  }
}

function create(server: FleetServer, name: string): Promise<Reply> {
  const body = { name, multi_az: true };
  return server.call("/dinosaurs?async=true", { method: "POST", body, as: "alice" });
}

async function statuses(server: FleetServer): Promise<ReadonlyMap<string, string>> {
  const { json } = await server.call("/dinosaurs?size=1000", { as: "alice" });
  return new Map(objectsAt(json, "items").map((each) => [textAt(each, "id"), statusOf(each)]));
}

function statusOf(instance: JsonObject): string {
  return textAt(instance, "status");
}

describe("a quota service over HTTP", () => {
  let quota: QuotaProgram;
  let server: FleetServer;

  before(async () => {
    quota = new QuotaProgram(await mkdtemp(join(tmpdir(), "setpoint-quota-")));
    await quota.start();
    const http = { url: quota.url, timeoutSeconds: 2 };
    const offering = {
      quota: { backend: "http", http },
      types: [{ name: "standard", quota: "required" }, disabledEval],
    };
    server = await startFleetServer({ offering });
    await applyClusters(server);
    await server.untilReady();
    const terms = { method: "POST", body: { version: "2026-01" }, as: "alice" };
    assert.equal((await server.call("/terms", terms)).status, 200);
    await waitUntil("ready clusters", async () => {
      const answer = await server.setpoint.ask("/apis/fleet.setpoint.dev/v1/dataplaneclusters");
      const clusters = objectsAt(JSON.parse(answer.body.toString()) as JsonObject, "items");
      return clusters.every(({ status }) => textAt(status, "phase") === "ready");
    });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await quota[Symbol.asyncDispose]();
  });

  it("a refusal of the reservation is answered at once, and nothing is left of it", async () => {
    await quota.set("limits", { [`${acme}/standard`]: 1 });
    // The checks of all requests see a free unit. The reservations decide.
    const names = Array.from({ length: 10 }, (_, at) => `rex-${at}`);
    const replies = await Promise.all(names.map((name) => create(server, name)));
    const codes = replies.map(({ status, json }) => `${status} ${textAt(json, "code")}`).sort();
    const isRefused = (code: string): boolean => code === "403 DINOSAURS-MGMT-5";
    assert.equal(codes.filter((code) => code.startsWith("202")).length, 1, codes.join(", "));
    assert.equal(codes.filter(isRefused).length, 9, codes.join(", "));
    await waitUntil("the removal of the refused ones", async () => {
      return (await statuses(server)).size === 1;
    });
    assert.equal(Object.keys((await quota.state()).reservations).length, 1);
  });

  it("customers without quota are refused with the reason of the service", async () => {
    await quota.set("limits", {});
    const { status, json } = await create(server, "tina");
    assert.deepEqual([status, textAt(json, "code")], [403, "DINOSAURS-MGMT-120"]);
    assert.match(textAt(json, "reason"), /13640203 has no quota for standard/);
  });

  it("an outage refuses creations with an error of the service", async () => {
    await quota.set("limits", { [`${acme}/standard`]: 100 });
    await quota.set("faults", [{ method: "POST", kind: "status", status: 503, count: 1 }]);
    const { status, json } = await create(server, "tina");
    assert.deepEqual([status, textAt(json, "code")], [500, "DINOSAURS-MGMT-121"]);
  });

  it("a release that arrives before a delayed reservation leaves no unit", async () => {
    const faults: Fault[] = [{ method: "PUT", kind: "delay", delayMs: 6_000, count: 1 }];
    await quota.set("faults", faults);
    const { json, status } = await create(server, "late");
    assert.equal(status, 202, "it is not decided within two seconds");
    const id = textAt(json, "id");
    await server.call(`/dinosaurs/${id}?async=true`, { method: "DELETE", as: "alice" });
    await waitUntil("the late request", async () => {
      const { log } = await quota.state();
      return log.some((line) => line.endsWith(" 410"));
    });
    await waitUntil("the deletion", async () => !(await statuses(server)).has(id));
    const { reservations } = await quota.state();
    assert.equal(Object.keys(reservations).length, (await statuses(server)).size);
  });

  it("no unit leaks when the server and the service are killed", async () => {
    const random = seededRandom(seed);
    const chance = (): number => random.next();
    const over = new AbortController();
    const trouble = (async () => {
      for (let kills = 0; kills < 6; kills += 1) {
        await delay(500 + chance() * 1_500);
        const isService = chance() < 0.5;
        await (isService ? quota.kill9() : server.setpoint.kill9());
        await (isService ? quota.start() : server.setpoint.start());
      }
      over.abort();
    })();
    await quota.set("limits", { [`${acme}/standard`]: 1_000 });
    let created = 0;
    // A busy machine creates few while processes are killed: the rest follows.
    for (let at = 0; !over.signal.aborted || (created < 20 && at < 1_000); at += 1) {
      // The server or the service may be down: a request that fails is part of the trouble.
      const reply = await create(server, `chaos-${at}`).catch(() => undefined);
      if (reply?.status === 202) created += 1;
      else await delay(20);
      if (chance() < 0.5) await removeOne(server, chance()).catch(() => undefined);
    }
    await trouble;
    assert.ok(created >= 20, `${created} instances were created`);
    await waitUntil("no instance in progress", async () => {
      const all = [...(await statuses(server)).values()];
      return all.every((status) => status === "ready" || status === "failed");
    });
    const phases = await phasesByUid(server);
    const held = Object.keys((await quota.state()).reservations);
    assert.deepEqual(
      held.filter((key) => !phases.has(key)),
      [],
      "units without an instance",
    );
    const ready = [...phases].flatMap(([uid, phase]) => (phase === "ready" ? uid : []));
    assert.deepEqual(
      ready.filter((uid) => !held.includes(uid)),
      [],
      "instances without a unit",
    );
    for (const id of (await statuses(server)).keys()) {
      await server.call(`/dinosaurs/${id}?async=true`, { method: "DELETE", as: "alice" });
    }
    await waitUntil("all deletions", async () => (await statuses(server)).size === 0);
    assert.deepEqual((await quota.state()).reservations, {});
  });

  it("an instance releases its unit here after the Offering has another back end", async () => {
    await quota.set("limits", { [`${acme}/standard`]: 100 });
    const earlier = await createReady(server, "earlier");
    await changeBackend(server, "list");
    const later = await createReady(server, "later");
    const { reservations } = await quota.state();
    assert.equal(Object.keys(reservations).length, 1, "the later one is in the list alone");
    for (const id of [earlier, later]) {
      await server.call(`/dinosaurs/${id}?async=true`, { method: "DELETE", as: "alice" });
    }
    await waitUntil("both deletions", async () => (await statuses(server)).size === 0);
    assert.deepEqual((await quota.state()).reservations, {});
  });
});

async function createReady(server: FleetServer, name: string): Promise<string> {
  const { status, json, text } = await create(server, name);
  assert.equal(status, 202, text);
  const id = textAt(json, "id");
  await waitUntil(`${name} is ready`, async () => (await statuses(server)).get(id) === "ready");
  return id;
}

async function changeBackend(server: FleetServer, backend: string): Promise<void> {
  await server.apply({
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "Organisation",
    metadata: { name: acme },
    spec: { quotas: [{ offering: "dinosaurs", type: "standard", max: 5 }] },
  });
  const { status, body } = await server.setpoint.ask(
    "/apis/fleet.setpoint.dev/v1/offerings/dinosaurs",
    {
      method: "PATCH",
      body: { spec: { quota: { backend } } },
      headers: { "content-type": "application/merge-patch+json" },
    },
  );
  assert.equal(status, 200, String(body));
}

async function phasesByUid(server: FleetServer): Promise<ReadonlyMap<string, string>> {
  const answer = await server.setpoint.ask("/apis/dinosaurs.example.dev/v1/dinosaurs");
  const items = objectsAt(JSON.parse(answer.body.toString()) as JsonObject, "items");
  return new Map(
    items.map(({ metadata, status }) => [textAt(metadata, "uid"), textAt(status, "phase")]),
  );
}

/** The regions of the example offer it. Without it, callers without quota are refused. */
const disabledEval = { name: "eval", quota: "required", enabled: false };

async function removeOne(server: FleetServer, chance: number): Promise<void> {
  const ids = [...(await statuses(server)).keys()];
  const id = ids[Math.floor(chance * ids.length)];
  if (id === undefined) return;
  await server.call(`/dinosaurs/${id}?async=true`, { method: "DELETE", as: "alice" });
}
