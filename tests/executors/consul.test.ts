// ConsulKeys and ConsulServices of a real server against the Consul double: the life of keys, what
// happens when another client writes at the same time, drift, and the health of services.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { consulToken, startConsul } from "../peers/consul.ts";
import type { ConsulPeer } from "../peers/consul.ts";
import { condition } from "../peers/resources.ts";
import type { Resources } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { checkedDrift, correctedDrift, driftOf, startExecutorRig } from "./rig.ts";
import type { ExecutorRig, Target } from "./rig.ts";

let consul: ConsulPeer;
let rig: ExecutorRig;
let keys: Resources<Target>;
let services: Resources<Target>;

before(async () => {
  consul = await startConsul();
  rig = await startExecutorRig(() => consul.url);
  keys = rig.of("ConsulKeys", "consulkeys");
  services = rig.of("ConsulService");
  await rig.secret("consul", { token: consulToken });
  await rig.of("ConsulServer", undefined, "").create("main", serverSpec());
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await consul?.[Symbol.asyncDispose]();
});

function serverSpec(more: JsonObject = {}): JsonObject {
  const secretRef = { namespace: "default", name: "consul", key: "token" };
  return {
    url: rig.proxy.url,
    token: { secretRef },
    allow: { namespaces: { names: ["default"] }, prefixes: ["env/{namespace}/"], ...more },
  };
}

async function raw(method: string, path: string, body?: string): Promise<string> {
  const headers = { "x-consul-token": consulToken };
  const given = body === undefined ? {} : { body };
  const answer = await fetch(`${consul.url}${path}`, { method, headers, ...given });
  return answer.status === 404 ? "" : await answer.text();
}

const spec = (prefix: string, values: JsonObject, more: JsonObject = {}): JsonObject => {
  return { server: "main", prefix: `env/default/${prefix}/`, keys: values, ...more };
};
const valueOf = async (key: string): Promise<string> =>
  await raw("GET", `/v1/kv/env/default/${key}?raw`);

describe("a ConsulServer", () => {
  it("shows the leader, and is kept until its last user is deleted", async () => {
    const servers = rig.of("ConsulServer", undefined, "");
    assert.equal((await servers.ready("main")).status?.["leader"], "127.0.0.1:8300");
    await servers.create("second", serverSpec());
    await keys.create("user", { ...spec("user", { a: "1" }), server: "second" });
    await keys.ready("user");
    await servers.delete("second");
    await servers.until("second", "held", (each) => {
      return /ConsulKeys use it/.test(condition(each, "Ready")?.message ?? "");
    });
    await keys.delete("user");
    await keys.gone("user");
    await servers.gone("second");
  });

  it("with a token that Consul refuses is not ready, and the token is in no message", async () => {
    await rig.secret("wrong", { token: "wrong-token-1" });
    const secretRef = { namespace: "default", name: "wrong", key: "token" };
    const servers = rig.of("ConsulServer", undefined, "");
    await servers.create("wrong", { ...serverSpec(), token: { secretRef } });
    const one = await servers.says("wrong", "Synced", "CredentialsRefused");
    assert.doesNotMatch(JSON.stringify(one), /wrong-token-1/);
    await servers.delete("wrong");
    await servers.gone("wrong");
  });
});

