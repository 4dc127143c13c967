// How operations and resources end: an operation once and in one way, a resource at once where
// nothing is left to take back, and the resources of a group in any order.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, onEachStore, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { goneAt, inGroup, jarIn, madeAt, patience, read, settledAt, storedOf } from "./pantry.ts";
import { write } from "./pantry.ts";

let server: ArmServer;

const kube = `/apis/pantry.tests.dev/v1/namespaces/sub-${subscription}`;

/** By other means than the surface. */
async function patch(plural: string, id: string, body: object): Promise<void> {
  const name = pickText(await storedOf(server, plural, id), "metadata.name");
  const reply = await server.request("PATCH", `${kube}/${plural}/${name}`, body);
  assert.equal(reply.status, 200, reply.text);
}

async function letGo(plural: string, id: string): Promise<void> {
  await patch(plural, id, { metadata: { annotations: { "tests.dev/go": "true" } } });
}

function pollOf(reply: Pick<Reply, "headers">): string {
  return String(reply.headers["azure-asyncoperation"]).slice(server.url.length);
}

async function ended(path: string): Promise<unknown> {
  return await waitUntil(
    "the operation to end",
    async () => {
      const { json } = await server.request("GET", path);
      return pick(json, "status") !== "InProgress" && json;
    },
    patience,
  );
}

interface Held {
  readonly metadata: { readonly finalizers?: readonly string[] };
}

async function remove(id: string): Promise<Reply> {
  return await server.request("DELETE", `${id}?${version}`);
}

