// The proxy does what its rules say and nothing else, in front of services as they are.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import { alertmanagerBase, startAlertmanager } from "./alertmanager.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { powerDnsKey, powerDnsServer, startPowerDns } from "./powerdns.ts";
import type { Service } from "./service.ts";

describe("a fault proxy in front of PowerDNS", () => {
  let service: Service;
  let proxy: FaultProxy;
  const zones = `${powerDnsServer}/zones`;

  before(async () => {
    service = await startPowerDns();
    proxy = await startFaultProxy({ target: () => service.url });
  });
  afterEach(() => proxy.clear());
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  const send = async (method: string, path: string, body?: object): Promise<Response> =>
    await fetch(`${proxy.url}${path}`, {
      method,
      headers: { "x-api-key": powerDnsKey, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const zone = (name: string): object => ({ name, kind: "Native", nameservers: [] });
  const exists = async (name: string): Promise<boolean> =>
    (await service.ask("GET", `${zones}/${name}`)).status === 200;

  it("hands on what no rule is about, and writes it down", async () => {
    const from = proxy.seen.length;
    assert.equal((await send("POST", zones, zone("plain.test."))).status, 201);
    assert.equal((await send("GET", `${zones}/plain.test.?rrsets=false`)).status, 200);
    assert.deepEqual(
      proxy.seen.slice(from).map(({ method, path, status }) => ({ method, path, status })),
      [
        { method: "POST", path: zones, status: 201 },
        { method: "GET", path: `${zones}/plain.test.?rrsets=false`, status: 200 },
      ],
    );
    assert.equal(proxy.writes({ path: "/zones" }).at(-1)?.body.includes("plain.test."), true);
  });

  it("loses an answer after the service has acted, as often as it was told to", async () => {
    const rule = proxy.on({ method: "POST", path: "/zones" }, { kind: "lose" }, 1);
    await assert.rejects(send("POST", zones, zone("lost.test.")));
    assert.equal(rule.hits, 1);
    assert.equal(await exists("lost.test."), true);
    assert.equal((await send("POST", zones, zone("lost.test."))).status, 409);
  });

  it("answers for the service, before or after it has acted", async () => {
    const html = { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Oh</h1>" };
    proxy.on({ method: "POST" }, { kind: "replace", answer: html }, 1);
    const replaced = await send("POST", zones, zone("replaced.test."));
    assert.equal(replaced.status, 502);
    assert.equal(await replaced.text(), "<h1>Oh</h1>");
    assert.equal(await exists("replaced.test."), true);

    const busy = { status: 429, headers: { "retry-after": "1" } };
    proxy.on({ method: "POST" }, { kind: "answer", answer: busy }, 1);
    const refused = await send("POST", zones, zone("refused.test."));
    assert.equal(refused.headers.get("retry-after"), "1");
    proxy.on({ method: "DELETE" }, { kind: "answer", answer: { status: 204 } }, 1);
    assert.equal((await send("DELETE", `${zones}/replaced.test.`)).status, 204);
    assert.equal(await exists("refused.test."), false);
    assert.equal(await exists("replaced.test."), true);
  });

  it("cuts before the service hears of it, and holds until it is released", async () => {
    proxy.on({ method: "POST" }, { kind: "cut" }, 1);
    await assert.rejects(send("POST", zones, zone("cut.test.")));
    assert.equal(await exists("cut.test."), false);

    const held = proxy.on({ method: "POST" }, { kind: "hold answer" });
    const pending = send("POST", zones, zone("held.test."));
    await held.hit();
    held.release();
    assert.equal((await pending).status, 201);

    const stalled = proxy.on({ method: "DELETE" }, { kind: "hold" });
    const deletion = send("DELETE", `${zones}/held.test.`);
    await stalled.hit();
    assert.equal(await exists("held.test."), true);
    stalled.release();
    assert.equal((await deletion).status, 204);
  });

  it("is gone and comes back, and the service may be gone behind it", async () => {
    proxy.vanish();
    await assert.rejects(send("GET", zones));
    proxy.comeBack();
    assert.equal((await send("GET", zones)).status, 200);
    await service.kill9();
    await assert.rejects(send("GET", zones));
    await service.start();
    assert.equal((await send("GET", zones)).status, 200);
    assert.equal(await exists("plain.test."), true);
  });
});

it("a rule about what was done waits for a request that the service can carry out", async () => {
  const statuses = [500, 201, 201];
  const service = createServer((_, answer) => answer.writeHead(statuses.shift() ?? 404).end());
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = service.address() as AddressInfo;
  try {
    await using proxy = await startFaultProxy({ target: () => `http://127.0.0.1:${port}` });
    const rule = proxy.on({ method: "POST" }, { kind: "lose" }, 1);
    const send = async (): Promise<Response> => await fetch(proxy.url, { method: "POST" });
    assert.equal((await send()).status, 500);
    assert.deepEqual([rule.hits, proxy.done().length], [0, 0]);
    await assert.rejects(send());
    assert.deepEqual([rule.hits, proxy.done().length], [1, 1]);
    assert.equal((await send()).status, 201);
    assert.deepEqual([proxy.writes().length, proxy.done().length], [3, 2]);
  } finally {
    service.close();
  }
});

it("an Alertmanager keeps its silences over an end and a start", async () => {
  await using service = await startAlertmanager();
  const silence = {
    matchers: [{ name: "job", value: "night", isRegex: false }],
    startsAt: "2026-01-01T00:00:00Z",
    endsAt: "2999-01-01T00:00:00Z",
    createdBy: "tests",
    comment: "quiet",
  };
  const made = await service.ask("POST", `${alertmanagerBase}/silences`, silence);
  assert.equal(made.status, 200, made.text);
  await service.stop();
  await service.start();
  const listed = await service.ask("GET", `${alertmanagerBase}/silences`);
  assert.match(listed.text, /"comment":"quiet"/);
});
