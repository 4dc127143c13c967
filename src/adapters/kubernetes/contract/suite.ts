/**
 * The contract of port.ts as tests against a running API server. A test file calls it with a
 * client for a server whose namespace "default" it may change:
 *
 *   kubernetesContract("another Setpoint server", async () => openKube(options));
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import { KubeError } from "../port.ts";
import type { KubeClient } from "../port.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const { signal } = new AbortController();

function map(name: string, data: JsonObject, labels: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data };
}

export function kubernetesContract(name: string, open: () => Promise<KubeClient>): void {
  describe(`the Kubernetes port: ${name}`, () => {
    let client: KubeClient;
    before(async () => {
      client = await open();
    });
    after(() => client[Symbol.dispose]());

    it("applies an object, reads it, and deletes it", async () => {
      const path = `${maps}/kube-port-a`;
      assert.equal(await client.get(path, signal), undefined);
      await client.apply(path, map("kube-port-a", { a: "1", b: "1" }), signal);
      const applied = await client.apply(path, map("kube-port-a", { a: "2" }), signal);
      assert.deepEqual(valueAt(applied, "data"), { a: "2" }, "a field that is left out is removed");
      assert.deepEqual(valueAt(await client.get(path, signal), "data"), { a: "2" });
      assert.equal(await client.delete(path, undefined, signal), true);
      assert.equal(await client.delete(path, undefined, signal), false);
      assert.equal(await client.get(path, signal), undefined);
    });

    it("changes nothing in a dry run, and shows the result", async () => {
      const path = `${maps}/kube-port-dry`;
      const dry = await client.apply(path, map("kube-port-dry", { a: "1" }), signal, {
        isDryRun: true,
      });
      assert.equal(textAt(dry, "data", "a"), "1");
      assert.equal(await client.get(path, signal), undefined);
    });

    it("does not delete an object with another uid", async () => {
      const path = `${maps}/kube-port-uid`;
      await client.apply(path, map("kube-port-uid", {}), signal);
      const other = client.delete(path, "00000000-0000-0000-0000-000000000000", signal);
      await assert.rejects(other, (error) => error instanceof KubeError && error.status === 409);
      assert.ok((await client.get(path, signal)) !== undefined);
      await client.delete(path, undefined, signal);
    });

    it("finds how a kind is served", async () => {
      const core = await client.findKind({ apiVersion: "v1", kind: "ConfigMap" }, signal);
      assert.deepEqual(core, { plural: "configmaps", isNamespaced: true });
      const namespace = await client.findKind({ apiVersion: "v1", kind: "Namespace" }, signal);
      assert.deepEqual(namespace, { plural: "namespaces", isNamespaced: false });
      const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" };
      assert.equal((await client.findKind(rbac, signal))?.plural, "roles");
      assert.equal(await client.findKind({ apiVersion: "v1", kind: "Nothing" }, signal), undefined);
      const unknown = { apiVersion: "nothing.example/v1", kind: "Nothing" };
      assert.equal(await client.findKind(unknown, signal), undefined);
    });

    it("reports a refusal with its status and the message of the server", async () => {
      const path = `${maps}/kube-port-wrong`;
      const wrong = map("kube-port-wrong", { "not a key": "1" });
      await assert.rejects(client.apply(path, wrong, signal), (error) => {
        assert.ok(error instanceof KubeError && error.isFinal, String(error));
        assert.equal(error.status, 422);
        assert.match(error.message, /not a key/);
        return true;
      });
    });

    it("lists the first objects, and says whether there are more", async () => {
      const query = { labelSelector: "kube-port=first" };
      const labels = { "kube-port": "first" };
      for (const each of ["kube-port-l1", "kube-port-l2"]) {
        await client.apply(`${maps}/${each}`, map(each, {}, labels), signal);
      }
      const first = await client.list(maps, query, signal, 1);
      assert.deepEqual([first.items.map(nameOf), first.isPartial], [["kube-port-l1"], true]);
      const all = await client.list(maps, query, signal, 2);
      assert.deepEqual([all.items.length, all.isPartial], [2, undefined]);
      for (const each of ["kube-port-l1", "kube-port-l2"]) {
        await client.delete(`${maps}/${each}`, undefined, signal);
      }
    });

    it("lists by label, and follows each change after the list", async () => {
      const query = { labelSelector: "kube-port=follow" };
      const labels = { "kube-port": "follow" };
      await client.apply(`${maps}/kube-port-f1`, map("kube-port-f1", {}, labels), signal);
      const { items } = await client.list(maps, query, signal);
      assert.deepEqual(items.map(nameOf), ["kube-port-f1"]);
      const seen: string[] = [];
      const stop = new AbortController();
      const changes = Promise.withResolvers<void>();
      const listed = Promise.withResolvers<void>();
      const listener = {
        listed: (all: readonly JsonObject[]) => {
          seen.push(...all.map((one) => `listed ${nameOf(one)}`));
          listed.resolve();
        },
        changed: (type: string, object: JsonObject) => {
          seen.push(`${type} ${nameOf(object)}`);
          if (type === "DELETED") changes.resolve();
        },
      };
      const followed = client.follow(maps, query, listener, stop.signal);
      followed.catch(changes.reject);
      await listed.promise;
      await client.apply(`${maps}/kube-port-f2`, map("kube-port-f2", {}, labels), signal);
      await client.delete(`${maps}/kube-port-f1`, undefined, signal);
      await changes.promise;
      stop.abort();
      await assert.rejects(followed);
      assert.deepEqual(seen, ["listed kube-port-f1", "ADDED kube-port-f2", "DELETED kube-port-f1"]);
      await client.delete(`${maps}/kube-port-f2`, undefined, signal);
    });
  });
}

function nameOf(object: JsonObject): string {
  return textAt(object, "metadata", "name");
}
