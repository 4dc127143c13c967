// What lives in zones of a real PowerDNS and beside them: record sets, which are elements of their
// zone and are changed by commands; keys whose ids the service makes; and secrets, which are
// sent and never shown.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { powerDnsServer, startPowerDns } from "../peers/powerdns.ts";
import type { Match } from "../peers/fault-proxy.ts";
import {
  apiVersion,
  cryptoBinding,
  cryptoKind,
  keyBinding,
  keyKind,
  powerDnsConnection,
  recordBinding,
  recordKind,
  zoneBinding,
  zoneKind,
} from "./powerdns-kinds.ts";
import { condition } from "../peers/resources.ts";
import { applyDocument, bodiesOf, Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

let rig: Rig;
const resources = (kind: string): Resources =>
  new Resources(() => rig.server, { apiVersion, kind });
const zones = resources("Zone");
const records = resources("Record");
const keys = resources("TsigKey");
const cryptoKeys = resources("CryptoKey");

before(async () => {
  rig = await startRig(startPowerDns, ({ url }) => [
    ...powerDnsConnection({ url }),
    zoneKind,
    zoneBinding,
    recordKind,
    recordBinding,
    keyKind,
    keyBinding,
    cryptoKind,
    cryptoBinding,
  ]);
});
after(async () => await rig?.[Symbol.asyncDispose]());

interface RecordSet {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly records: readonly { readonly content: string }[];
}

interface Commands {
  readonly rrsets: readonly { readonly changetype: string; readonly name: string }[];
}

const recordSets = async (zone: string): Promise<readonly RecordSet[]> => {
  const { json } = await rig.service.ask("GET", `${powerDnsServer}/zones/${zone}.test.`);
  return (json as { readonly rrsets: readonly RecordSet[] }).rrsets;
};
const contents = async (zone: string, name: string): Promise<readonly string[] | undefined> => {
  const found = (await recordSets(zone)).find((each) => each.name === name);
  return found?.records.map(({ content }) => content).sort();
};
const ofZone = (zone: string): Match => ({ method: "PATCH", path: `/zones/${zone}.test.` });
const zone = async (name: string): Promise<void> => {
  await zones.create(name, { name: `${name}.test.`, kind: "Native", nameservers: ["ns.test."] });
  await zones.ready(name);
};
const addresses = (name: string, ...all: readonly string[]): JsonObject => ({
  name,
  type: "A",
  ttl: 60,
  records: all.map((content) => ({ content })),
});

describe("a record set", () => {
  it("waits for its zone, and is there as soon as the zone is", async () => {
    await records.create("early", addresses("www.late.test.", "10.0.0.1"), {
      parent: { name: "late" },
    });
    await records.says("early", "Ready", "Waiting");
    await zone("late");
    await records.ready("early");
    assert.deepEqual(await contents("late", "www.late.test."), ["10.0.0.1"]);
  });

  it("is made, changed and removed by commands, and its neighbours stay", async () => {
    await zone("cmd");
    const parent = { parent: { name: "cmd" } };
    await records.create("one", addresses("one.cmd.test.", "10.0.0.2", "10.0.0.1"), parent);
    await records.create("two", addresses("two.cmd.test.", "10.0.0.9"), parent);
    await records.ready("one");
    await records.ready("two");
    await records.patch("one", { spec: { records: [{ content: "10.0.0.3" }], ttl: 120 } });
    await records.ready("one");
    assert.deepEqual(await contents("cmd", "one.cmd.test."), ["10.0.0.3"]);
    await records.delete("one");
    await records.gone("one");
    assert.equal(await contents("cmd", "one.cmd.test."), undefined);
    assert.deepEqual(await contents("cmd", "two.cmd.test."), ["10.0.0.9"]);
    const types = (await recordSets("cmd")).map(({ type }) => type).sort();
    assert.deepEqual(types, ["A", "NS", "SOA"]);
    // Of two writes that meet, its database may refuse one, which then is sent again.
    const carriedOut = rig.proxy.done(ofZone("cmd"));
    const commands = (bodiesOf(carriedOut) as unknown as readonly Commands[]).flatMap(
      ({ rrsets }) => rrsets.map(({ changetype, name }) => `${changetype} ${name}`),
    );
    assert.deepEqual(commands.sort(), [
      "DELETE one.cmd.test.",
      "REPLACE one.cmd.test.",
      "REPLACE one.cmd.test.",
      "REPLACE two.cmd.test.",
    ]);
  });

  it("is not written again though the service sorts and fills in, and is put right", async () => {
    await zone("sort");
    const spec = addresses("www.sort.test.", "10.0.0.2", "10.0.0.1");
    await records.create("sorted", spec, { parent: { name: "sort" } });
    await records.ready("sorted");
    const written = rig.proxy.writes(ofZone("sort")).length;
    for (let round = 0; round < 3; round++) await records.reconcile("sorted");
    assert.equal(rig.proxy.writes(ofZone("sort")).length, written);
    const change = { ...addresses("www.sort.test.", "10.9.9.9"), changetype: "REPLACE" };
    const path = `${powerDnsServer}/zones/sort.test.`;
    const changed = await rig.service.ask("PATCH", path, {
      rrsets: [{ ...change, records: [{ content: "10.9.9.9", disabled: false }] }],
    });
    assert.equal(changed.status, 204, changed.text);
    await records.reconcile("sorted");
    await records.ready("sorted");
    assert.ok((await contents("sort", "www.sort.test."))?.includes("10.0.0.1"));
  });

  it("that the service refuses tells why, and its zone stays ready", async () => {
    await zone("bad");
    await records.create("bad", addresses("www.bad.test.", "10.0.0.400"), {
      parent: { name: "bad" },
    });
    const one = await records.until("bad", "refused", (each) => {
      return condition(each, "Synced")?.reason === "UnprocessableEntity";
    });
    assert.match(condition(one, "Synced")?.message ?? "", /unable to parse IP address/);
    await zones.reconcile("bad");
    await zones.ready("bad");
  });

  it("whose zone is gone can still go", async () => {
    await zone("orphan");
    await records.create("orphan", addresses("www.orphan.test.", "10.0.0.1"), {
      parent: { name: "orphan" },
    });
    await records.ready("orphan");
    const gone = await rig.service.ask("DELETE", `${powerDnsServer}/zones/orphan.test.`);
    assert.equal(gone.status, 204, gone.text);
    await zones.delete("orphan");
    await zones.gone("orphan");
    await records.delete("orphan");
    await records.gone("orphan");
  });
});

describe("a secret", () => {
  const words = { first: Buffer.from("first word").toString("base64"), second: "c2Vjb25k" };
  const secret = (value: string): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "tsig", namespace: "default" },
    stringData: { word: value },
  });
  const shown = async (): Promise<string> => {
    const events = await rig.server.ask("/api/v1/namespaces/default/events");
    const all = await rig.server.ask(keys.path());
    return `${all.body.toString()}${events.body.toString()}${rig.server.log()}`;
  };
  const stored = async (): Promise<unknown> => {
    const { json } = await rig.service.ask("GET", `${powerDnsServer}/tsigkeys/shared.`);
    return (json as JsonObject)["key"];
  };

  it("is sent from its Secret and shown nowhere, also when the service shows it", async () => {
    await applyDocument(rig.server, secret(words.first));
    await keys.create(
      "shared",
      { name: "shared", algorithm: "hmac-sha256" },
      { secrets: [{ field: "/key", secret: "tsig", key: "word" }] },
    );
    const one = await keys.ready("shared");
    assert.equal(await stored(), words.first);
    assert.equal(one.status?.connect?.id, "shared.");
    const written = rig.proxy.writes({ path: /tsigkeys/ }).length;
    for (let round = 0; round < 3; round++) await keys.reconcile("shared");
    assert.equal(rig.proxy.writes({ path: /tsigkeys/ }).length, written);
    assert.equal((await shown()).includes(words.first), false);
  });

  it("that changes is sent once", async () => {
    const written = rig.proxy.done({ path: /tsigkeys/ }).length;
    await applyDocument(rig.server, secret(words.second));
    await keys.until("shared", "given the new word", () => {
      return rig.proxy.done({ path: /tsigkeys/ }).length > written;
    });
    await keys.reconcile("shared");
    assert.equal(await stored(), words.second);
    assert.equal(rig.proxy.done({ path: /tsigkeys/ }).length, written + 1);
    const all = await shown();
    for (const word of Object.values(words)) assert.equal(all.includes(word), false);
  });

  it("that is missing is waited for, and nothing is made without it", async () => {
    await keys.create(
      "later",
      { name: "later", algorithm: "hmac-sha256" },
      { secrets: [{ field: "/key", secret: "not-yet", key: "word" }] },
    );
    await keys.says("later", "Ready", "Waiting");
    const { status } = await rig.service.ask("GET", `${powerDnsServer}/tsigkeys/later.`);
    assert.equal(status, 404);
    await applyDocument(rig.server, {
      ...secret("bGF0ZXI="),
      metadata: { name: "not-yet", namespace: "default" },
    });
    await keys.ready("later");
  });
});

