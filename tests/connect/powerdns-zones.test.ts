// Zones of a real PowerDNS, declared as resources: made, changed, watched over, adopted, let go and
// deleted. What was sent is read from the proxy between the two, so that what was not sent is
// proven, too.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { powerDnsServer, startPowerDns } from "../peers/powerdns.ts";
import type { Seen } from "../peers/fault-proxy.ts";
import { apiVersion, powerDnsConnection, zoneBinding, zoneKind } from "./powerdns-kinds.ts";
import { condition } from "../peers/resources.ts";
import { bodiesOf, Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

let rig: Rig;
const zones = new Resources(() => rig.server, { apiVersion, kind: "Zone" });

before(async () => {
  rig = await startRig(startPowerDns, ({ url }) => [
    ...powerDnsConnection({ url }),
    zoneKind,
    zoneBinding,
  ]);
});
after(async () => await rig?.[Symbol.asyncDispose]());

const at = (name: string): string => `${powerDnsServer}/zones/${name}`;
const native = (name: string, more: JsonObject = {}): JsonObject => ({
  name: `${name}.test.`,
  kind: "Native",
  ...more,
});
const live = async (name: string): Promise<JsonObject | undefined> => {
  const { status, json } = await rig.service.ask("GET", `${at(`${name}.test.`)}?rrsets=false`);
  return status === 404 ? undefined : (json as JsonObject);
};
const change = async (name: string, fields: JsonObject): Promise<void> => {
  const { status, text } = await rig.service.ask("PUT", at(`${name}.test.`), fields);
  assert.equal(status, 204, text);
};
const make = async (name: string, more: JsonObject = {}): Promise<void> => {
  const { status, text } = await rig.service.ask("POST", `${powerDnsServer}/zones`, {
    ...native(name),
    ...more,
  });
  assert.equal(status, 201, text);
};
/** About one zone: the creation names it in its body. */
const isAbout =
  (name: string) =>
  ({ path, body }: Seen): boolean =>
    path.includes(`/${name}.test.`) || body.includes(`${name}.test.`);
const writesOf = (name: string): readonly Seen[] => rig.proxy.writes().filter(isAbout(name));
/** What its database refuses at the moment is sent again, and counts as nothing. */
const doneTo = (name: string): readonly Seen[] => rig.proxy.done().filter(isAbout(name));

describe("a zone", () => {
  it("is made, and shows what the service says of it", async () => {
    await zones.create("made", native("made", { account: "us", nameservers: ["ns.made.test."] }));
    const one = await zones.ready("made");
    assert.equal((await live("made"))?.["account"], "us");
    assert.equal(one.status?.observed?.["url"], "/api/v1/servers/localhost/zones/made.test.");
    assert.equal(typeof one.status?.observed?.["serial"], "number");
    assert.equal(one.status?.connect?.id, "made.test.");
    assert.equal(one.status?.connect?.path, "/servers/localhost/zones/made.test.");
    assert.equal(one.status?.connect?.creating, undefined);
    assert.deepEqual(
      doneTo("made").map(({ method, status }) => `${method} ${status}`),
      ["POST 201"],
    );
    // What it does not show was sent all the same.
    const records = await rig.service.ask("GET", at("made.test."));
    assert.match(records.text, /ns\.made\.test\./);
  });

  it("is changed by one request, in which only what changed is different", async () => {
    await zones.create("changed", native("changed"));
    await zones.ready("changed");
    const old = await live("changed");
    await zones.patch("changed", { spec: { account: "them" } });
    const one = await zones.ready("changed");
    const now = await live("changed");
    // The service counts every change by itself.
    const { serial, edited_serial } = now ?? {};
    assert.deepEqual(now, { ...old, account: "them", serial, edited_serial });
    const [, ...changes] = doneTo("changed");
    assert.deepEqual(
      changes.map(({ method }) => method),
      ["PUT"],
    );
    const [body = {}] = bodiesOf(changes) as readonly JsonObject[];
    for (const field of ["id", "url", "serial", "nameservers"]) assert.equal(field in body, false);
    const told = JSON.stringify(one.status?.connect?.lastWrite);
    assert.match(told, /PUT/);
    assert.match(told, /\/account/);
  });

  it("is not written again while nothing changes, however often it is looked at", async () => {
    await zones.create(
      "still",
      native("still", { account: "us", soa_edit_api: "INCEPTION-INCREMENT" }),
    );
    await zones.ready("still");
    const written = writesOf("still").length;
    for (let round = 0; round < 4; round++) {
      const one = await zones.reconcile("still");
      assert.equal(condition(one, "Synced")?.status, "True");
    }
    assert.equal(writesOf("still").length, written);
  });

  it("that somebody changed is put right, and tells what was changed", async () => {
    await zones.create("drifted", native("drifted", { account: "us" }));
    await zones.ready("drifted");
    await change("drifted", { account: "them", soa_edit: "EPOCH" });
    const one = await zones.reconcile("drifted");
    const now = await live("drifted");
    assert.equal(now?.["account"], "us");
    // Nobody here ever said what it should be.
    assert.equal(now["soa_edit"], "EPOCH");
    const told = JSON.stringify(one.status?.connect?.lastWrite);
    assert.match(told, /\/account/);
    assert.match(told, /drift/);
    assert.doesNotMatch(told, /soa_edit/);
  });

  it("that somebody changed is left as it is where that is wanted, and tells so", async () => {
    await zones.create("reported", native("reported", { account: "us" }), { drift: "report" });
    await zones.ready("reported");
    await change("reported", { account: "them" });
    const one = await zones.reconcile("reported");
    assert.equal((await live("reported"))?.["account"], "them");
    assert.match(JSON.stringify(one.status?.connect?.drift), /\/account/);
    assert.equal(doneTo("reported").length, 1);
    // What is wanted is still brought there, and what others changed is still theirs.
    await zones.patch("reported", { spec: { api_rectify: true } });
    await zones.ready("reported");
    const now = await live("reported");
    assert.equal(now?.["api_rectify"], true);
    assert.equal(now["account"], "them");
  });

  it("leaves a field alone that somebody else owns, and sets it at the creation", async () => {
    await zones.create("left", native("left", { account: "us" }), { leave: ["/account"] });
    await zones.ready("left");
    assert.equal((await live("left"))?.["account"], "us");
    await change("left", { account: "autoscaler" });
    await zones.reconcile("left");
    await zones.patch("left", { spec: { account: "again", api_rectify: true } });
    await zones.ready("left");
    const now = await live("left");
    assert.equal(now?.["account"], "autoscaler");
    assert.equal(now["api_rectify"], true);
  });

  it("loses a list that is no longer wanted, though none is taken for unchanged", async () => {
    await zones.create("masters", {
      ...native("masters"),
      kind: "Slave",
      masters: ["10.0.0.1", "10.0.0.2"],
    });
    await zones.ready("masters");
    assert.deepEqual((await live("masters"))?.["masters"], ["10.0.0.1", "10.0.0.2"]);
    await zones.patch("masters", { spec: { masters: ["10.0.0.2"] } });
    await zones.ready("masters");
    assert.deepEqual((await live("masters"))?.["masters"], ["10.0.0.2"]);
    await zones.patch("masters", { spec: { masters: null } });
    await zones.until("masters", "without masters", ({ status }) => {
      const shown = status?.observed?.["masters"];
      return Array.isArray(shown) && shown.length === 0;
    });
    assert.deepEqual((await live("masters"))?.["masters"], []);
  });

  it("that the service quietly takes for another is told, and not sent for ever", async () => {
    await zones.create("wrong", native("wrong", { kind: "Wrong" }));
    const one = await zones.says("wrong", "Synced", "NotConverged");
    assert.match(condition(one, "Synced")?.message ?? "", /\/kind/);
    const written = doneTo("wrong").length;
    assert.ok(written <= 6, `${written} writes`);
    assert.equal((await live("wrong"))?.["kind"], "Native");
    await zones.patch("wrong", { spec: { kind: "Master" } });
    await zones.ready("wrong");
    assert.equal((await live("wrong"))?.["kind"], "Master");
  });

  it("that the service refuses tells why, and is made as soon as it is right", async () => {
    await zones.create("refused", { name: "refused.test", kind: "Native" });
    const refused = await zones.says("refused", "Synced", "UnprocessableEntity");
    assert.match(condition(refused, "Synced")?.message ?? "", /not canonical/);
    // Nothing was made yet, so what is fixed later can still be changed.
    await zones.patch("refused", { spec: { name: "refused.test." } });
    await zones.ready("refused");
  });

  it("cannot get another name once it exists, and the refusal shows both", async () => {
    await zones.create("fixed", native("fixed"));
    await zones.ready("fixed");
    const refused = await zones.tryPatch("fixed", { spec: { name: "other.test." } });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, /spec\.name/);
    assert.match(refused.text, /fixed\.test\./);
    assert.match(refused.text, /other\.test\./);
    const unknown = await zones.tryPatch("fixed", { spec: { acount: "us" } });
    assert.equal((await zones.present("fixed")).spec["acount"], undefined, unknown.text);
  });

  it("is made anew where a change of a fixed field says so", async () => {
    await zones.create("anew", native("anew"), { replace: ["/name"] });
    await zones.ready("anew");
    await zones.patch("anew", { spec: { name: "renewed.test." } });
    const one = await zones.until("anew", "made anew", ({ status }) => {
      return status?.connect?.id === "renewed.test.";
    });
    await zones.ready("anew");
    assert.equal(one.status?.connect?.path, "/servers/localhost/zones/renewed.test.");
    assert.equal(await live("anew"), undefined);
    assert.notEqual(await live("renewed"), undefined);
  });
});

