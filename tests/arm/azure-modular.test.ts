// A server driven by what the newer clients of Azure are made of, @azure-rest/core-client with the
// pollers of @azure/core-lro, on the cluster of examples/openshift-like: two api-versions over one
// cluster, its password, failures, pages, and pollers that outlive their process.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { pick, pickText } from "../kube/server.ts";
import { startProgram } from "../peers/child.ts";
import { onEachStore, ovens, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { listed, longRunning, modularClient } from "./azure-clients.ts";
import type { Credentials, Endpoint, Exchanged } from "./azure-clients.ts";

const older = "2026-01-01";
const younger = "2026-08-01";
const group = `/subscriptions/${subscription}/resourceGroups/Shop`;
const clusters = `${group}/providers/Example.OpenShift/clusters`;
const principal = { clientId: "installer", clientSecret: "not a real one" };
const module = ["tests/arm/bakery-module.ts", "examples/openshift-like/openshift-like.ts"];

function statuses(exchanges: readonly Exchanged[], header: string): readonly unknown[] {
  return exchanges.map(({ method, status, headers }) => [
    method,
    status,
    headers[header] === undefined ? "" : header,
  ]);
}

onEachStore(
  "@azure-rest/core-client with @azure/core-lro",
  (started) => {
    let server: ArmServer;
    before(() => {
      server = started();
    });
    const endpoint = (kind: Credentials["kind"] = "bearer token"): Endpoint => {
      const { url, ca, token, manager } = server;
      const credentials: Credentials =
        kind === "bearer token" ? { kind, token } : { kind, ...manager };
      return { url, ca, credentials };
    };

    for (const kind of ["bearer token", "client certificate"] as const) {
      it(`drives a cluster through both of its versions with a ${kind}`, async () => {
        const one = `${clusters}/life-of-${kind.replace(" ", "-")}`;
        const [old, young] = [older, younger].map((each) => modularClient(endpoint(kind), each));
        assert.ok(old !== undefined && young !== undefined);
        const properties = { domain: "one.example.com", servicePrincipalProfile: principal };
        const body = { location: "westeurope", properties };
        const made = await longRunning(old.client, "put", one, { request: { body } });
        assert.equal(pick(made, "properties.provisioningState"), "Succeeded");
        assert.equal(pick(made, "properties.workerCount"), 3);
        assert.equal(pick(made, "properties.apiServerUrl"), "https://api.one.example.com:6443/");
        const zones = { properties: { workerProfile: { zones: ["1", "2"] } } };
        const patch = { body: zones, contentType: "application/merge-patch+json" };
        const zoned = await longRunning(young.client, "patch", one, { request: patch });
        assert.deepEqual(pick(zoned, "properties.workerProfile.zones"), ["1", "2"]);
        assert.equal(pick(zoned, "properties.provisioningState"), "Succeeded");
        // The older version does not know of zones, and leaves them as they are.
        const read = (await old.client.pathUnchecked(one).get()).body as typeof made;
        const edited = {
          ...read,
          properties: { ...(read["properties"] as object), workerCount: 5 },
        };
        await longRunning(old.client, "put", one, { request: { body: edited } });
        const shown = await young.client.pathUnchecked(one).get();
        assert.deepEqual(pick(shown.body, "properties.workerProfile"), {
          vmSize: "Standard_D4s_v3",
          count: 5,
          zones: ["1", "2"],
        });
        const asked = await longRunning(young.client, "post", `${one}/listCredentials`);
        assert.match(pickText(asked, "kubeadminPassword"), /^[a-z2-9]{23}$/);
        const rotated = await longRunning(young.client, "post", `${one}/rotateCredentials`);
        assert.match(pickText(rotated, "kubeadminPassword"), /^[a-z2-9]{23}$/);
        assert.notEqual(pick(rotated, "kubeadminPassword"), pick(asked, "kubeadminPassword"));
        await longRunning(young.client, "delete", one);
        assert.equal((await young.client.pathUnchecked(one).get()).status, "404");
      });
    }

    it("gets from the first answer where to ask, and from each poll when", async () => {
      const { client, exchanges } = modularClient(endpoint(), older);
      const path = `${ovens}/told`;
      const header = "azure-asyncoperation";
      const take = (): Exchanged[] => exchanges.splice(0);
      const body = { location: "westeurope", properties: { mode: "slow" } };
      const putting = longRunning(client, "put", path, { request: { body } });
      await putting.poll();
      await server.letGo("told");
      await putting;
      const [put, ...polls] = take();
      assert.ok(put !== undefined);
      assert.deepEqual(statuses([put], header), [["PUT", 201, header]]);
      assert.equal(put.headers["location"], undefined);
      assert.equal(polls.pop()?.url, put.url);
      assert.ok(polls.every(({ url }) => url === put.headers[header]));
      assert.ok(polls.slice(0, -1).every(({ headers }) => headers["retry-after"] === "1"));
      assert.equal(polls.at(-1)?.headers["retry-after"], undefined);

      const patch = { body: { properties: { size: 7 } } };
      const patched = await longRunning(client, "patch", path, { request: patch });
      assert.equal(pick(patched, "properties.size"), 7);
      const [first, ...others] = take();
      assert.ok(first !== undefined);
      assert.deepEqual(statuses([first], header), [["PATCH", 202, header]]);
      assert.equal(others.at(-1)?.url, first.headers["location"], "the result is taken from there");

      await longRunning(client, "delete", path);
      const [removed, ...last] = take();
      assert.ok(removed !== undefined);
      assert.deepEqual(statuses([removed], header), [["DELETE", 202, header]]);
      assert.equal(removed.text, "");
      assert.ok(removed.headers["location"]?.startsWith(`${server.url}/subscriptions/`));
      assert.ok(last.every(({ url }) => url === removed.headers[header]));
    });

    it("tells why an operation failed, in which phase", async () => {
      const { client } = modularClient(endpoint(), younger);
      const properties = {
        clusterProfile: { domain: "two.example.com" },
        servicePrincipalProfile: principal,
        simulation: { failAt: "DeployResources" },
      };
      const body = { location: "eastus", properties };
      const making = longRunning(client, "put", `${clusters}/failing`, { request: { body } });
      await assert.rejects(making.pollUntilDone(), (error: Error) => {
        const words = "SimulatedFailure. The phase DeployResources failed, as configured.";
        assert.equal(error.message, `The long-running operation has failed. ${words}`);
        return true;
      });
      const asking = longRunning(client, "post", `${clusters}/failing/listCredentials`);
      await assert.rejects(asking.pollUntilDone(), { code: "ClusterNotInstalled" });
      await longRunning(client, "delete", `${clusters}/failing`);
    });

    it("gets all that is wrong with a request", async () => {
      const { client, exchanges } = modularClient(endpoint(), younger);
      const body = { location: "nowhere", properties: { workerProfile: { count: 1 } } };
      const making = longRunning(client, "put", `${clusters}/wrong`, { request: { body } });
      const details = (): readonly { readonly target: string; readonly message: string }[] =>
        pick(JSON.parse(exchanges[0]?.text ?? ""), "error.details") as [];
      await assert.rejects(making.pollUntilDone(), (error: Error) => {
        assert.equal(pick(error, "statusCode"), 400);
        assert.equal(pick(error, "code"), "MultipleErrorsOccurred");
        for (const { message } of details()) assert.ok(error.message.includes(message), message);
        return true;
      });
      assert.deepEqual(
        details()
          .map(({ target }) => target)
          .sort(),
        [
          "location",
          "properties.clusterProfile",
          "properties.servicePrincipalProfile",
          "properties.workerProfile.count",
        ],
      );
    });

    it("asks for a revision with If-Match", async () => {
      const { client, exchanges } = modularClient(endpoint(), older);
      const path = `${ovens}/revised`;
      const put = async (size: number, headers: Record<string, string>): Promise<unknown> => {
        const body = { location: "westeurope", properties: { size } };
        return await longRunning(client, "put", path, { request: { body, headers } });
      };
      await put(1, { "If-None-Match": "*" });
      const etag = exchanges.at(-1)?.headers["etag"] ?? "";
      await put(2, { "If-Match": etag });
      const unmet = { statusCode: 412, code: "PreconditionFailed" };
      await assert.rejects(put(3, { "If-Match": etag }), unmet);
      await assert.rejects(put(3, { "If-None-Match": "*" }), unmet);
    });

    it("reads lists of a group and of the subscription page by page", async () => {
      const { client } = modularClient(endpoint(), older);
      const names = ["page-1", "page-2", "page-3", "page-4", "page-5"];
      for (const name of names) await server.made(name);
      for (const path of [ovens, `/subscriptions/${subscription}/providers/Example.Bakery/ovens`]) {
        const { values, pages } = await listed(client, path, { $top: 2 });
        assert.ok(pages >= 3, String(pages));
        const found = values.map((value) => pickText(value, "name"));
        assert.deepEqual(found.filter((name) => name.startsWith("page-")).sort(), names);
      }
    });

    it("goes on in another process with a poller that was written down", async () => {
      const { client } = modularClient(endpoint(), older);
      const folder = await mkdtemp(join(tmpdir(), "setpoint-poller-"));
      try {
        const goOn = async (verb: "put" | "patch" | "delete"): Promise<void> => {
          // What is held in the end takes as long to be removed.
          const properties = { put: { mode: "slow" }, patch: { mode: "slow", size: 2 } };
          const name = `moved-${verb}`;
          const mode = verb === "delete" ? "held" : "quick";
          if (verb !== "put") await server.made(name, { mode });
          const body = { location: "westeurope", properties: { ...properties, delete: {} }[verb] };
          const request = verb === "delete" ? {} : { body };
          const poller = longRunning(client, verb, `${ovens}/${name}`, { request });
          await poller.poll();
          assert.equal(poller.isDone, false);
          const state = join(folder, `${verb}.json`);
          const { url, ca, token } = server;
          const text = JSON.stringify({ url, ca, token, verb, state: await poller.serialize() });
          await writeFile(state, text);
          await using other = await startProgram("tests/arm/azure-poller.ts", { args: [state] });
          await other.waitForLine(/^still running$/, { limitMs: 120_000 });
          await server.letGo(name);
          const [, ended = ""] = await other.waitForLine(/^ended (.*)$/, { limitMs: 120_000 });
          const wanted = verb === "delete" ? undefined : "Succeeded";
          assert.equal(pick(JSON.parse(ended), "properties.provisioningState"), wanted);
          assert.equal((await other.waitForExit({ limitMs: 120_000 })).code, 0);
        };
        await Promise.all([goOn("put"), goOn("patch"), goOn("delete")]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  },
  [],
  { armRetryAfter: 1, isConcurrent: true, module: module.map((file) => join(root, file)) },
);