describe("a key that the service numbers", () => {
  const numbers = async (name: string): Promise<readonly unknown[]> => {
    const path = `${powerDnsServer}/zones/${name}.test./cryptokeys`;
    const { json } = await rig.service.ask("GET", path);
    return (json as readonly JsonObject[]).map(({ id }) => id);
  };

  it("is known by its number, called otherwise there, changed and deleted", async () => {
    await zone("num");
    const spec = { keytype: "csk", algorithm: "ecdsa256", active: true };
    await cryptoKeys.create("num", spec, { parent: { name: "num" } });
    const one = await cryptoKeys.ready("num");
    const [number] = await numbers("num");
    assert.equal(String(one.status?.connect?.id), String(number));
    assert.equal(one.status?.observed?.["algorithm"], "ECDSAP256SHA256");
    const written = rig.proxy.writes({ path: /num\.test\.\/cryptokeys/ }).length;
    for (let round = 0; round < 3; round++) await cryptoKeys.reconcile("num");
    assert.equal(rig.proxy.writes({ path: /num\.test\.\/cryptokeys/ }).length, written);
    await cryptoKeys.patch("num", { spec: { active: false } });
    await cryptoKeys.ready("num");
    assert.equal((await cryptoKeys.present("num")).status?.observed?.["active"], false);
    await cryptoKeys.delete("num");
    await cryptoKeys.gone("num");
    assert.deepEqual(await numbers("num"), []);
  });
});
