// A deletion has ended when everything inside is gone, too, and tells when it cannot end: what is
// inside goes first, what a resource made for its own use last.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, onEachStore, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

const patience = { limitMs: 120_000 };

let server: ArmServer;

function idOf(path: string, owner = subscription): string {
  return `/subscriptions/${owner}/resourceGroups/Loft/providers/Example.Attic/${path}`;
}

async function ask(method: string, id: string, body?: object): Promise<Reply> {
  return await server.request(method, `${id}?${version}`, body);
}

async function write(id: string, properties: object): Promise<Reply> {
  return await ask("PUT", id, { location: "westeurope", properties });
}

async function made(id: string, properties: object = {}): Promise<void> {
  const reply = await write(id, properties);
  assert.equal(reply.status, 201, reply.text);
  await shows(id, "Succeeded");
}

async function stateOf(id: string): Promise<unknown> {
  const { status, json } = await ask("GET", id);
  return status === 404 ? "gone" : pick(json, "properties.provisioningState");
}

async function shows(id: string, state: string): Promise<void> {
  await waitUntil(`${id} to be ${state}`, async () => (await stateOf(id)) === state, patience);
}

async function statusAt(deletion: Reply): Promise<unknown> {
  const path = String(deletion.headers["azure-asyncoperation"]).slice(server.url.length);
  const { status, json, text } = await server.request("GET", path);
  assert.equal(status, 200, text);
  return json;
}

async function ended(deletion: Reply): Promise<unknown> {
  assert.equal(deletion.status, 202, deletion.text);
  const find = async (): Promise<unknown> => {
    const json = await statusAt(deletion);
    return pick(json, "status") !== "InProgress" && json;
  };
  return await waitUntil("the operation to end", find, patience);
}

/** What is behind it, as kubectl shows it. */
async function storedAt(id: string): Promise<{ readonly path: string; readonly json: unknown }> {
  const [, owner] = /^\/subscriptions\/([^/]+)/.exec(id) ?? [];
  const plural = id.split("/").at(-2);
  const path = `/apis/attic.tests.dev/v1/namespaces/sub-${owner}/${plural}`;
  const { json } = await server.request("GET", path);
  const found = pickList(json, "items").find((item) => {
    const notes = pick(item, "metadata.annotations") as Readonly<Record<string, string>>;
    return notes["arm.setpoint.dev/envelope"]?.includes(`"id":"${id}"`) === true;
  });
  return { path: `${path}/${pickText(found, "metadata.name")}`, json: found };
}

async function patch(id: string, metadata: object): Promise<void> {
  const { path } = await storedAt(id);
  const reply = await server.request("PATCH", path, { metadata });
  assert.equal(reply.status, 200, reply.text);
}

/** And is tried at once. */
async function letGo(id: string): Promise<void> {
  await patch(id, { annotations: { "tests.dev/go": "true", "setpoint.dev/reconcile": "go" } });
}

