// Silences of a real Alertmanager, whose habits are unlike those of other services: their ids are
// answered under another name than they are shown with, they are changed by being sent again, when
// they may get another id, and they are never gone but expired. Each test tells its own silences by
// their comments, so that none waits for the others.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { alertmanagerBase, startAlertmanager } from "../peers/alertmanager.ts";
import type { Seen } from "../peers/fault-proxy.ts";
import { condition } from "../peers/resources.ts";
import { bodiesOf, Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { about, allSilences, apiVersion, isAlive, silence, silenceKinds } from "./silence-kinds.ts";
import type { Silence } from "./silence-kinds.ts";

let rig: Rig;
const silences = new Resources(() => rig.server, { apiVersion, kind: "Silence" });

before(async () => {
  rig = await startRig(startAlertmanager, async ({ url }) => await silenceKinds({ url }));
});
afterEach(() => rig.proxy.clear());
after(async () => await rig?.[Symbol.asyncDispose]());

const all = async (comment: string): Promise<readonly Silence[]> =>
  await allSilences(rig.service, comment);
const alive = async (comment: string): Promise<readonly Silence[]> =>
  (await all(comment)).filter(isAlive);
const onlyOne = async (comment: string): Promise<Silence> => {
  const [only, ...more] = await alive(comment);
  assert.ok(only, `there is no ${comment}`);
  assert.deepEqual(more, []);
  return only;
};
/** What somebody else sends to the service; the id of the silence by then. */
const send = async (given: JsonObject): Promise<string> => {
  const { status, json, text } = await rig.service.ask(
    "POST",
    `${alertmanagerBase}/silences`,
    given,
  );
  assert.equal(status, 200, text);
  return (json as { readonly silenceID: string }).silenceID;
};
const expire = async (id: string): Promise<void> => {
  const { status, text } = await rig.service.ask("DELETE", `${alertmanagerBase}/silence/${id}`);
  assert.equal(status, 200, text);
};
const shown = async (id: string): Promise<Silence> => {
  const { json } = await rig.service.ask("GET", `${alertmanagerBase}/silence/${id}`);
  return json as Silence;
};
/** Writes that the service carried out, about the silence whose comment begins so. */
const sent = (comment: string): readonly Seen[] =>
  rig.proxy.done({ method: "POST", body: `"comment":"${comment}` });
const ended = (id: string | undefined): readonly Seen[] =>
  rig.proxy.writes({ method: "DELETE", path: `/silence/${id}` });
const made = async (name: string, more: JsonObject = {}, connect?: JsonObject): Promise<string> => {
  await silences.create(name, silence(name, more), connect);
  const { status } = await silences.ready(name);
  return status?.connect?.id ?? "";
};

describe("a silence", () => {
  it("is made, known by the id that the service gave it, and left in peace", async () => {
    const id = await made("made");
    assert.equal((await onlyOne("made")).id, id);
    const written = sent("made").length;
    for (let round = 0; round < 3; round++) await silences.reconcile("made");
    assert.equal(sent("made").length, written);
  });

  it("is changed in its place, or followed under the id that the change gives it", async () => {
    const old = await made("changed");
    await silences.patch("changed", { spec: { comment: "changed once" } });
    await silences.ready("changed");
    assert.equal((await onlyOne("changed")).comment, "changed once");
    await silences.patch("changed", { spec: { matchers: about("another") } });
    const now = await silences.ready("changed");
    assert.notEqual(now.status?.connect?.id, old);
    assert.equal((await onlyOne("changed")).id, now.status?.connect?.id);
    await silences.reconcile("changed");
    assert.equal((await alive("changed")).length, 1);
  });

  it("that expired is as good as gone", async () => {
    const id = await made("gone");
    await silences.delete("gone");
    await silences.gone("gone");
    const [only, ...more] = await all("gone");
    assert.deepEqual(more, []);
    assert.equal(only?.id, id);
    assert.equal(only.status.state, "expired");
  });

  it("whose creation was not answered is found by looking, and made once", async () => {
    const body = '"comment":"lost"';
    const rule = rig.proxy.on({ method: "POST", path: "/silences", body }, { kind: "lose" }, 1);
    await silences.create("lost", silence("lost"));
    await rule.hit();
    const one = await silences.ready("lost");
    const found = await all("lost");
    assert.equal(found.length, 1);
    assert.equal(one.status?.connect?.id, found[0]?.id);
  });

  it("that the service refuses tells why", async () => {
    await silences.create("refused", silence("refused", { endsAt: "2000-01-01T00:00:00Z" }));
    const one = await silences.until("refused", "refused", (each) => {
      return condition(each, "Synced")?.status === "False";
    });
    assert.match(condition(one, "Synced")?.message ?? "", /end/i);
    assert.deepEqual(await all("refused"), []);
  });
});

describe("a field of a silence", { concurrency: true }, () => {
  it("that may be written is written in one request, with the rest as it was", async () => {
    const id = await made("written");
    const endsAt = "2990-01-01T00:00:00.000Z";
    await silences.patch("written", { spec: { endsAt } });
    const one = await silences.ready("written");
    const now = await onlyOne("written");
    assert.equal(now.id, id);
    assert.equal(Date.parse(now.endsAt), Date.parse(endsAt));
    const [body] = bodiesOf(sent("written").slice(-1)) as readonly JsonObject[];
    // What only an update takes is sent with it, and what only the service sets is not.
    assert.equal(body?.["id"], id);
    for (const field of ["status", "updatedAt"]) assert.equal(field in (body ?? {}), false);
    assert.match(JSON.stringify(one.status?.connect?.lastWrite), /\/endsAt/);
    assert.equal(one.status?.observed?.["updatedAt"] === undefined, false);
  });

  it("that is fixed at the creation cannot be changed, and the refusal shows both", async () => {
    await made("fixed");
    const refused = await silences.tryPatch("fixed", { spec: { createdBy: "somebody" } });
    assert.equal(refused.status, 422, refused.text);
    for (const part of [/createdBy/, /tests/, /somebody/]) assert.match(refused.text, part);
    assert.equal((await onlyOne("fixed")).createdBy, "tests");
  });

  it("that is fixed at the creation makes the silence anew where that is wanted", async () => {
    const old = await made("anew", {}, { replace: ["/createdBy"] });
    await silences.patch("anew", { spec: { createdBy: "somebody" } });
    const one = await silences.ready("anew");
    const now = await onlyOne("anew");
    assert.deepEqual([now.id, now.createdBy], [one.status?.connect?.id, "somebody"]);
    assert.equal((await shown(old)).status.state, "expired");
  });

  it("that only the service sets is no field of the spec, and is shown", async () => {
    await made("server-set");
    const status = { state: "expired" };
    const told = await silences.tryPatch("server-set", { spec: { status } });
    assert.equal((await silences.present("server-set")).spec["status"], undefined, told.text);
    const one = await silences.reconcile("server-set");
    assert.deepEqual(one.status?.observed?.["status"], { state: "pending" });
    assert.equal(sent("server-set").length, 1);
  });

  it("that is left to the service is set at the creation, and then its own", async () => {
    // A silence that begins now, which the service says more precisely.
    const startsAt = "2020-01-01T00:00:00Z";
    const id = await made("left", { startsAt }, { leave: ["/startsAt"] });
    const begun = await onlyOne("left");
    assert.equal(begun.status.state, "active");
    await silences.patch("left", { spec: { comment: "left alone" } });
    await silences.ready("left");
    const now = await onlyOne("left");
    assert.deepEqual([now.id, now.startsAt], [id, begun.startsAt]);
    assert.equal(now.comment, "left alone");
    await silences.reconcile("left");
    assert.equal(sent("left").length, 2);
  });

  it("of which the service makes something else is told, and not sent for ever", async () => {
    await silences.create("late", silence("late", { startsAt: "2020-01-01T00:00:00Z" }));
    const one = await silences.says("late", "Synced", "NotConverged");
    assert.match(condition(one, "Synced")?.message ?? "", /\/startsAt/);
    const written = sent("late").length;
    await silences.reconcile("late");
    assert.equal(sent("late").length, written);
    assert.equal((await onlyOne("late")).id, one.status?.connect?.id);
  });
});

describe("a silence that somebody changed", { concurrency: true }, () => {
  it("is put right, and tells what was changed", async () => {
    const id = await made("drifted");
    await send({ ...(await silences.present("drifted")).spec, id, comment: "drifted off" });
    const one = await silences.reconcile("drifted");
    const now = await onlyOne("drifted");
    assert.deepEqual([now.id, now.comment], [id, "drifted"]);
    const told = JSON.stringify(one.status?.connect?.lastWrite);
    for (const part of [/\/comment/, /drift/]) assert.match(told, part);
  });

  it("is left as it is where that is wanted, and tells so", async () => {
    const id = await made("reported", {}, { drift: "report" });
    await send({ ...(await silences.present("reported")).spec, id, comment: "reported off" });
    const one = await silences.reconcile("reported");
    assert.equal((await onlyOne("reported")).comment, "reported off");
    assert.match(JSON.stringify(one.status?.connect?.drift), /\/comment/);
    assert.equal(condition(one, "Ready")?.reason, "Drifted");
    // What is wanted is still brought there, and what others changed is still theirs.
    await silences.patch("reported", { spec: { endsAt: "2990-01-01T00:00:00Z" } });
    await silences.ready("reported");
    const now = await onlyOne("reported");
    assert.deepEqual([now.comment, now.endsAt.slice(0, 4)], ["reported off", "2990"]);
  });

  it("so that it got another id is made again, and theirs is theirs", async () => {
    const id = await made("renamed");
    const spec = silence("renamed by them", { matchers: about("theirs"), createdBy: "them" });
    const theirs = await send({ ...spec, id });
    assert.notEqual(theirs, id);
    await silences.reconcile("renamed");
    const one = await silences.ready("renamed");
    const now = await alive("renamed");
    assert.deepEqual(
      now.map((each) => each.id).toSorted(),
      [theirs, one.status?.connect?.id ?? ""].toSorted(),
    );
    assert.equal((await shown(theirs)).comment, "renamed by them");
  });

  it("by ending it is mended by making it again", async () => {
    const id = await made("again");
    await expire(id);
    await silences.reconcile("again");
    const one = await silences.ready("again");
    const now = await onlyOne("again");
    assert.notEqual(now.id, id);
    assert.equal(now.id, one.status?.connect?.id);
  });

  it("by ending it is only told of where that is wanted", async () => {
    const id = await made("missed", {}, { drift: "report" });
    await expire(id);
    await silences.reconcile("missed");
    const one = await silences.says("missed", "Synced", "ObjectGone");
    assert.equal(condition(one, "Ready")?.status, "False");
    assert.deepEqual(await alive("missed"), []);
    await silences.delete("missed");
    await silences.gone("missed");
  });
});

describe("a silence that exists already", { concurrency: true }, () => {
  it("is adopted by its id, written only where it differs, and kept at the end", async () => {
    const id = await send(silence("adopted"));
    // As `setpoint connect import-object` would print it.
    const { startsAt, endsAt, matchers } = await shown(id);
    await silences.create("adopted", silence("adopted", { startsAt, endsAt, matchers }), { id });
    const one = await silences.ready("adopted");
    await silences.reconcile("adopted");
    assert.equal(one.status?.connect?.id, id);
    assert.deepEqual(sent("adopted"), []);
    await silences.patch("adopted", { spec: { comment: "adopted now" } });
    await silences.ready("adopted");
    assert.deepEqual(
      (await all("adopted")).map((each) => [each.id, each.comment]),
      [[id, "adopted now"]],
    );
    await silences.delete("adopted");
    await silences.gone("adopted");
    assert.equal((await onlyOne("adopted")).id, id);
    assert.deepEqual(ended(id), []);
  });

  it("is followed when it was adopted and gets another id by a change", async () => {
    const id = await send(silence("followed"));
    await silences.create("followed", silence("followed"), { id });
    await silences.ready("followed");
    await silences.patch("followed", { spec: { matchers: about("another") } });
    const one = await silences.ready("followed");
    const now = await onlyOne("followed");
    assert.notEqual(now.id, id);
    assert.equal(now.id, one.status?.connect?.id);
  });

  it("is never made where its id leads to none, or to one that has expired", async () => {
    const old = await send(silence("absent"));
    await expire(old);
    const unknown = "00000000-0000-4000-8000-000000000000";
    for (const [index, id] of [old, unknown].entries()) {
      const name = `absent-${index}`;
      await silences.create(name, silence(name), { id });
      await silences.says(name, "Synced", "ImportNotFound");
      await silences.delete(name);
      await silences.gone(name);
    }
    assert.deepEqual(await alive("absent"), []);
  });

  it("is only looked at, and stays when its resource goes", async () => {
    const id = await send(silence("seen"));
    const other = silence("seen", { comment: "seen otherwise" });
    await silences.create("seen", other, { id, manage: "observe" });
    const one = await silences.until("seen", "seen", ({ status }) => {
      return status?.observed !== undefined;
    });
    assert.equal(one.status?.observed?.["comment"], "seen");
    await silences.reconcile("seen");
    await silences.delete("seen");
    await silences.gone("seen");
    assert.equal((await onlyOne("seen")).comment, "seen");
    assert.deepEqual([...sent("seen"), ...ended(id)], []);
  });
});

describe("the end of a silence", { concurrency: true }, () => {
  it("that somebody else brought about is enough", async () => {
    const id = await made("quicker");
    await expire(id);
    await silences.delete("quicker");
    await silences.gone("quicker");
    assert.deepEqual(await alive("quicker"), []);
    assert.deepEqual(ended(id), []);
  });

  it("is left to its time where it is to be kept", async () => {
    const id = await made("kept", {}, { manage: "keep" });
    await silences.delete("kept");
    await silences.gone("kept");
    assert.equal((await onlyOne("kept")).id, id);
    assert.deepEqual(ended(id), []);
  });
});

describe("an Alertmanager that is killed", () => {
  it("and forgets its silences gets them again", async () => {
    // It writes its silences to disk now and then, and when it is asked to end.
    await made("forgotten");
    await rig.service.kill9();
    await rig.service.start();
    await silences.reconcile("forgotten");
    const one = await silences.ready("forgotten");
    assert.equal((await onlyOne("forgotten")).id, one.status?.connect?.id);
  });
});
