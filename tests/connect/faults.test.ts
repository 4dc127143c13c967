// A service on a bad day: it answers with errors, with HTML or not at all, its answers are lost
// after it acted, it says that it did what it did not, or it is gone. Nothing is made twice,
// nothing is asked without end, what is wrong is told, and all is well again once the service is.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { powerDnsServer, startPowerDns } from "../peers/powerdns.ts";
import type { Fault, Match } from "../peers/fault-proxy.ts";
import { waitUntil } from "../peers/wait.ts";
import {
  apiVersion,
  cryptoBinding,
  cryptoKind,
  keyBinding,
  keyKind,
  powerDnsConnection,
  zoneBinding,
  zoneKind,
} from "./powerdns-kinds.ts";
import { condition } from "../peers/resources.ts";
import { Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

let rig: Rig;
const zones = new Resources(() => rig.server, { apiVersion, kind: "Zone" });
const keys = new Resources(() => rig.server, { apiVersion, kind: "TsigKey" });
const cryptoKeys = new Resources(() => rig.server, { apiVersion, kind: "CryptoKey" });

before(async () => {
  rig = await startRig(startPowerDns, ({ url }) => [
    ...powerDnsConnection({ url }),
    ...powerDnsConnection({ url, name: "hasty", timeoutSeconds: 3 }),
    zoneKind,
    zoneBinding,
    keyKind,
    keyBinding,
    cryptoKind,
    cryptoBinding,
  ]);
});
after(async () => await rig?.[Symbol.asyncDispose]());

const native = (name: string, more: JsonObject = {}): JsonObject => ({
  name: `${name}.test.`,
  kind: "Native",
  ...more,
});
const live = async (name: string): Promise<JsonObject | undefined> => {
  const path = `${powerDnsServer}/zones/${name}.test.?rrsets=false`;
  const { status, json } = await rig.service.ask("GET", path);
  return status === 404 ? undefined : (json as JsonObject);
};
/** How often the service was asked to make it, and did. */
const made = (text: string): number =>
  rig.proxy
    .writes({ method: "POST" })
    .filter(({ body, path, status }) => status === 201 && `${path}${body}`.includes(text)).length;
const html = "<html><body><h1>Bad gateway</h1></body></html>";
const page = { status: 502, headers: { "content-type": "text/html" }, body: html };

// Each test has objects and rules of its own, so that the waiting of one costs the others nothing.
describe("an answer that was lost after the service acted", { concurrency: true }, () => {
  const ways: readonly (readonly [string, Fault])[] = [
    ["cut", { kind: "lose" }],
    ["replaced", { kind: "replace", answer: page }],
  ];
  for (const [how, fault] of ways) {
    it(`(${how}) does not make a zone twice, nor leave it unmanaged`, async () => {
      const name = `lost-${how}`;
      const match = { method: "POST", path: "/zones", body: `"${name}.test."` };
      const rule = rig.proxy.on(match, fault, 1);
      await zones.create(name, native(name, { account: "us" }));
      await rule.hit();
      await zones.ready(name);
      assert.equal(made(`${name}.test.`), 1);
      await zones.delete(name);
      await zones.gone(name);
      assert.equal(await live(name), undefined);
    });

    it(`(${how}) is found again by its name where the service makes the id`, async () => {
      const name = `key-${how}`;
      const match = { method: "POST", path: "/tsigkeys", body: `"${name}"` };
      const rule = rig.proxy.on(match, fault, 1);
      await keys.create(name, { name, algorithm: "hmac-sha256" });
      await rule.hit();
      const one = await keys.ready(name);
      assert.equal(one.status?.connect?.id, `${name}.`);
      assert.equal(made(`"${name}"`), 1);
    });
  }

  it("(numbered) is found by what was sent, or no second one is ever made", async () => {
    await zones.create("numbered", native("numbered"));
    await zones.ready("numbered");
    const path = /numbered\.test\.\/cryptokeys$/;
    const rule = rig.proxy.on({ method: "POST", path }, { kind: "lose" }, 1);
    const spec = { keytype: "csk", algorithm: "ecdsa256", active: true };
    await cryptoKeys.create("numbered", spec, { parent: { name: "numbered" } });
    await rule.hit();
    const one = await cryptoKeys.until("numbered", "resolved", ({ status }) => {
      const synced = status?.conditions?.find(({ type }) => type === "Synced");
      return synced?.status === "True" || synced?.reason === "CreateIncomplete";
    });
    await cryptoKeys.reconcile("numbered");
    await cryptoKeys.reconcile("numbered");
    assert.equal(rig.proxy.done({ method: "POST", path }).length, 1);
    if (condition(one, "Synced")?.reason !== "CreateIncomplete") return;
    // A person says which one it is.
    const { json } = await rig.service.ask(
      "GET",
      `${powerDnsServer}/zones/numbered.test./cryptokeys`,
    );
    const [found] = json as readonly { readonly id: number }[];
    await cryptoKeys.patch("numbered", { connect: { id: String(found?.id) } });
    await cryptoKeys.ready("numbered");
    assert.equal(rig.proxy.done({ method: "POST", path }).length, 1);
  });

  it("to a change or to a deletion ends in what was wanted", async () => {
    await zones.create("lossy", native("lossy"));
    await zones.ready("lossy");
    const put = rig.proxy.on({ method: "PUT", path: "/lossy.test." }, { kind: "lose" }, 1);
    await zones.patch("lossy", { spec: { account: "us" } });
    await put.hit();
    await zones.ready("lossy");
    assert.equal((await live("lossy"))?.["account"], "us");
    const gone = rig.proxy.on({ method: "DELETE", path: "/lossy.test." }, { kind: "lose" }, 1);
    await zones.delete("lossy");
    await gone.hit();
    await zones.gone("lossy");
    assert.equal(await live("lossy"), undefined);
  });
});

describe("a service that does not do what it is asked for", { concurrency: true }, () => {
  const bad: readonly (readonly [string, Fault, RegExp])[] = [
    ["500", { kind: "answer", answer: { status: 500, body: "Internal Server Error" } }, /500/],
    ["html", { kind: "answer", answer: page }, /502/],
    ["html-as-success", { kind: "answer", answer: { ...page, status: 200 } }, /HTML|html|JSON/],
    ["cut", { kind: "cut" }, /./],
    ["empty-error", { kind: "answer", answer: { status: 503 } }, /503/],
  ];
  for (const [name, fault, message] of bad) {
    it(`(${name}) is told of, asked again and again, and no more than once too often`, async () => {
      const zone = `bad-${name}`;
      const about: readonly Match[] = [{ path: `/${zone}.test.` }, { body: `"${zone}.test."` }];
      const rules = about.map((match) => rig.proxy.on(match, fault));
      await zones.create(zone, native(zone));
      const one = await zones.until(zone, "failing", (each) => {
        return condition(each, "Synced")?.status === "False";
      });
      assert.match(condition(one, "Synced")?.message ?? "", message);
      await waitUntil(`${zone} to be asked for again`, () => {
        return rules.reduce((sum, { hits }) => sum + hits, 0) >= 2;
      });
      assert.equal(await live(zone), undefined);
      for (const rule of rules) rule.release();
      await zones.reconcile(zone);
      await zones.ready(zone);
      assert.equal(made(`${zone}.test.`), 1);
    });
  }

  it("(429) is left alone for as long as it says", async () => {
    await zones.create("busy", native("busy"));
    await zones.ready("busy");
    const answer = { status: 429, headers: { "retry-after": "3" } };
    const rule = rig.proxy.on(
      { method: "PUT", path: "/busy.test." },
      { kind: "answer", answer },
      1,
    );
    await zones.patch("busy", { spec: { account: "us" } });
    await rule.hit();
    await zones.ready("busy");
    const [first, second] = rig.proxy.writes({ method: "PUT", path: "/busy.test." });
    assert.ok(first !== undefined && second !== undefined);
    assert.ok(second.atMs - first.atMs >= 2_900, `${second.atMs - first.atMs} ms`);
  });

  it("(a lie) is found out by looking, after a change and after a deletion", async () => {
    await zones.create("lied", native("lied"));
    await zones.ready("lied");
    const fine = { kind: "answer", answer: { status: 204 } } as const;
    const change = rig.proxy.on({ method: "PUT", path: "/lied.test." }, fine, 1);
    await zones.patch("lied", { spec: { account: "us" } });
    await change.hit();
    await zones.until("lied", "as wanted", ({ status }) => status?.observed?.["account"] === "us");
    assert.equal((await live("lied"))?.["account"], "us");
    const deletion = rig.proxy.on({ method: "DELETE", path: "/lied.test." }, fine, 1);
    await zones.delete("lied");
    await deletion.hit();
    await zones.gone("lied");
    assert.equal(await live("lied"), undefined);
  });

  it("(silence) is given up after the time of the connection, and asked again", async () => {
    const match = { method: "POST", path: "/zones", body: "silent.test." };
    const rule = rig.proxy.on(match, { kind: "hold" });
    await zones.create("silent", native("silent"), { connection: "hasty" });
    await rule.hit();
    const one = await zones.until("silent", "given up", (each) => {
      return condition(each, "Synced")?.status === "False";
    });
    assert.match(condition(one, "Synced")?.message ?? "", /no response/);
    rule.release();
    await zones.ready("silent");
    assert.equal(made("silent.test."), 1);
  });
});

describe("a service that is gone", () => {
  it("is waited for, and the work goes on when it is back", async () => {
    await zones.create("waits", native("waits"));
    await zones.ready("waits");
    await rig.service.kill9();
    await zones.patch("waits", { spec: { account: "us" } });
    await zones.until("waits", "failing", (each) => condition(each, "Synced")?.status === "False");
    await rig.service.start();
    await zones.reconcile("waits");
    await zones.ready("waits");
    assert.equal((await live("waits"))?.["account"], "us");
    rig.proxy.vanish();
    await zones.delete("waits");
    await zones.until("waits", "failing", (each) => condition(each, "Synced")?.status === "False");
    rig.proxy.comeBack();
    await zones.gone("waits");
    assert.equal(await live("waits"), undefined);
  });
});
