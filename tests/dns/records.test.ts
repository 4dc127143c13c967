// DnsRecords in a real PowerDNS, seen by the DNS protocol: their life, who may have which name, and
// what happens when another client of PowerDNS changes a record set.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { condition } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { startDnsRig, zoneName, zonePath, zoneSpec } from "./rig.ts";
import type { DnsRig } from "./rig.ts";

let rig: DnsRig;
before(async () => {
  rig = await startDnsRig();
});
after(async () => await rig?.[Symbol.asyncDispose]());

const record = (name: string, type: string, values: readonly string[], more: JsonObject = {}) => {
  return { zone: "public", name, type, values, ...more };
};

async function metric(name: string): Promise<number> {
  const { body } = await rig.server.ask("/metrics");
  const line = new RegExp(`^${name} (\\d+)`, "m").exec(body.toString());
  return Number(line?.[1] ?? 0);
}

async function eventsOf(name: string): Promise<readonly string[]> {
  const { body } = await rig.server.ask("/api/v1/namespaces/default/events");
  const { items } = JSON.parse(body.toString()) as {
    readonly items: readonly {
      readonly reason: string;
      readonly involvedObject: { readonly name: string };
    }[];
  };
  return items.flatMap((each) => (each.involvedObject.name === name ? each.reason : []));
}

describe("a DnsZone", () => {
  it("shows that the server has the zone, and its serial", async () => {
    const { status } = await rig.zones.ready("public");
    const { serial, kind } = status as unknown as { serial: number; kind: string };
    assert.ok(serial > 2_000_000_000, String(serial));
    assert.equal(kind, "Native");
  });

  it("that the server does not have is not ready, and says so", async () => {
    await rig.zones.create("missing", zoneSpec(rig.proxy.url, { zone: "missing.example." }));
    const one = await rig.zones.says("missing", "Ready", "ZoneNotFound");
    assert.match(condition(one, "Ready")?.message ?? "", /does not have the zone: create it there/);
    await rig.zones.delete("missing");
    await rig.zones.gone("missing");
  });

  it("cannot get another zone", async () => {
    const patch = { spec: { zone: "other.example." } };
    const { status, text } = await rig.zones.tryPatch("public", patch);
    assert.equal(status, 422, text);
    assert.match(text, /spec\.zone/);
  });
});