describe("a ConsulKeys", () => {
  it("creates, changes and deletes its keys, secret values included", async () => {
    await keys.create(
      "life",
      spec("life", { a: "1", b: "2" }, { secretKeys: { pin: "s3cret-9" } }),
    );
    const created = await keys.ready("life");
    assert.equal(await valueOf("life/a"), "1");
    assert.equal(await valueOf("life/pin"), "s3cret-9");
    assert.doesNotMatch(JSON.stringify(created), /s3cret-9/);
    await keys.patch("life", { spec: { keys: { a: "10", b: null, c: "3" } } });
    await keys.ready("life");
    assert.deepEqual(await Promise.all(["life/a", "life/b", "life/c"].map(valueOf)), [
      "10",
      "",
      "3",
    ]);
    await raw("PUT", "/v1/kv/env/default/life/foreign", "kept");
    await keys.delete("life");
    await keys.gone("life");
    assert.equal(await raw("GET", "/v1/kv/env/default/life/?keys"), '["env/default/life/foreign"]');
  });

  it("that loses to a concurrent writer reports a conflict and overwrites nothing", async () => {
    await keys.create("race", spec("race", { a: "1", b: "1" }));
    await keys.ready("race");
    consul.beforeNextWrite(async () => {
      await raw("PUT", "/v1/kv/env/default/race/b", "theirs");
    });
    await keys.patch("race", { spec: { keys: { a: "2", b: "2" } } });
    const one = await keys.until("race", "in conflict", (each) => {
      return /another client changed the key/.test(condition(each, "Synced")?.message ?? "");
    });
    assert.equal(condition(one, "Synced")?.reason, "Conflict");
    assert.equal(await valueOf("race/b"), "theirs");
    assert.equal(await valueOf("race/a"), "1", "the change is all or nothing");
    await correctedDrift(keys, "race");
    await keys.ready("race");
    assert.deepEqual(await Promise.all(["race/a", "race/b"].map(valueOf)), ["2", "2"]);
    await keys.delete("race");
    await keys.gone("race");
  });

  it("does not replace a key that another client created", async () => {
    await raw("PUT", "/v1/kv/env/default/taken/a", "theirs");
    await keys.create("taken", spec("taken", { a: "1", b: "1" }));
    const one = await keys.says("taken", "Ready", "KeyNotOwned");
    assert.match(condition(one, "Ready")?.message ?? "", /env\/default\/taken\/a exists/);
    assert.equal(await valueOf("taken/b"), "", "nothing was written");
    await keys.delete("taken");
    await keys.gone("taken");
    assert.equal(await valueOf("taken/a"), "theirs");
  });

  it("reports drift with its keys while it stays ready, and corrects it on request", async () => {
    await keys.create("drift", spec("drift", { a: "1", b: "1" }));
    await keys.ready("drift");
    await raw("PUT", "/v1/kv/env/default/drift/a", "by hand");
    await raw("DELETE", "/v1/kv/env/default/drift/b");
    await raw("PUT", "/v1/kv/env/default/drift/extra", "x");
    const drifted = await checkedDrift(keys, "drift");
    assert.equal(drifted.status?.drift?.state, "Drifted");
    assert.deepEqual(driftOf(drifted), [
      "changed env/default/drift/a",
      "missing env/default/drift/b",
      "unexpected env/default/drift/extra",
    ]);
    assert.equal(condition(drifted, "Ready")?.status, "True");
    assert.equal(await valueOf("drift/a"), "by hand", "a check changes nothing");
    const corrected = await correctedDrift(keys, "drift");
    assert.deepEqual(driftOf(corrected), ["unexpected env/default/drift/extra"]);
    assert.deepEqual(await Promise.all(["drift/a", "drift/b"].map(valueOf)), ["1", "1"]);
    await keys.delete("drift");
    await keys.gone("drift");
  });

  it("names no keys below a prefix that its namespace may not use", async () => {
    await raw("PUT", "/v1/kv/env/other/theirs", "x");
    const given = { server: "main", prefix: "env/", keys: { "default/wide": "1" } };
    await keys.create("wide", given);
    const settled = await checkedDrift(keys, "wide");
    assert.deepEqual(driftOf(settled), []);
    await keys.delete("wide");
    await keys.gone("wide");
  });

  it("whose transaction gets no answer continues without a conflict", async () => {
    await keys.create("lost", spec("lost", { a: "1" }));
    await keys.ready("lost");
    const rule = rig.proxy.on({ method: "PUT", path: "/v1/txn", body: '"cas"' }, { kind: "lose" });
    await keys.patch("lost", { spec: { keys: { a: "2" } } });
    await rule.hit();
    await keys.patch("lost", { spec: { keys: { a: "3" } } });
    rule.release();
    await keys.ready("lost");
    assert.equal(await valueOf("lost/a"), "3");
    await keys.delete("lost");
    await keys.gone("lost");
  });

  it("that is settled writes nothing", async () => {
    await keys.create("quiet", spec("quiet", { a: "1" }));
    await keys.ready("quiet");
    const writes = rig.proxy.writes({ body: '"cas"' }).length;
    await keys.reconcile("quiet");
    assert.equal(rig.proxy.writes({ body: '"cas"' }).length, writes);
    await keys.delete("quiet");
    await keys.gone("quiet");
  });

  it("that is cancelled before it could be applied says so, and a later change runs", async () => {
    const rule = rig.proxy.on({ path: "/v1/txn" }, { kind: "answer", answer: { status: 503 } });
    await keys.create("stop", spec("stop", { a: "1" }));
    await rule.hit();
    const cancel = { "environments.setpoint.dev/cancel": "operation-1" };
    await keys.patch("stop", { metadata: { annotations: cancel } });
    await keys.says("stop", "Synced", "Cancelled");
    rule.release();
    await keys.patch("stop", { spec: { keys: { a: "2" } } });
    await keys.ready("stop");
    assert.equal(await valueOf("stop/a"), "2");
    await keys.delete("stop");
    await keys.gone("stop");
  });

  const wrong: readonly (readonly [string, JsonObject, RegExp])[] = [
    [
      "another prefix",
      { server: "main", prefix: "other/", keys: { a: "1" } },
      /begin with env\/default/,
    ],
    ["a server that does not allow it", { server: "none", keys: { a: "1" } }, /no ConsulServer/],
    ["no key", { server: "main", prefix: "env/default/x/" }, /at least one key/],
    ["a path with ..", spec("x", { "../a": "1" }), /must not begin with/],
    ["too many bytes", spec("x", { a: "x".repeat(262_144) }), /at most 262144 bytes/],
    ["takeOver that is not allowed", spec("x", { a: "1" }, { takeOver: true }), /allow.takeOver/],
    ["a key twice", spec("x", { a: "1" }, { secretKeys: { a: "2" } }), /secretKeys/],
  ];
  for (const [what, given, message] of wrong) {
    it(`with ${what} is refused with the field`, async () => {
      const { status, text } = await keys.tryCreate("wrong", given);
      assert.equal(status, 422, text);
      assert.match(text, message);
    });
  }
});

