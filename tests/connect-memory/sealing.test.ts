// A field that becomes secret, as after another import: its plain values leave the status and the
// history, and nothing is written to the service because of it.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import type { EraseRequest } from "../../src/store/erasure.ts";
import {
  bookOf,
  conditionOf,
  connectVersion,
  openMemoryConnect,
  plainBinding,
  thingsKind,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const text = { type: "string" };
const schema = { type: "object", properties: { name: text, color: text, password: text } };
const password = "word-before-the-rule";

async function makeSecret(connect: MemoryConnect): Promise<void> {
  const secret = { path: "/password", class: "writable", isSecret: true, from: "override" };
  const at = { apiVersion: connectVersion, kind: "RestKind", name: thingsKind };
  const fields = [...plainBinding.fields, secret] as unknown as Json;
  await connect.memory.patch(at, { spec: { fields } });
}

async function addRule(connect: MemoryConnect): Promise<void> {
  const apiVersion = "apiextensions.k8s.io/v1";
  const at = { apiVersion, kind: "CustomResourceDefinition", name: thingsKind };
  const found = await connect.memory.read(at);
  const versions = (objectAt(found, "spec")["versions"] ?? []) as readonly JsonObject[];
  const ruled = JSON.stringify(versions).replace(
    '"password":{"type":"string"}',
    '"password":{"type":"string","x-setpoint-field-rule":"secret"}',
  );
  await connect.memory.patch(at, { spec: { versions: JSON.parse(ruled) as Json } });
}

/** The store of these tests erases nothing itself: records what it is asked to erase, and when. */
function recordErasures({ memory }: MemoryConnect, failures = 0): readonly string[] {
  const asked: string[] = [];
  let left = failures;
  Object.defineProperty(memory.store, "erase", {
    value: async ({ key }: Extract<EraseRequest, { kind: "earlier" }>): Promise<number> => {
      const record = await memory.store.get(key);
      const status = JSON.stringify(decodeDocument(record?.body ?? Buffer.from("{}"), 1).status);
      asked.push(`${key.kind} ${key.name} ${status.includes(password) ? "plain" : "sealed"}`);
      if (left > 0) {
        left -= 1;
        throw new Error("the process ends");
      }
      return 1;
    },
  });
  return asked;
}

const erased = `${thingsKind} a sealed`;

it("leaves no plain value in the status, erases earlier states, and writes nothing", async () => {
  await using connect = await openMemoryConnect({ schema });
  const { service, pass } = connect;
  const asked = recordErasures(connect);
  await connect.make("a", { name: "a", color: "red", password });
  await pass();
  await connect.change("a", { spec: { color: "blue" } });
  await pass();
  assert.equal(textAt(bookOf(await connect.read("a")), "lastApplied", "password"), password);
  const written = writesOf(service).length;
  await addRule(connect);
  await makeSecret(connect);
  await pass(200_000);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "True Available");
  assert.match(textAt(bookOf(found), "lastApplied", "password"), /^hmac-sha256:/);
  assert.equal(bookOf(found)["sealing"], undefined);
  assert.ok(!JSON.stringify(found?.status).includes(password));
  assert.deepEqual(asked, [erased]);
  assert.equal(writesOf(service).length, written);
});

it("waits for the rule of the definition before it erases, and repeats a lost try", async () => {
  await using connect = await openMemoryConnect({ schema });
  const { service, pass } = connect;
  const asked = recordErasures(connect, 1);
  await connect.make("a", { name: "a", password });
  await pass();
  await makeSecret(connect);
  await pass(200_000);
  const waiting = await connect.read("a");
  assert.equal(objectAt(bookOf(waiting), "sealing")["waitsForRule"], true);
  assert.ok(!JSON.stringify(waiting?.status).includes(password));
  assert.deepEqual(asked, []);
  await connect.restart();
  await addRule(connect);
  await pass(400_000);
  await connect.restart();
  await pass(400_000);
  assert.equal(bookOf(await connect.read("a"))["sealing"], undefined);
  assert.deepEqual(asked, [erased, erased]);
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("keeps the history of resources whose fields were secret from the start", async () => {
  await using connect = await openMemoryConnect({ schema });
  const asked = recordErasures(connect);
  await addRule(connect);
  await makeSecret(connect);
  await connect.pass(200_000);
  await connect.make("a", { name: "a", color: "red", password });
  await connect.pass();
  await connect.change("a", { spec: { color: "blue", password: "another word" } });
  await connect.pass(200_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.deepEqual(asked, []);
});