describe("a zone that exists already", () => {
  it("is not touched unless that is wanted", async () => {
    await make("theirs", { account: "them" });
    await zones.create("theirs", native("theirs", { account: "us" }));
    await zones.says("theirs", "Synced", "AlreadyExists");
    assert.equal((await live("theirs"))?.["account"], "them");
    await zones.delete("theirs");
    await zones.gone("theirs");
    assert.equal((await live("theirs"))?.["account"], "them");
  });

  it("is taken over where that is wanted", async () => {
    await make("taken", { account: "them" });
    await zones.create("taken", native("taken", { account: "us" }), { adopt: "any" });
    await zones.ready("taken");
    assert.equal((await live("taken"))?.["account"], "us");
  });

  it("is adopted by its id, written only where it differs, and never made", async () => {
    await make("adopted", { account: "them" });
    const spec = native("adopted", { account: "them" });
    await zones.create("adopted", spec, { id: "adopted.test." });
    const one = await zones.ready("adopted");
    await zones.reconcile("adopted");
    assert.equal(one.status?.connect?.id, "adopted.test.");
    assert.deepEqual(writesOf("adopted"), []);

    await zones.create("absent", native("absent"), { id: "absent.test." });
    await zones.until("absent", "missed", (each) => condition(each, "Synced")?.status === "False");
    assert.equal(await live("absent"), undefined);
    assert.deepEqual(writesOf("absent"), []);
  });

  it("is only looked at, and stays when its resource goes", async () => {
    await make("seen", { account: "them" });
    await zones.create("seen", native("seen", { account: "us" }), {
      id: "seen.test.",
      manage: "observe",
    });
    const one = await zones.until("seen", "seen", ({ status }) => status?.observed !== undefined);
    assert.equal(one.status?.observed?.["account"], "them");
    await zones.reconcile("seen");
    await zones.delete("seen");
    await zones.gone("seen");
    assert.equal((await live("seen"))?.["account"], "them");
    assert.deepEqual(writesOf("seen"), []);
  });
});

