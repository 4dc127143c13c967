// A real service that returns values in another form than they were written, refuses to show what
// does not exist, explains its errors in details, puts objects into envelopes that the RestKind
// does not know, and has objects that no request changes.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { startQuirkyService } from "../peers/quirky-service.ts";
import type { QuirkyService } from "../peers/quirky-service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { apiVersion, definition } from "./powerdns-kinds.ts";
import { operations, quirkyBinding, text, unlistedOperations } from "./quirky-kinds.ts";
import { condition } from "../peers/resources.ts";
import { applyDocument, Resources } from "./rig.ts";
import type { Managed } from "./rig.ts";
import { thingsConnection } from "./things-kinds.ts";

const stack = new AsyncDisposableStack();
let service: QuirkyService;
let server: Setpoint;

const texts = { type: "array", items: text };
const schema = {
  type: "object",
  properties: { name: text, color: text, owner: text, groups: texts, password: text },
};
const { read, list, create, delete: remove } = operations;
const resyncSeconds = 3_600;
const refusals = { errors: [{ status: 403, is: "absent" }] };
const kinds: Readonly<Record<string, JsonObject>> = {
  owneds: {},
  wrappeds: {},
  fixeds: { operations: { read, list, create, delete: remove } },
  guardeds: refusals,
  hiddens: { ...refusals, operations: unlistedOperations },
};

before(async () => {
  const id = (object: JsonObject): string => textAt(object, "name");
  const owned = (object: JsonObject): JsonObject => ({
    ...object,
    owner: { id: 7, login: textAt(object, "owner") },
    groups: ((object["groups"] ?? []) as readonly string[]).map((name) => ({ name })),
    password: "**********",
  });
  service = stack.use(
    await startQuirkyService({
      owneds: { id, shows: owned },
      wrappeds: { id, shows: (object) => ({ data: { ...object, serial: 1 } }) },
      fixeds: { id },
      guardeds: { id, absentStatus: 403 },
      hiddens: { id, absentStatus: 403 },
    }),
  );
  server = stack.use(await startSetpoint());
  const spec = { baseUrl: service.url, timeoutSeconds: 15 };
  await applyDocument(server, thingsConnection("quirky", spec));
  for (const [plural, more] of Object.entries(kinds)) {
    const name = plural.slice(0, -1);
    await applyDocument(server, definition(`${name[0]?.toUpperCase()}${name.slice(1)}`, schema));
    await applyDocument(server, quirkyBinding(plural, { ...more, resyncSeconds }));
  }
});
after(async () => await stack.disposeAsync());

const of = (kind: string): Resources => new Resources(() => server, { apiVersion, kind });
const stored = (plural: string, name: string): JsonObject | undefined =>
  service.objects.get(plural)?.get(name);
const writes = (path: string): readonly string[] =>
  service.log.filter((line) => !line.startsWith("GET ") && line.includes(path));
const messageOf = (one: Managed): string => condition(one, "Synced")?.message ?? "";

describe("a name that comes back as an object, and a secret that comes back as a mask", () => {
  const owneds = of("Owned");
  const spec = { name: "a", owner: "ann", groups: ["ops", "dev"], password: "correct horse" };

  it("are written once, and sent again as they were written with another change", async () => {
    await owneds.create("a", spec);
    await owneds.ready("a");
    for (let run = 0; run < 3; run += 1) await owneds.reconcile("a");
    assert.deepEqual(writes("/owneds"), ["POST /owneds"]);
    await owneds.patch("a", { spec: { color: "red" } });
    const one = await owneds.ready("a");
    await owneds.reconcile("a");
    assert.deepEqual(writes("/owneds"), ["POST /owneds", "PUT /owneds/a"]);
    assert.deepEqual(stored("owneds", "a"), { ...spec, color: "red" });
    assert.equal(one.status?.connect?.drift, undefined);
  });

  it("are written again when another client changes them", async () => {
    service.objects.get("owneds")?.set("a", { ...spec, color: "red", owner: "bob" });
    await owneds.reconcile("a");
    assert.equal(stored("owneds", "a")?.["owner"], "ann");
  });
});