onEachStore(
  "in the end",
  (started) => {
    before(() => {
      server = started();
    });

    it("an operation that took too long has failed, its resource may still succeed", async () => {
      const id = inGroup("Cellar", "cheeses/slow");
      const made = await write(server, id, { mode: "held" });
      assert.equal(made.status, 201, made.text);
      const end = await ended(pollOf(made));
      assert.equal(pick(end, "status"), "Failed");
      assert.equal(pick(end, "error.code"), "OperationTimedOut");
      assert.equal(pick((await read(server, id)).json, "properties.provisioningState"), "Failed");
      assert.equal(codeOf(await write(server, id, { size: 2 })), "RequestNotAllowed");
      await letGo("cheeses", id);
      await settledAt(server, id);
      assert.deepEqual((await server.request("GET", pollOf(made))).json, end);
      assert.equal((await write(server, id, { size: 2 })).status, 200);
      await settledAt(server, id);
    });

    it("an operation stays as it was told, whatever becomes of the resource", async () => {
      const [good, bad] = [jarIn("Cellar", "lasting"), jarIn("Cellar", "mended")];
      const made = await write(server, good, { size: 1 });
      const succeeded = await ended(pollOf(made));
      assert.equal(pick(succeeded, "status"), "Succeeded");
      await patch("jars", good, { spec: { mode: "held" } });
      await settledAt(server, good, "Updating");
      assert.deepEqual((await server.request("GET", pollOf(made))).json, succeeded);
      await madeAt(server, bad, { size: 1 });
      const broken = await write(server, bad, { mode: "broken" });
      const failed = await ended(pollOf(broken));
      assert.equal(pick(failed, "status"), "Failed");
      await patch("jars", bad, { spec: { mode: "quick" } });
      await settledAt(server, bad);
      assert.deepEqual((await server.request("GET", pollOf(broken))).json, failed);
    });

    it("an operation that has succeeded stays so, whoever hides it by other means", async () => {
      const id = jarIn("Cellar", "hidden");
      const made = await write(server, id, { size: 1 });
      const succeeded = await ended(pollOf(made));
      assert.equal(pick(succeeded, "status"), "Succeeded");
      const again = async (): Promise<unknown> => (await server.request("GET", pollOf(made))).json;
      const name = pickText(await storedOf(server, "jars", id), "metadata.name");
      const path = `${kube}/jars/${name}`;
      // A second run, a status that somebody takes back, and the end of the resource.
      await patch("jars", id, { metadata: { annotations: { "setpoint.dev/reconcile": "again" } } });
      assert.deepEqual(await again(), succeeded);
      await settledAt(server, id);
      assert.deepEqual(await again(), succeeded);
      const wiped = await server.request("PATCH", `${path}/status`, { status: null });
      assert.equal(wiped.status, 200, wiped.text);
      assert.deepEqual(await again(), succeeded);
      const removed = await server.request("DELETE", path);
      assert.equal(removed.status, 200, removed.text);
      assert.deepEqual(await again(), succeeded);
      await goneAt(server, id);
      assert.deepEqual(await again(), succeeded);
      assert.equal((await write(server, id, { size: 2 })).status, 201);
      assert.deepEqual(await again(), succeeded, "nor does one of the same name change it");
    });

    it("an operation that nobody asked for has ended, also when the resource goes on", async () => {
      const id = jarIn("Cellar", "unasked");
      const made = await write(server, id, { size: 1 });
      await settledAt(server, id);
      await patch("jars", id, { spec: { mode: "held" } });
      await settledAt(server, id, "Updating");
      const { json } = await server.request("GET", pollOf(made));
      assert.equal(pick(json, "status"), "Succeeded");
    });

    it("an operation shows its end with kubectl, though nobody asks for it again", async () => {
      const id = jarIn("Cellar", "recorded");
      const stateOf = async (poll: string): Promise<unknown> => {
        const name = new URL(poll, server.url).pathname.split("/").at(-1);
        const records = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;
        return pick((await server.request("GET", `${records}/${name}`)).json, "status.state");
      };
      const made = await write(server, id, { size: 1 });
      const recorded = async (poll: string, state: string): Promise<void> => {
        const isSo = async (): Promise<boolean> => (await stateOf(poll)) === state;
        await waitUntil(`${state} to be recorded`, isSo, patience);
      };
      await recorded(pollOf(made), "Succeeded");
      const broken = await write(server, id, { mode: "broken" });
      await recorded(pollOf(broken), "Failed");
      const removed = await remove(id);
      assert.equal(removed.status, 202, removed.text);
      await recorded(pollOf(removed), "Succeeded");
    });

    it("a DELETE is answered with 200 where nothing is to be taken back", async () => {
      const id = inGroup("Cellar", "stones/pebble");
      await madeAt(server, id);
      const removed = await remove(id);
      assert.equal(removed.status, 200, removed.text);
      assert.equal(removed.text, "");
      assert.equal((await read(server, id)).status, 404);
      assert.equal((await remove(id)).status, 204);
    });

    it("a DELETE before the first run is at once, and after its begin is not", async () => {
      const folder = await mkdtemp(join(tmpdir(), "setpoint-arm-"));
      const text = join(folder, "unplugged");
      const [running, waiting] = [inGroup("Cellar", "plugs/one"), inGroup("Cellar", "plugs/two")];
      assert.equal((await write(server, running, { text })).status, 201);
      await waitUntil(
        "the run to begin",
        async () => {
          const { metadata } = (await storedOf(server, "plugs", running)) as Held;
          return metadata.finalizers?.includes("setpoint.dev/reconciler");
        },
        patience,
      );
      // One runs at a time, so this one is not begun, and has nothing outside.
      assert.equal((await write(server, waiting, { text })).status, 201);
      const { metadata } = (await storedOf(server, "plugs", waiting)) as Held;
      assert.equal(metadata.finalizers, undefined);
      assert.equal((await remove(waiting)).status, 200);
      assert.equal((await read(server, waiting)).status, 404);
      assert.equal((await remove(running)).status, 202);
      const shown = await read(server, running);
      assert.equal(pick(shown.json, "properties.provisioningState"), "Deleting");
      await writeFile(text, "");
      await goneAt(server, running);
      await rm(folder, { recursive: true });
    });

    it("the resources of a group go in any order, and blocked ones when asked again", async () => {
      const insides = ["", "/labels/front", "/labels/front/words/one"];
      for (const [group, order] of [
        ["Down", insides],
        ["Up", insides.toReversed()],
      ] as const) {
        for (const name of ["a", "b"]) {
          for (const inside of insides) await madeAt(server, `${jarIn(group, name)}${inside}`);
        }
        const guarded = jarIn(group, "b");
        const protection = "setpoint.dev/deletion-protection";
        await patch("jars", guarded, { metadata: { annotations: { [protection]: "true" } } });
        for (const name of ["a", "b"]) {
          for (const inside of order) {
            const { status, text } = await remove(`${jarIn(group, name)}${inside}`);
            const isGuarded = name === "b" && inside === "";
            const isGood = isGuarded ? status === 409 : [200, 202, 204].includes(status);
            assert.ok(isGood, `${inside}: ${status} ${text}`);
            const said =
              /"ScopeLocked","message":"The Resource 'Example.Pantry\/jars\/b' is protect/;
            assert.equal(said.test(text), isGuarded, text);
          }
        }
        await goneAt(server, jarIn(group, "a"));
        assert.equal((await read(server, guarded)).status, 200);
        await patch("jars", guarded, { metadata: { annotations: { [protection]: null } } });
        const again = await remove(guarded);
        assert.ok(again.status === 202 || again.status === 200, again.text);
        await goneAt(server, guarded);
        const { json } = await server.request("GET", `${inGroup(group, "jars")}?${version}`);
        assert.deepEqual(pickList(json, "value"), []);
      }
    });

    it("systemData is that of the request, while it goes on and after refused ones", async () => {
      const id = jarIn("Cellar", "signed");
      const put = (by: string, properties: object): ReturnType<ArmServer["asManager"]> => {
        const told = { createdBy: by, lastModifiedBy: by, lastModifiedAt: "2026-05-05T00:00:00Z" };
        const headers = { "x-ms-arm-resource-system-data": JSON.stringify(told) };
        const body = { location: "westeurope", properties };
        return server.asManager("PUT", `${id}?${version}`, body, headers);
      };
      const made = await put("customer-1", { mode: "held" });
      assert.equal(made.status, 201, made.text);
      const systemData = pick(made.json, "systemData");
      assert.equal(pick(systemData, "createdBy"), "customer-1");
      assert.equal((await put("customer-2", { mode: "held", size: 2 })).status, 409);
      assert.equal((await put("customer-2", { size: 1_000 })).status, 400);
      const meanwhile = await read(server, id);
      assert.equal(pick(meanwhile.json, "properties.provisioningState"), "Creating");
      assert.deepEqual(pick(meanwhile.json, "systemData"), systemData);
      await letGo("jars", id);
      assert.deepEqual(pick((await settledAt(server, id)).json, "systemData"), systemData);
      assert.equal((await put("customer-2", { mode: "quick", size: 2 })).status, 200);
      const changed = pick((await settledAt(server, id)).json, "systemData");
      assert.equal(pick(changed, "lastModifiedBy"), "customer-2");
      assert.equal(pick(changed, "createdBy"), "customer-1");
    });
  },
  ["pantry"],
);
