// Actions through the Resource Manager surface of a real server: those that answer at once, and
// those that take their time, which are changes of what is wanted and carried out by the engine.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, onEachStore, oven, ovens, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { operations, userWith } from "./users.ts";

const records = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;
const limit = { limitMs: 120_000 };

let server: ArmServer;

function act(name: string, action: string, body?: object): Promise<Reply> {
  return server.request("POST", `${ovens}/${name}/${action}?${version}`, body);
}

/** Where the answer tells to look, on the server that gave it. */
function pathIn(reply: Pick<Reply, "headers">, header: string): string {
  const url = String(reply.headers[header]);
  assert.ok(url.startsWith(`${server.url}/`), url);
  return url.slice(server.url.length);
}

/** The answer of the Location once it is no longer 202. */
async function resultOf(reply: Reply): Promise<Reply> {
  const path = pathIn(reply, "location");
  let last = await server.request("GET", path);
  await waitUntil(
    "the result",
    async () => {
      last = await server.request("GET", path);
      return last.status !== 202;
    },
    limit,
  );
  return last;
}

async function recordOf(reply: Reply): Promise<Reply> {
  const id = /operationsStatus\/([0-9a-f-]{36})/.exec(pathIn(reply, "azure-asyncoperation"))?.[1];
  return await server.request("GET", `${records}/${id}`);
}

