// HttpCalls of a real server against a small application: idempotent requests, outputs, status
// endpoints, retries and the circuit breaker, and addresses that are not allowed.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { startApp } from "../peers/app.ts";
import type { AppPeer } from "../peers/app.ts";
import { applyToServer, condition } from "../peers/resources.ts";
import type { Resources } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { correctedDrift, startExecutorRig } from "./rig.ts";
import type { ExecutorRig, Target } from "./rig.ts";

let app: AppPeer;
let rig: ExecutorRig;
let calls: Resources<Target>;

before(async () => {
  app = await startApp();
  rig = await startExecutorRig(() => app.url);
  calls = rig.of("HttpCall");
  const metadata = { name: "strangers" };
  await applyToServer(rig.server, { apiVersion: "v1", kind: "Namespace", metadata });
  const allow = { namespaces: { names: ["default"] } };
  const http = { allowPrivate: { cidrs: ["127.0.0.1/32"] } };
  await rig.of("ExecutorPolicy", "executorpolicies", "").create("local", { allow, http });
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});
afterEach(() => {
  app.status = 0;
  app.health = 200;
  rig.proxy.clear();
});

const end = async (name: string): Promise<void> => {
  await calls.delete(name);
  await calls.gone(name);
};
const effectsOn = (path: string) => [...app.effects.values()].filter(({ url }) => url === path);
const requests = (path: string): JsonObject => ({
  create: { method: "PUT", path },
  destroy: { method: "DELETE", path },
});