onEachStore(
  "a deletion",
  (started) => {
    before(() => {
      server = started();
    });

    it("ends when all that is inside has gone, the innermost first", async () => {
      const folder = await mkdtemp(join(tmpdir(), "setpoint-arm-"));
      const log = join(folder, "log");
      const [chest, box] = [idOf("chests/slow"), idOf("chests/slow/boxes/one")];
      const toy = `${box}/toys/bear`;
      await made(chest, { log });
      await made(box, { log });
      await made(toy, { log, removal: "held" });
      const key = `${pickText((await storedAt(chest)).json, "metadata.name")}-key`;
      const keys = `/api/v1/namespaces/sub-${subscription}/configmaps`;
      const deletion = await ask("DELETE", chest);
      assert.equal(deletion.status, 202, deletion.text);
      for (const id of [chest, box, toy]) await shows(id, "Deleting");
      // Longer than any of the others would take.
      await delay(1_500);
      assert.equal(pick(await statusAt(deletion), "status"), "InProgress");
      for (const id of [chest, box, toy]) assert.equal(await stateOf(id), "Deleting");
      assert.equal(codeOf(await write(chest, {})), "AnotherOperationInProgress");
      assert.equal(codeOf(await write(`${chest}/boxes/two`, {})), "ParentResourceNotFound");
      assert.equal((await server.request("GET", `${keys}/${key}`)).status, 200);
      await letGo(toy);
      assert.equal(pick(await ended(deletion), "status"), "Succeeded");
      for (const id of [chest, box, toy]) assert.equal(await stateOf(id), "gone");
      assert.equal(await readFile(log, "utf8"), "Toy\nBox\nChest\n");
      await made(chest);
      const { json } = await ask("GET", `${chest}/boxes`);
      assert.deepEqual(pickList(json, "value"), []);
      await made(box);
      assert.equal(pick(await ended(await ask("DELETE", chest)), "status"), "Succeeded");
      await rm(folder, { recursive: true });
    });

    it("waits for what has nothing to be taken back, also where nobody blocks it", async () => {
      const [shelf, book] = [idOf("shelves/low"), idOf("shelves/low/books/red")];
      await made(shelf);
      await made(book);
      const { json } = await storedAt(book);
      const [owner] = pickList(pick(json, "metadata"), "ownerReferences") as readonly object[];
      // As a reference that somebody else has written.
      const ownerReferences = [{ ...owner, blockOwnerDeletion: false }];
      await patch(book, { ownerReferences, finalizers: ["tests.dev/hold"] });
      const deletion = await ask("DELETE", shelf);
      assert.equal(deletion.status, 202, deletion.text);
      await shows(book, "Deleting");
      await delay(500);
      assert.equal(await stateOf(shelf), "Deleting");
      await patch(book, { finalizers: null });
      assert.equal(pick(await ended(deletion), "status"), "Succeeded");
      assert.equal(await stateOf(book), "gone");
      await made(shelf);
      assert.equal(pick(await ended(await ask("DELETE", shelf)), "status"), "Succeeded");
    });

    it("that has no hope fails, is tried again, and is asked for anew", async () => {
      const id = idOf("chests/stuck/boxes/lid");
      await made(idOf("chests/stuck"));
      await made(id, { removal: "stuck" });
      const deletion = await ask("DELETE", id);
      const end = await ended(deletion);
      assert.equal(pick(end, "status"), "Failed");
      assert.deepEqual(pick(end, "error"), { code: "Stuck", message: "the lid is stuck" });
      assert.equal(await stateOf(id), "Failed");
      assert.equal(codeOf(await write(id, { removal: "quick" })), "RequestNotAllowed");
      const tags = await ask("PATCH", id, { tags: { a: "b" } });
      assert.equal(tags.status, 409, tags.text);
      const result = String(deletion.headers["location"]).slice(server.url.length);
      assert.equal(codeOf(await server.request("GET", result)), "Stuck");
      const again = await ask("DELETE", id);
      const [first, second] = [deletion, again].map(({ headers }) => headers["location"]);
      assert.notEqual(second, first);
      assert.equal(pick(await ended(again), "error.code"), "Stuck", "tried at once, and as before");
      await letGo(id);
      const last = await ask("DELETE", id);
      if (last.status !== 204) assert.equal(pick(await ended(last), "status"), "Succeeded");
      await shows(id, "gone");
      assert.deepEqual(await statusAt(deletion), end, "stays as it was told");
    });

    it("of what has something inside without hope fails for that, until it is gone", async () => {
      const [chest, toy] = [idOf("chests/around"), idOf("chests/around/boxes/one/toys/bear")];
      await made(chest);
      await made(idOf("chests/around/boxes/one"));
      await made(toy, { removal: "stuck" });
      const deletion = await ask("DELETE", chest);
      const end = await ended(deletion);
      assert.equal(pick(end, "status"), "Failed");
      const message = `'${toy}' could not be deleted: the lid is stuck`;
      assert.deepEqual(pick(end, "error"), { code: "Stuck", message });
      assert.equal(await stateOf(chest), "Failed");
      assert.equal(await stateOf(toy), "Failed");
      assert.equal(codeOf(await write(chest, {})), "RequestNotAllowed");
      const again = await ask("DELETE", chest);
      assert.equal(pick(await ended(again), "error.code"), "Stuck", "tried at once, and as before");
      await patch(toy, { annotations: { "tests.dev/go": "true" } });
      const last = await ask("DELETE", chest);
      assert.equal(pick(await ended(last), "status"), "Succeeded");
      assert.equal(await stateOf(toy), "gone");
      await made(chest);
      assert.deepEqual(await statusAt(deletion), end, "stays as it was told");
    });

    it("that fails and is tried again goes on, and tells why", async () => {
      const id = idOf("chests/late");
      await made(id, { removal: "late" });
      const deletion = await ask("DELETE", id);
      const hint = { code: "Later", message: "not now" };
      const told = await waitUntil(
        "the failure to be told",
        async () => {
          const json = await statusAt(deletion);
          return pick(json, "properties") !== undefined && json;
        },
        patience,
      );
      assert.equal(pick(told, "status"), "InProgress");
      assert.deepEqual(pick(told, "properties"), { lastError: hint });
      assert.equal(pick(told, "error"), undefined);
      assert.equal(await stateOf(id), "Deleting");
      await letGo(id);
      const end = await ended(deletion);
      assert.equal(pick(end, "status"), "Succeeded");
      assert.equal(pick(end, "properties"), undefined);
    });

    it("of a subscription takes what is inside first, and goes on while that fails", async () => {
      const folder = await mkdtemp(join(tmpdir(), "setpoint-arm-"));
      const log = join(folder, "log");
      const other = "99999999-2222-3333-4444-555555555555";
      const tell = async (state: string): Promise<void> => {
        const path = `/subscriptions/${other}?api-version=2.0`;
        assert.equal((await server.request("PUT", path, { state })).status, 200);
      };
      await tell("Registered");
      const [chest, box] = [idOf("chests/all", other), idOf("chests/all/boxes/one", other)];
      await made(chest, { log });
      await made(box, { log, removal: "stuck" });
      await tell("Deleted");
      await shows(box, "Failed");
      const told =
        /"reason":"DeletionRefused","message":"resources cannot be deleted: boxes\.[^"]*/;
      let subscriptionText = "";
      await waitUntil("the subscription to tell what cannot be deleted", async () => {
        const path = `/apis/arm.setpoint.dev/v1/subscriptions/${other}`;
        subscriptionText = (await server.request("GET", path)).text;
        return told.test(subscriptionText);
      });
      assert.match(subscriptionText, /one-[0-9a-f]{20}: [A-Z]\w+: /, "with the reason of it");
      assert.equal(await stateOf(chest), "Deleting");
      await tell("Registered");
      assert.equal((await write(chest, {})).status, 409, "it is not gone");
      await letGo(box);
      await shows(chest, "gone");
      assert.equal(await stateOf(box), "gone");
      assert.equal(await readFile(log, "utf8"), "Box\nChest\n");
      await made(chest);
      await made(box);
      await rm(folder, { recursive: true });
    });
  },
  ["attic"],
);