describe("the end of a zone", () => {
  it("is a deletion there that is looked after, also when somebody was quicker", async () => {
    for (const name of ["ended", "quicker"]) {
      await zones.create(name, native(name));
      await zones.ready(name);
    }
    await zones.delete("ended");
    await zones.gone("ended");
    assert.equal(await live("ended"), undefined);
    const last = rig.proxy.requests({ path: "/ended.test." }).at(-1);
    assert.deepEqual([last?.method, last?.status], ["GET", 404]);
    const { status } = await rig.service.ask("DELETE", at("quicker.test."));
    assert.equal(status, 204);
    await zones.delete("quicker");
    await zones.gone("quicker");
  });

  it("leaves it there where it is to be kept", async () => {
    await zones.create("kept", native("kept"), { manage: "keep" });
    await zones.ready("kept");
    await zones.delete("kept");
    await zones.gone("kept");
    assert.notEqual(await live("kept"), undefined);
    assert.equal(doneTo("kept").length, 1);
  });

  it("that somebody else brought about is mended by making it again", async () => {
    await zones.create("again", native("again", { account: "us" }));
    await zones.ready("again");
    const { status, text } = await rig.service.ask("DELETE", at("again.test."));
    assert.equal(status, 204, text);
    await zones.reconcile("again");
    await zones.ready("again");
    assert.equal((await live("again"))?.["account"], "us");
  });

  it("waits while it is paused, and nothing else is done either", async () => {
    await zones.create("paused", native("paused", { account: "us" }));
    await zones.ready("paused");
    await zones.patch("paused", { metadata: { annotations: { "setpoint.dev/paused": "true" } } });
    await zones.patch("paused", { spec: { account: "them" } });
    await zones.delete("paused");
    await zones.until("paused", "paused", (one) =>
      (one.status?.conditions ?? []).some(({ reason }) => reason.includes("Paused")),
    );
    assert.equal((await live("paused"))?.["account"], "us");
    await zones.patch("paused", { metadata: { annotations: { "setpoint.dev/paused": null } } });
    await zones.gone("paused");
    assert.equal(await live("paused"), undefined);
  });
});
