// What a PowerDNS that fails, refuses or answers nonsense does to DnsRecords: failures of the
// server are retried, refusals are reported at once, and no text contains the API key.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Fault, Match } from "../peers/fault-proxy.ts";
import { powerDnsKey, powerDnsServer } from "../peers/powerdns.ts";
import { condition } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { startDnsRig, zoneName, zonePath } from "./rig.ts";
import type { DnsRig } from "./rig.ts";

let rig: DnsRig;
before(async () => {
  rig = await startDnsRig();
});
afterEach(() => {
  rig.proxy.clear();
  rig.proxy.comeBack();
});
after(async () => {
  const log = rig?.server.log() ?? "";
  await rig?.[Symbol.asyncDispose]();
  assert.equal(log.includes(powerDnsKey), false, "the log contains the API key");
});

const record = (name: string, value = "192.0.2.1"): JsonObject => {
  return { zone: "public", name, type: "A", values: [value] };
};
/** Requests about one name. Other records are compared at the same time. */
const writeOf = (name: string): Match => ({ method: "PATCH", body: `"${name}.${zoneName}"` });
const readOf = (name: string): Match => ({ method: "GET", query: `rrset_name=${name}.` });
const answer = (status: number, body: string): Fault => {
  return { kind: "answer", answer: { status, body } };
};
async function saysFailed(name: string, reason: string): Promise<string> {
  const one = await rig.records.says(name, "Synced", reason);
  const synced = condition(one, "Synced");
  assert.equal(synced?.status, "False");
  assert.equal(JSON.stringify(one).includes(powerDnsKey), false);
  return synced?.message ?? "";
}

describe("a server that fails", () => {
  const faults: Readonly<Record<string, readonly [Fault, string]>> = {
    "answers 500": [answer(500, '{"error": "database is locked"}'), "ServerError"],
    "answers 503": [answer(503, "<h1>later</h1>"), "Unavailable"],
    "cuts the connection": [{ kind: "cut" }, "ConnectionFailed"],
  };
  for (const [what, [fault, reason]] of Object.entries(faults)) {
    it(`and ${what} is called again until the record is written`, async () => {
      const name = what.replaceAll(" ", "-");
      const rule = rig.proxy.on(writeOf(name), fault);
      await rig.records.create(name, record(name));
      await saysFailed(name, reason);
      rule.release();
      await rig.records.ready(name);
      await rig.resolves(`${name}.dinosaurs.example`, "A", ["192.0.2.1"]);
    });
  }

  it("and loses the answer is not asked to write the same again", async () => {
    const rule = rig.proxy.on(writeOf("lost"), { kind: "lose" });
    await rig.records.create("lost", record("lost"));
    await rig.records.ready("lost");
    assert.equal(rule.hits, 1);
  });

  it("for longer opens the circuit of its zone, and the records follow after it", async () => {
    rig.proxy.vanish();
    // More than the failures in a row that open the circuit.
    const names = Array.from({ length: 8 }, (_, index) => `outage-${index}`);
    for (const name of names) await rig.records.create(name, record(name));
    await waitUntil("the circuit to open", async () => {
      const all = await Promise.all(names.map((name) => rig.records.present(name)));
      return all.some((one) => condition(one, "Synced")?.reason === "CircuitOpen");
    });
    rig.proxy.comeBack();
    for (const name of names) await rig.records.ready(name);
  });

  it("while a record is deleted keeps the DnsRecord until the record set is deleted", async () => {
    await rig.records.create("leaving", record("leaving"));
    await rig.records.ready("leaving");
    const rule = rig.proxy.on(writeOf("leaving"), answer(500, ""), 3);
    await rig.records.delete("leaving");
    await rule.hit();
    assert.notEqual(await rig.records.get("leaving"), undefined);
    await rig.records.gone("leaving");
    await rig.resolves("leaving.dinosaurs.example", "A", []);
  });
});

describe("a server that refuses", () => {
  it("a request makes the record fail at once, with one line of its reason", async () => {
    const error = `no such thing ${powerDnsKey}\nsecond line`;
    rig.proxy.on(writeOf("refused"), answer(422, JSON.stringify({ error })));
    await rig.records.create("refused", record("refused"));
    const message = await saysFailed("refused", "RequestRefused");
    assert.equal(
      message,
      "the server of the DnsZone public refused the request with status 422: " +
        "no such thing [hidden] second line",
    );
    const { status } = await rig.records.present("refused");
    const facts = status?.reconcile as unknown as JsonObject;
    assert.deepEqual([facts["retry"], facts["attempts"]], ["slow", 1]);
    assert.equal(rig.proxy.writes({ body: `"refused.${zoneName}"` }).length, 1);
    const ready = condition(await rig.records.present("refused"), "Ready");
    assert.equal(ready?.status, "False");
  });

  it("a conflict with records that a person made is reported with the server's words", async () => {
    const records = [{ content: "192.0.2.1", disabled: false }];
    const name = `mixed.${zoneName}`;
    await rig.byHand({ name, type: "A", ttl: 60, changetype: "REPLACE", records });
    const spec = { zone: "public", name: "mixed", type: "CNAME", values: ["a.example"] };
    await rig.records.create("mixed", spec);
    const message = await saysFailed("mixed", "RequestRefused");
    assert.match(
      message,
      /mixed\.dinosaurs\.example\. IN CNAME: Conflicts with pre-existing RRset/,
    );
  });

  it("the API key is called again when the Secret has another key", async () => {
    await rig.setKey("a-key-that-is-wrong");
    await rig.records.create("rotated", record("rotated"));
    const message = await saysFailed("rotated", "CredentialsRefused");
    assert.match(message, /refused the credentials with status 401/);
    await rig.zones.says("public", "Synced", "CredentialsRefused");
    await rig.setKey(powerDnsKey);
    await rig.records.ready("rotated");
    await rig.zones.ready("public");
    const { body } = await rig.server.ask("/apis/dns.setpoint.dev/v1/dnsrecords");
    assert.equal(body.toString().includes("a-key-that-is-wrong"), false);
    assert.equal(rig.server.log().includes("a-key-that-is-wrong"), false);
  });

  it("a key that is missing makes records wait for the Secret", async () => {
    const path = "/api/v1/namespaces/default/secrets/powerdns";
    assert.equal((await rig.server.ask(path, { method: "DELETE" })).status, 200);
    await rig.records.create("keyless", record("keyless"));
    const one = await rig.records.until("keyless", "waiting", (each) => {
      return /the Secret default\/powerdns does not exist/.test(
        condition(each, "Ready")?.message ?? "",
      );
    });
    assert.equal(condition(one, "Ready")?.status, "False");
    await rig.setKey(powerDnsKey);
    await rig.records.ready("keyless");
  });
});