describe("a ConsulService", () => {
  const id = "web-1";
  const check = `service:${id}`;
  const register = async (Status: string): Promise<void> => {
    const Check = { CheckID: check, TTL: "600s", Status };
    const service = { ID: id, Name: "web", Address: "192.0.2.7", Port: 8_080, Check };
    await raw("PUT", "/v1/agent/service/register", JSON.stringify(service));
  };
  const health = async (word: string): Promise<Target> =>
    await services.until("web", word, ({ status }) => status?.["health"] === word);

  it("follows the health of the service without polling", async () => {
    await services.create("web", { server: "main", service: "web" });
    await health("absent");
    await register("passing");
    const passing = await health("passing");
    assert.equal(condition(passing, "Ready")?.status, "True");
    assert.deepEqual(passing.status?.outputs, {
      health: "passing",
      instances: 1,
      address: "192.0.2.7",
      port: 8_080,
    });
    await raw("PUT", `/v1/agent/check/fail/${check}`);
    const critical = await health("critical");
    assert.equal(condition(critical, "Ready")?.reason, "ServiceCritical");
    await raw("PUT", `/v1/agent/check/pass/${check}`);
    await health("passing");
    await raw("PUT", `/v1/agent/service/maintenance/${id}?enable=true`);
    await health("maintenance");
    await raw("PUT", `/v1/agent/service/deregister/${id}`);
    await health("absent");
    assert.ok(consul.requests.some((each) => /health\/service\/web\?.*index=\d+/.test(each)));
    await services.delete("web");
    await services.gone("web");
  });
});

describe("a server with a Consul agent in its configuration", () => {
  it("registers itself, and deregisters when it stops", async () => {
    const folder = await mkdtemp(join(tmpdir(), "setpoint-consul-"));
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, `${consulToken}\n`);
    const config = join(folder, "setpoint.json");
    const executors = { consulUrl: consul.url, consulTokenFile: tokenFile, consulPort: 6_443 };
    await writeFile(config, JSON.stringify({ executors }));
    const own = await startExecutorRig(() => consul.url, { args: ["--config", config] });
    const instances = async (): Promise<number> => {
      const text = await raw("GET", "/v1/health/service/setpoint");
      const found = JSON.parse(text) as readonly { Service: { Port: number } }[];
      return found.filter(({ Service }) => Service.Port === 6_443).length;
    };
    await waitUntil("the registration", async () => (await instances()) === 1);
    await own.server.stop();
    await waitUntil("the deregistration", async () => (await instances()) === 0);
    await own[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
});
