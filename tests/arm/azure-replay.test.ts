// Azure's clients send a write again when its answer does not come. Through a proxy that loses
// answers, with their retries as they come: whatever was lost, the client ends with the result, and
// the work was done once.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import { onEachStore, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { genericClient, longRunning, modularClient } from "./azure-clients.ts";
import type { Endpoint } from "./azure-clients.ts";
import { kilnFor, kilnVersion as version } from "./kiln.ts";
import { startLosingProxy } from "./losing-proxy.ts";
import type { LosingProxy } from "./losing-proxy.ts";

const operations = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;
const kilns = `/apis/kilns.tests.dev/v1/namespaces/sub-${subscription}/kilns`;

onEachStore(
  "a write whose answer is lost",
  (started) => {
    let server: ArmServer;
    let proxy: LosingProxy;
    before(async () => {
      server = started();
      proxy = await startLosingProxy(server);
    });
    after(async () => await proxy[Symbol.asyncDispose]());

    const endpoint = (): Endpoint => {
      const { ca, token } = server;
      return { url: proxy.url, ca, credentials: { kind: "bearer token", token } };
    };
    /** The verbs of all operations on the resource. */
    const verbsOn = async (path: string): Promise<readonly string[]> => {
      const { json } = await server.request("GET", operations);
      return pickList(json, "items")
        .filter((item) => pick(item, "spec.resourceId") === path)
        .map((item) => pickText(item, "spec.verb"))
        .sort();
    };
    const generationOf = async (path: string): Promise<unknown> => {
      const { json } = await server.request("GET", kilns);
      const name = path.split("/").at(-1);
      const found = pickList(json, "items").find((item) =>
        String(pick(item, "metadata.name")).startsWith(`${name}-`),
      );
      return pick(found, "metadata.generation");
    };

    for (const way of ["cut", "bad gateway"] as const) {
      it(`(${way}) is sent again by @azure/arm-resources, and done once`, async () => {
        await using kiln = await kilnFor(`generic-${way.replace(" ", "-")}`);
        await kiln.open("build");
        await kiln.open("removal");
        const { path } = kiln;
        const { resources } = genericClient(endpoint()).client;
        proxy.lose("PUT", path, way);
        const made = await resources.beginCreateOrUpdateByIdAndWait(path, version, kiln.body());
        assert.equal(pick(made, "properties.provisioningState"), "Succeeded");
        assert.deepEqual(await verbsOn(path), ["create"]);
        assert.equal(await generationOf(path), 1);
        proxy.lose("PUT", path, way);
        await resources.beginCreateOrUpdateByIdAndWait(path, version, kiln.body(2));
        assert.deepEqual(await verbsOn(path), ["create", "update"]);
        assert.equal(await generationOf(path), 2);
        proxy.lose("PATCH", path, way);
        const patch = { properties: { size: 3 } };
        const patched = await resources.beginUpdateByIdAndWait(path, version, patch);
        assert.equal(pick(patched, "properties.size"), 3);
        assert.equal(pick(patched, "properties.provisioningState"), "Succeeded");
        assert.deepEqual(await verbsOn(path), ["create", "update", "update"]);
        assert.equal(await generationOf(path), 3);
        proxy.lose("DELETE", path, way);
        await resources.beginDeleteByIdAndWait(path, version);
        assert.deepEqual(await verbsOn(path), ["create", "delete", "update", "update"]);
        const built = ["dig", "fire", "test"];
        const razed = ["empty", "cool", "raze"];
        assert.deepEqual(await kiln.steps(), [...built, ...built, ...built, ...razed]);
      });
    }

    it("is sent again while it is carried out, and leads to the same operation", async () => {
      await using kiln = await kilnFor("modular");
      const { path } = kiln;
      const { client, exchanges } = modularClient(endpoint(), version);
      const begin = async (verb: "put" | "patch" | "delete", body?: object): Promise<string> => {
        const request = body === undefined ? {} : { body };
        proxy.lose(verb.toUpperCase(), path, "cut", 2);
        const poller = longRunning(client, verb, path, { request });
        await poller.submitted();
        return exchanges.at(-1)?.headers["azure-asyncoperation"] ?? "";
      };
      const first = await begin("put", kiln.body());
      await kiln.begun("fire");
      assert.equal(proxy.lost.filter(({ status }) => status === 201).length >= 2, true);
      await kiln.open("build");
      const polled = await longRunning(client, "put", path, { request: { body: kiln.body() } });
      assert.equal(pick(polled, "properties.provisioningState"), "Succeeded");
      const { json } = await server.request("GET", new URL(first).pathname + new URL(first).search);
      assert.equal(pick(json, "status"), "Succeeded");
      const removal = await begin("delete");
      await kiln.begun("cool");
      const { pathname, search } = new URL(removal);
      const going = await server.request("GET", `${pathname}${search}`);
      assert.equal(pick(going.json, "status"), "InProgress");
      await kiln.open("removal");
      await longRunning(client, "delete", path);
      assert.deepEqual(await verbsOn(path), ["create", "delete"]);
      assert.deepEqual(await kiln.steps(), ["dig", "fire", "test", "empty", "cool", "raze"]);
      const ids = exchanges.map(({ sent }) => sent["x-ms-client-request-id"]);
      const lost = proxy.lost.map(({ clientRequestId }) => clientRequestId);
      assert.ok(ids.some((id) => lost.filter((each) => each === id).length === 2));
    });
  },
  ["kiln"],
  { armRetryAfter: 1, isConcurrent: true },
);