describe("an HttpCall", () => {
  it("creates, changes and destroys, each with one effect and a key of its own", async () => {
    const path = "/items/life";
    await calls.create("life", {
      url: app.url,
      requests: requests(path),
      body: { size: 1 },
      secretHeaders: { authorization: "Bearer sentinel-http-1" },
      secretBody: { pin: "sentinel-http-2" },
      outputs: { id: "response.body.id", code: "response.status" },
      secretOutputs: { key: "response.body.secret" },
    });
    const one = await calls.ready("life");
    assert.match(textAt(one.status?.outputs, "id"), /^item-\d+$/);
    assert.equal(one.status?.outputs?.["code"], 200);
    assert.doesNotMatch(JSON.stringify(one), /sentinel|answer-secret/);
    const [created] = effectsOn(path);
    assert.deepEqual(created?.body, { size: 1, pin: "sentinel-http-2" });
    assert.equal(created?.headers.authorization, "Bearer sentinel-http-1");
    const secret = one.status?.secretOutputs?.name ?? "";
    const { body } = await rig.server.ask(`/api/v1/namespaces/default/secrets/${secret}`);
    assert.match(body.toString(), new RegExp(Buffer.from("answer-secret-1").toString("base64")));
    await calls.patch("life", { spec: { body: { size: 2 } } });
    await calls.ready("life");
    await waitUntil("the change", () => effectsOn(path).length === 2);
    await calls.reconcile("life");
    assert.equal(effectsOn(path).length, 2, "a settled call sends nothing");
    const repaired = await correctedDrift(calls, "life");
    assert.equal(effectsOn(path).length, 3, "a requested correction sends the request again");
    assert.equal(repaired.status?.drift?.state, "Unknown");
    await end("life");
    const methods = effectsOn(path).map(({ method }) => method);
    assert.equal(methods.at(-1), "DELETE");
  });

  it("sends the reference of the application: name, command and action", async () => {
    await calls.create("run", { url: `${app.url}/run`, name: "shop", command: "migrate" });
    await calls.ready("run");
    assert.deepEqual(effectsOn("/run")[0]?.body, {
      name: "shop",
      command: "migrate",
      action: "create",
    });
    await end("run");
  });

  it("repeats a request without an answer with the same key: one effect", async () => {
    const path = "/items/lost";
    const rule = rig.proxy.on({ method: "PUT", path }, { kind: "lose" }, 2);
    await calls.create("lost", { url: rig.proxy.url, requests: requests(path) });
    await rule.hit(2);
    await calls.ready("lost");
    const sent = app.requests.filter(({ url, method }) => url === path && method === "PUT");
    assert.equal(sent.length, 3);
    assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, 1);
    assert.equal(effectsOn(path).length, 1);
    await end("lost");
  });

  it("does not repeat a request that is refused with 4xx, and hides the answer", async () => {
    app.status = 422;
    const path = "/items/refused";
    const secretBody = { pin: "sentinel-http-3" };
    await calls.create("refused", { url: app.url, requests: requests(path), secretBody });
    const one = await calls.says("refused", "Synced", "RequestRefused");
    assert.match(condition(one, "Synced")?.message ?? "", /status 422/);
    assert.doesNotMatch(JSON.stringify(one), /sentinel/);
    // Another call is retried three times meanwhile.
    const clock = rig.proxy.on(
      { method: "PUT", path: "/items/clock" },
      { kind: "answer", answer: { status: 500 } },
    );
    await calls.create("clock", { url: rig.proxy.url, requests: requests("/items/clock") });
    await clock.hit(3);
    assert.equal(app.requests.filter(({ url }) => url === path).length, 1);
    clock.release();
    app.status = 0;
    await calls.reconcile("refused");
    await calls.ready("refused");
    await end("refused");
    await calls.ready("clock");
    await end("clock");
  });

  it("is retried while 500 lasts, opens the breaker of the host, and recovers", async () => {
    app.status = 500;
    const names = Array.from({ length: 8 }, (_, at) => `broken-${at}`);
    for (const name of names) {
      await calls.create(name, { url: app.url, requests: requests(`/items/${name}`) });
    }
    const breaker = `setpoint_external_breaker_state{system="http/127.0.0.1:${app.port}"} 2`;
    await waitUntil("an open breaker", async () => {
      const { body } = await rig.server.ask("/metrics");
      return body.toString().includes(breaker);
    });
    await waitUntil("a visible reason", async () => {
      const all = await Promise.all(names.map((name) => calls.present(name)));
      return all.some((one) => /calls to http\/127/.test(JSON.stringify(one.status)));
    });
    app.status = 0;
    for (const name of names) await calls.ready(name);
    for (const name of names) await end(name);
  });

  it("is ready when its status endpoints are healthy, and follows them", async () => {
    app.health = 503;
    await calls.create("health", {
      url: app.url,
      requests: requests("/items/health"),
      pollSeconds: 1,
      statusEndpoints: [{ path: "/health", healthyWhen: "response.body.state == 200" }],
    });
    const waiting = await calls.says("health", "Ready", "NotHealthy");
    assert.match(condition(waiting, "Ready")?.message ?? "", /health: answered with status 503/);
    app.health = 200;
    await calls.ready("health");
    app.health = 500;
    await calls.reconcile("health");
    await calls.says("health", "Ready", "NotHealthy");
    assert.equal(effectsOn("/items/health").length, 1, "the request is not sent again");
    await end("health");
  });

  it("that is cancelled while it waits for its health says so", async () => {
    app.health = 503;
    await calls.create("stop", {
      url: app.url,
      pollSeconds: 1,
      statusEndpoints: [{ path: "/health" }],
    });
    await calls.says("stop", "Ready", "NotHealthy");
    const cancel = { "environments.setpoint.dev/cancel": "operation-2" };
    await calls.patch("stop", { metadata: { annotations: cancel } });
    await calls.says("stop", "Synced", "Cancelled");
    await end("stop");
  });

  it("refuses private addresses by number, by name and in redirects without a policy", async () => {
    const strangers = rig.of("HttpCall", undefined, "strangers");
    for (const [name, url] of [
      ["number", app.url],
      ["name", `http://localhost:${app.port}`],
      ["metadata", "http://169.254.169.254/latest"],
    ] as const) {
      await strangers.create(name, { url });
      const one = await strangers.says(name, "Synced", "AddressForbidden");
      assert.match(condition(one, "Synced")?.message ?? "", /ExecutorPolicy/);
    }
    await calls.create("moved", { url: app.url, statusEndpoints: [{ path: "/moved" }] });
    await calls.says("moved", "Synced", "RedirectRefused");
    assert.equal(
      app.requests.filter(({ headers }) => headers.host?.startsWith("localhost")).length,
      0,
    );
    await end("moved");
  });

  it("limits the size of an answer", async () => {
    const create = { method: "POST", path: "/large" };
    await calls.create("large", { url: app.url, requests: { create }, maxAnswerBytes: 1_000 });
    await calls.says("large", "Synced", "AnswerTooLarge");
    await end("large");
  });

  const wrong: readonly (readonly [string, JsonObject, RegExp])[] = [
    ["a URL that cannot be parsed", { url: "http://" }, /spec.url/],
    ["credentials in the URL", { url: "http://a:b@c.example" }, /use secretHeaders/],
    [
      "an expression with an error",
      { url: "http://a.example", outputs: { x: "1 +" } },
      /outputs.x/,
    ],
    ["a header of the connection", { url: "http://a.example", headers: { Host: "x" } }, /Host/],
  ];
  for (const [what, spec, message] of wrong) {
    it(`with ${what} is refused with the field`, async () => {
      const { status, text } = await calls.tryCreate("wrong", spec);
      assert.equal(status, 422, text);
      assert.match(text, message);
    });
  }
});