describe("a server with nonsense", () => {
  const zone = (rrsets: unknown): string => JSON.stringify({ name: zoneName, serial: 1, rrsets });
  const bodies: Readonly<Record<string, readonly [string, string]>> = {
    page: ["<html>Welcome</html>", "InvalidAnswer"],
    "cut-json": ['{"name": "dinosaurs.exam', "InvalidAnswer"],
    "other-shape": ["[1, 2, 3]", "InvalidAnswer"],
    "no-sets": [zone("none"), "InvalidAnswer"],
    "other-zone": [JSON.stringify({ name: "other.example.", rrsets: [] }), "InvalidAnswer"],
    huge: [`"${"x".repeat(34_000_000)}"`, "AnswerTooLarge"],
  };
  for (const [what, [body, reason]] of Object.entries(bodies)) {
    it(`(${what}) writes no record, and is called again`, async () => {
      const rule = rig.proxy.on(readOf(what), answer(200, body));
      await rig.records.create(what, record(what));
      await saysFailed(what, reason);
      assert.equal(rig.proxy.writes(writeOf(what)).length, 0);
      rule.release();
      await rig.records.reconcile(what);
      await rig.records.ready(what);
    });
  }

  it("(odd record sets) is corrected by a write of the whole set", async () => {
    const odd = [
      { name: 7 },
      null,
      { name: `odd.${zoneName}`, type: "A", ttl: "x", records: [7, { content: 8 }], comments: "" },
    ];
    rig.proxy.on(readOf("odd"), answer(200, zone(odd)), 1);
    await rig.records.create("odd", record("odd"));
    // A set without the mark is one of a person.
    await saysFailed("odd", "RecordNotOwned");
    await rig.records.reconcile("odd");
    await rig.records.ready("odd");
  });

  it("(a redirect) does not get the API key sent elsewhere", async () => {
    const location = `${rig.proxy.url}/elsewhere`;
    const redirect = { status: 307, headers: { location } };
    rig.proxy.on(writeOf("redirected"), { kind: "answer", answer: redirect }, 1);
    await rig.records.create("redirected", record("redirected"));
    const message = await saysFailed("redirected", "RequestRefused");
    assert.match(message, /with status 307/);
    assert.equal(rig.proxy.requests({ path: "/elsewhere" }).length, 0);
    await rig.records.reconcile("redirected");
    await rig.records.ready("redirected");
  });
});

describe("a record set that does not exist any more", () => {
  it("counts as deleted", async () => {
    await rig.records.create("early", record("early"));
    await rig.records.ready("early");
    await rig.byHand({ name: `early.${zoneName}`, type: "A", changetype: "DELETE" });
    await rig.records.delete("early");
    await rig.records.gone("early");
  });

  it("counts as deleted with its zone when an administrator confirms the removal", async () => {
    await rig.records.create("zoneless", record("zoneless"));
    await rig.records.ready("zoneless");
    const { status } = await rig.powerDns.ask("DELETE", zonePath);
    assert.equal(status, 204);
    await rig.records.reconcile("zoneless");
    await saysFailed("zoneless", "ZoneNotFound");
    await rig.records.delete("zoneless");
    await waitUntil("the reason that states the fix", async () => {
      const message = await saysFailed("zoneless", "ZoneNotFound");
      return message.endsWith("or set its spec.isRemoved if the zone and its records were removed");
    });
    await rig.zones.patch("public", { spec: { isRemoved: true } });
    await rig.records.gone("zoneless");
    await rig.zones.patch("public", { spec: { isRemoved: null } });
    const zone = { name: zoneName, kind: "Native", nameservers: [`ns.${zoneName}`] };
    await rig.powerDns.ask("POST", `${powerDnsServer}/zones`, zone);
    // What was lost with the zone is put back.
    await rig.records.reconcile("rotated");
    await waitUntil("the record", async () => {
      return (await rig.resolve("rotated.dinosaurs.example", "A")).length === 1;
    });
  });
});