onEachStore("an action", (started) => {
  before(() => {
    server = started();
  });

  it("that takes its time is answered with 202, and with its own answer in the end", async () => {
    await server.made("washed");
    const begun = await act("washed", "clean", { minutes: 5, how: "held", soap: "Lemon7" });
    assert.equal(begun.status, 202, begun.text);
    assert.equal(begun.text, "");
    assert.equal(begun.headers["retry-after"], "10");
    const status = pathIn(begun, "azure-asyncoperation");
    await waitUntil(
      "progress",
      async () => pick((await server.request("GET", status)).json, "percentComplete") === 50,
      limit,
    );
    const polled = await server.request("GET", status);
    assert.equal(pick(polled.json, "status"), "InProgress");
    const pending = await server.request("GET", pathIn(begun, "location"));
    assert.equal(pending.status, 202);
    assert.equal(pathIn(pending, "location"), pathIn(begun, "location"));
    const shown = await server.get("washed");
    assert.equal(pick(shown.json, "properties.provisioningState"), "Updating");
    assert.equal(pick(shown.json, "properties.cleaning"), undefined, "it is of no api-version");

    await server.letGo("washed");
    const result = await resultOf(begun);
    assert.equal(result.status, 200, result.text);
    assert.equal(result.headers["cache-control"], "no-store");
    const id = pickText((await recordOf(begun)).json, "metadata.name");
    assert.deepEqual(result.json, { cleaned: id, minutes: 5, how: "held", soap: "Lemon7" });
    const ended = await server.request("GET", status);
    assert.equal(pick(ended.json, "status"), "Succeeded");
    assert.equal(pick(ended.json, "percentComplete"), 100);
    const after = await server.get("washed");
    assert.equal(pick(after.json, "properties.provisioningState"), "Succeeded");
  });

  it("is recorded in the commit of what it changes, with what it was given sealed", async () => {
    await server.made("noted");
    const begun = await act("noted", "clean", { minutes: 7, soap: "Sesame-42-Secret" });
    assert.equal(begun.status, 202, begun.text);
    const record = await recordOf(begun);
    assert.equal(pick(record.json, "spec.verb"), "action");
    assert.equal(pick(record.json, "spec.action"), "clean");
    assert.equal(pick(record.json, "spec.resourceId"), `${ovens}/noted`);
    assert.equal(pick(record.json, "spec.input"), undefined, "kubectl does not show it");
    assert.equal(
      pick(await server.stored("noted"), "spec.cleaning.id"),
      pick(record.json, "metadata.name"),
    );
    assert.equal(pick((await resultOf(begun)).json, "soap"), "Sesame-42-Secret");
    const folder = dirname(server.kubeconfig);
    for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = await readFile(join(file.parentPath, file.name));
      assert.ok(!bytes.includes("Sesame-42-Secret"), file.name);
    }
  });

  it("that fails tells why, and can be followed by another", async () => {
    await server.made("hot");
    const begun = await act("hot", "clean", { minutes: 1, how: "badly" });
    assert.equal(begun.status, 202, begun.text);
    const result = await resultOf(begun);
    assert.equal(result.status, 409, result.text);
    assert.deepEqual(pick(result.json, "error"), {
      code: "OvenTooHot",
      message: "the oven is too hot",
    });
    const status = await server.request("GET", pathIn(begun, "azure-asyncoperation"));
    assert.equal(status.status, 200);
    assert.equal(pick(status.json, "status"), "Failed");
    assert.equal(pick(status.json, "error.code"), "OvenTooHot");
    const again = await act("hot", "clean", { minutes: 1 });
    assert.equal(again.status, 202, again.text);
    assert.equal((await resultOf(again)).status, 200);
    const first = await server.request("GET", pathIn(begun, "azure-asyncoperation"));
    assert.equal(pick(first.json, "status"), "Failed", "its end is kept");
  });

  it("holds back other changes while it goes on, and is held back by them", async () => {
    await server.made("taken", { size: 1 });
    const begun = await act("taken", "clean", { minutes: 1, how: "held" });
    assert.equal(begun.status, 202, begun.text);
    for (const other of [
      await server.put("taken", { size: 2 }),
      await act("taken", "clean", { minutes: 1 }),
    ]) {
      assert.equal(other.status, 409, other.text);
      assert.equal(codeOf(other), "AnotherOperationInProgress");
    }
    assert.equal((await act("taken", "listCodes")).status, 200, "what only answers is let pass");
    const removed = await server.request("DELETE", oven("taken"));
    assert.equal(removed.status, 202, removed.text);
    const canceled = await server.request("GET", pathIn(begun, "azure-asyncoperation"));
    assert.equal(pick(canceled.json, "status"), "Canceled");
    await waitUntil("it to be gone", async () => (await server.get("taken")).status === 404, limit);
    assert.equal((await act("taken", "clean", { minutes: 1 })).status, 404);
  });

  it("that answers at once leaves a record that has ended, without what it showed", async () => {
    await server.made("coded", { secretCode: "Code-4711" });
    const headers = { "x-ms-client-request-id": "asked-once" };
    const path = `${ovens}/coded/LISTcodes?${version}`;
    const reply = await server.request("POST", path, undefined, headers);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.json, { secretCode: "Code-4711" });
    assert.equal(reply.headers["azure-asyncoperation"], undefined);
    const { json, text } = await server.request("GET", records);
    const record = pickList(json, "items").find(
      (item) => pick(item, "spec.clientRequestId") === "asked-once",
    );
    assert.equal(pick(record, "spec.verb"), "action");
    assert.equal(pick(record, "spec.action"), "listCodes");
    assert.equal(pick(record, "spec.requestId"), reply.headers["x-ms-request-id"]);
    assert.equal(pick(record, "status.state"), "Succeeded");
    assert.ok(!text.includes("Code-4711"));
  });

  it("is refused with all that is wrong with what it is given, and changes nothing", async () => {
    const made = await server.made("picky");
    const reply = await act("picky", "clean", { minutes: 0, how: "never", soap: 3 });
    assert.equal(reply.status, 400, reply.text);
    const details = pickList(reply.json, "error.details");
    assert.deepEqual(details.map((each) => pickText(each, "target")).sort(), [
      "how",
      "minutes",
      "soap",
    ]);
    const none = await act("picky", "clean");
    assert.equal(none.status, 400, none.text);
    assert.equal(pick(none.json, "error.target"), "minutes");
    assert.equal(codeOf(none), "MissingRequiredProperty");
    assert.equal((await server.get("picky")).headers.etag, made.headers.etag);
  });

  it("with nothing to say is answered with 204", async () => {
    await server.made("quiet");
    const reply = await act("quiet", "hush");
    assert.equal(reply.status, 204, reply.text);
    assert.equal(reply.text, "");
  });

  it("that there is none of is 404, and other methods than POST are 405", async () => {
    await server.made("plain");
    const unknown = await act("plain", "explode");
    assert.equal(unknown.status, 404, unknown.text);
    assert.equal(codeOf(unknown), "InvalidResourceType");
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const reply = await server.request(method, `${ovens}/plain/clean?${version}`, undefined);
      assert.equal(reply.status, 405, `${method}: ${reply.text}`);
      assert.equal(codeOf(reply), "MethodNotAllowed");
      assert.equal(reply.headers.allow, "POST");
    }
    assert.equal((await act("plain", "recipes")).status, 405, "it is a type");
    assert.equal((await act("nobody", "clean", { minutes: 1 })).status, 404);
  });

  it("shows its answer only to those who may perform it", async () => {
    await server.made("guarded");
    const begun = await act("guarded", "clean", { minutes: 1 });
    assert.equal((await resultOf(begun)).status, 200);
    const headers = await userWith(server, "watcher", [operations]);
    const ask = (header: string): Promise<Reply> =>
      server.request("GET", pathIn(begun, header), undefined, headers);
    assert.equal((await ask("azure-asyncoperation")).status, 200);
    assert.equal((await ask("location")).status, 403);
  });
});