describe("a DnsRecord", () => {
  const kinds: readonly (readonly [string, "A" | "AAAA" | "CNAME" | "TXT", readonly string[]])[] = [
    ["trex", "A", ["192.0.2.7", "192.0.2.8"]],
    ["trex", "AAAA", ["2001:DB8::7"]],
    ["alias", "CNAME", ["router.example"]],
    ["notes", "TXT", ['a "quoted" \\ text; with ä', "x".repeat(600)]],
  ];
  for (const [name, type, values] of kinds) {
    it(`of type ${type} is answered by DNS, changed and deleted`, async () => {
      const key = `${name}-${type.toLowerCase()}`;
      await rig.records.create(key, record(name, type, values));
      const { status } = await rig.records.ready(key);
      const host = `${name}.dinosaurs.example`;
      assert.equal(status?.host, host);
      assert.equal(status?.ttl, 300);
      const shown = type === "AAAA" ? ["2001:db8::7"] : values;
      await rig.resolves(host, type, shown);
      assert.equal(rig.proxy.writes({ body: `"type":"${type}"` }).length, 1);
      await rig.records.patch(key, { spec: { values: values.slice(0, 1), ttl: 60 } });
      await rig.records.ready(key);
      await rig.resolves(host, type, shown.slice(0, 1));
      assert.equal((await rig.records.present(key)).status?.ttl, 60);
      await rig.records.delete(key);
      await rig.records.gone(key);
      await rig.resolves(host, type, []);
    });
  }

  it("that is settled causes no further write", async () => {
    await rig.records.create("quiet", record("quiet", "TXT", ["a\u0007b", "ü"]));
    await rig.records.ready("quiet");
    const writes = rig.proxy.writes().length;
    await rig.records.reconcile("quiet");
    assert.equal(rig.proxy.writes().length, writes);
    await rig.records.delete("quiet");
    await rig.records.gone("quiet");
  });

  it("with a name that another namespace has is refused, and the holder is named", async () => {
    const [first, second] = [rig.recordsIn("herbivores"), rig.recordsIn("carnivores")];
    await first.create("valley", record("valley", "A", ["192.0.2.1"]));
    await first.ready("valley");
    for (const name of ["valley", "VALLEY.dinosaurs.example."]) {
      const { status, text } = await second.tryCreate("mine", record(name, "A", ["192.0.2.9"]));
      assert.equal(status, 409, text);
      assert.match(text, /valley\.dinosaurs\.example\. A is taken in the DnsZone public by /);
      assert.match(text, /herbivores\/valley/);
    }
    const alias = await second.tryCreate("mine", record("valley", "CNAME", ["a.example"]));
    assert.equal(alias.status, 409, alias.text);
    await second.create("mine", record("valley", "TXT", ["another type"]));
    await second.ready("mine");
    await first.delete("valley");
    await first.gone("valley");
    await second.delete("mine");
    await second.gone("mine");
    await second.create("mine", record("valley", "CNAME", ["a.example"]));
    await second.ready("mine");
    await rig.resolves("valley.dinosaurs.example", "CNAME", ["a.example"]);
    await second.delete("mine");
    await second.gone("mine");
  });

  it("created fifty times at once under one name exists once", async () => {
    const tried = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const records = rig.recordsIn(index % 2 === 0 ? "herbivores" : "carnivores");
        return records.tryCreate(`rush-${index}`, record("rush", "A", [`192.0.2.${index}`]));
      }),
    );
    const withStatus = (wanted: number): number =>
      tried.filter(({ status }) => status === wanted).length;
    assert.deepEqual([withStatus(201), withStatus(409)], [1, 49]);
  });

  it("in a namespace that the zone does not allow is refused, and nothing is sent", async () => {
    const records = rig.recordsIn("strangers");
    const spec = record("refused", "A", ["192.0.2.1"]);
    const { status, text } = await records.tryCreate("refused", spec);
    assert.equal(status, 422, text);
    assert.match(text, /spec\.zone: .*no DnsZone of this name allows the namespace strangers/);
    assert.equal(rig.proxy.seen.filter(({ path }) => path.includes("refused")).length, 0);
  });

  it("keeps its name and its type", async () => {
    await rig.records.create("fixed", record("fixed", "A", ["192.0.2.1"]));
    for (const patch of [{ name: "other" }, { type: "TXT" }, { zone: "other" }]) {
      const { status, text } = await rig.records.tryPatch("fixed", { spec: patch });
      assert.equal(status, 422, text);
      assert.match(text, new RegExp(`spec\\.${Object.keys(patch)[0]}`));
    }
  });

  it("whose permission is revoked stays as it is, and can be deleted", async () => {
    const records = rig.recordsIn("carnivores");
    await records.create("guest", record("guest", "A", ["192.0.2.1"]));
    await records.ready("guest");
    const allow = (names: readonly string[]): JsonObject => {
      const selector = names.length === 1 ? null : { matchLabels: { team: "a" } };
      return { spec: { allow: { namespaces: { names, selector } } } };
    };
    await rig.zones.patch("public", allow(["default"]));
    await records.says("guest", "Synced", "NamespaceForbidden");
    const update = await records.tryPatch("guest", { spec: { values: ["192.0.2.2"] } });
    assert.equal(update.status, 422, update.text);
    await rig.resolves("guest.dinosaurs.example", "A", ["192.0.2.1"]);
    await records.delete("guest");
    await records.gone("guest");
    await rig.resolves("guest.dinosaurs.example", "A", []);
    await rig.zones.patch("public", allow(["default", "x"]));
  });
});