describe("a service that answers 403 for what does not exist", () => {
  it("has objects created and deleted where its list confirms that they do not exist", async () => {
    const guardeds = of("Guarded");
    await guardeds.create("a", { name: "a" });
    await guardeds.ready("a");
    service.objects.get("guardeds")?.clear();
    await guardeds.reconcile("a");
    await guardeds.ready("a");
    assert.ok(stored("guardeds", "a"));
    await guardeds.delete("a");
    await guardeds.gone("a");
    assert.equal(stored("guardeds", "a"), undefined);
  });

  it("has nothing created again nor reported as deleted by a refusal", async () => {
    const hiddens = of("Hidden");
    await hiddens.create("a", { name: "a" });
    await hiddens.ready("a");
    service.interfere = ({ path }) => (path === "/hiddens/a" ? { status: 403 } : undefined);
    await hiddens.reconcile("a");
    const refused = await hiddens.says("a", "Synced", "AbsenceUnconfirmed");
    assert.match(messageOf(refused), /403.*permissions/);
    await hiddens.delete("a");
    await hiddens.until("a", "held by the refusal", (one) =>
      /detach-on-delete/.test(messageOf(one)),
    );
    assert.deepEqual(writes("/hiddens").filter((line) => line.startsWith("POST")).length, 1);
    assert.ok(stored("hiddens", "a"));
    service.interfere = undefined;
    const annotations = { "setpoint.dev/reconcile": "allowed again" };
    await hiddens.patch("a", { metadata: { annotations } });
    await hiddens.gone("a");
    assert.equal(stored("hiddens", "a"), undefined);
  });
});

it("shows the details of an error of the service, without the values that it repeats", async () => {
  const fixeds = of("Fixed");
  const details = [
    { field: "color", message: "must be a known color", input: "a value that was sent" },
    { loc: ["body", "owner"], msg: "does not exist" },
  ];
  service.interfere = ({ method, path }) =>
    method === "POST" && path === "/fixeds"
      ? { status: 422, body: { message: "the request is invalid", details } }
      : undefined;
  await fixeds.create("wrong", { name: "wrong", color: "a value that was sent" });
  const refused = await fixeds.until("wrong", "refused", (one) => /422/.test(messageOf(one)));
  assert.match(messageOf(refused), /the request is invalid .*color: must be a known color/);
  assert.match(messageOf(refused), /body\.owner: does not exist/);
  assert.doesNotMatch(messageOf(refused), /a value that was sent/);
  service.interfere = undefined;
});

it("refuses to change an object that no request changes, and replaces it if allowed", async () => {
  const fixeds = of("Fixed");
  await fixeds.create("a", { name: "a", color: "red" });
  await fixeds.ready("a");
  const refused = await fixeds.tryPatch("a", { spec: { color: "blue" } });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /spec\.color.*cannot be changed after creation/);
  await fixeds.patch("a", { spec: { color: "blue" }, connect: { replace: ["/color"] } });
  await fixeds.until("a", "replaced", () => stored("fixeds", "a")?.["color"] === "blue");
  await fixeds.ready("a");
});

it("names the setting to correct where the object is in another envelope", async () => {
  const wrappeds = of("Wrapped");
  await wrappeds.create("a", { name: "a", color: "red" });
  const stopped = await wrappeds.says("a", "Synced", "UnexpectedAnswer");
  assert.match(messageOf(stopped), /operations\.read\.answer in the RestKind .*"\/data"/);
  assert.deepEqual(writes("/wrappeds"), ["POST /wrappeds"]);
  const enveloped = { ...operations, read: { ...read, answer: "/data" } };
  await applyDocument(server, quirkyBinding("wrappeds", { operations: enveloped, resyncSeconds }));
  await wrappeds.ready("a");
  assert.deepEqual(writes("/wrappeds"), ["POST /wrappeds"]);
});