describe("a record set at the server", () => {
  const name = `drift.${zoneName}`;
  const host = "drift.dinosaurs.example";
  const set = (content: string, more: JsonObject = {}): JsonObject => {
    const records = [{ content, disabled: false, ...more }];
    return { name, type: "A", ttl: 300, changetype: "REPLACE", records };
  };

  it("that another client changed, disabled or deleted is put back", async () => {
    await rig.records.create("drift", record("drift", "A", ["192.0.2.1"]));
    await rig.records.ready("drift");
    const changes = [
      set("192.0.2.66"),
      set("192.0.2.1", { disabled: true }),
      { name, type: "A", changetype: "DELETE" },
    ];
    for (const change of changes) {
      const drifted = await metric("setpoint_dns_drift_total");
      await rig.byHand(change);
      await rig.records.reconcile("drift");
      await rig.resolves(host, "A", ["192.0.2.1"]);
      assert.equal(await metric("setpoint_dns_drift_total"), drifted + 1);
    }
    await waitUntil("an event", async () => (await eventsOf("drift")).includes("DriftCorrected"));
  });

  it("is put back without a request, by the resync of the zone", async () => {
    await rig.zones.patch("public", { spec: { resyncSeconds: 5 } });
    await rig.records.reconcile("drift");
    await rig.byHand(set("192.0.2.66"));
    await rig.resolves(host, "A", ["192.0.2.1"]);
    await rig.zones.patch("public", { spec: { resyncSeconds: 600 } });
  });

  it("keeps the comments of people", async () => {
    const { json } = await rig.powerDns.ask("GET", `${zonePath}?rrset_name=${name}`);
    const sets = (json as { readonly rrsets: readonly JsonObject[] }).rrsets;
    const own = sets.find((each) => each["name"] === name);
    const comments = own?.["comments"] as readonly JsonObject[];
    const note = { account: "ann", content: "see ticket 7", modified_at: 1_000_000_000 };
    await rig.byHand({ ...set("192.0.2.66"), comments: [...comments, note] });
    await rig.records.reconcile("drift");
    const { text } = await rig.powerDns.ask("GET", `${zonePath}?rrset_name=${name}`);
    assert.match(text, /see ticket 7/);
    assert.match(text, /DnsRecord default\/drift/);
  });

  it("of a person is neither replaced nor deleted", async () => {
    await rig.byHand({ ...set("192.0.2.50"), name: `person.${zoneName}` });
    await rig.records.create("person", record("person", "A", ["192.0.2.1"]));
    const one = await rig.records.says("person", "Ready", "RecordNotOwned");
    assert.match(condition(one, "Ready")?.message ?? "", /was not created by Setpoint/);
    await rig.resolves("person.dinosaurs.example", "A", ["192.0.2.50"]);
    await rig.records.delete("person");
    await rig.records.gone("person");
    await rig.resolves("person.dinosaurs.example", "A", ["192.0.2.50"]);
  });

  it("of a person is replaced with takeOver, where the zone allows it", async () => {
    const spec = record("person", "A", ["192.0.2.1"], { takeOver: true });
    const { status, text } = await rig.records.tryCreate("person", spec);
    assert.equal(status, 422, text);
    await rig.zones.patch("public", { spec: { allow: { takeOver: true } } });
    await rig.records.create("person", spec);
    await rig.records.ready("person");
    await rig.resolves("person.dinosaurs.example", "A", ["192.0.2.1"]);
    await rig.records.delete("person");
    await rig.records.gone("person");
    await rig.resolves("person.dinosaurs.example", "A", []);
  });

  it("of a DnsRecord in another DnsZone of the same zone is not replaced", async () => {
    await rig.zones.create("second", zoneSpec(rig.proxy.url, { allow: zoneAllow }));
    const spec = { ...record("drift", "A", ["192.0.2.99"], { takeOver: true }), zone: "second" };
    await rig.records.create("thief", spec);
    const one = await rig.records.says("thief", "Ready", "RecordNotOwned");
    assert.match(condition(one, "Ready")?.message ?? "", /belongs to the DnsRecord default\/drift/);
    await rig.records.delete("thief");
    await rig.records.gone("thief");
    await rig.resolves(host, "A", ["192.0.2.1"]);
  });
});

const zoneAllow = { namespaces: { names: ["default"] }, takeOver: true };

describe("a DnsZone in use", () => {
  it("is deleted after its last record, and accepts no new one", async () => {
    await rig.zones.create("ending", zoneSpec(rig.proxy.url));
    const spec = { ...record("ending", "A", ["192.0.2.1"]), zone: "ending" };
    await rig.records.create("ending", spec);
    await rig.records.ready("ending");
    await rig.zones.delete("ending");
    const held = await rig.zones.until("ending", "in use", (one) => {
      return condition(one, "Ready")?.reason === "Deleting";
    });
    assert.match(condition(held, "Ready")?.message ?? "", /DnsRecords use it/);
    const late = await rig.records.tryCreate("late", { ...spec, name: "late" });
    assert.equal(late.status, 422, late.text);
    await rig.records.delete("ending");
    await rig.records.gone("ending");
    await rig.zones.gone("ending");
    await rig.resolves("ending.dinosaurs.example", "A", []);
  });
});
