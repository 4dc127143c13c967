// What ends in a moment is answered with its end, on both stores: the finished resource, and no
// operation to ask for. What goes on, or fails, is answered with its operation as ever.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickList } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { onEachStore, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { genericClient } from "./azure-clients.ts";

const provider = `/subscriptions/${subscription}/resourceGroups/time/providers/Example.Moments`;
const kube = `/apis/moments.tests.dev/v1/namespaces/sub-${subscription}/moments`;
const operations = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;

onEachStore(
  "a request",
  (started) => {
    let server: ArmServer;
    before(() => {
      server = started();
    });

    const put = async (path: string, properties: object, method = "PUT"): Promise<Reply> => {
      const place = method === "PUT" ? { location: "westeurope" } : {};
      const body = { ...place, properties };
      return await server.request(method, `${provider}/${path}?${version}`, body);
    };

    /** The name in the store that begins like this, once there is one. */
    const stored = async (prefix: string): Promise<string> =>
      await waitUntil("the resource", async () => {
        const { json } = await server.request("GET", kube);
        const names = pickList(json, "items").map((each) => String(pick(each, "metadata.name")));
        return names.find((each) => each.startsWith(prefix));
      });

    const endOf = async (id: string): Promise<unknown> => {
      const { json } = await server.request("GET", operations);
      const all = pickList(json, "items");
      const own = all.filter((each) => pick(each, "spec.resourceId") === `${provider}/${id}`);
      const states = own.map((each) => pick(each, "status.state"));
      return states.includes("Accepted") ? undefined : states;
    };

    it("that makes a resource is answered with it when it is done", async () => {
      const made = await put("moments/one", { size: 1 });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(pick(made.json, "properties"), {
        size: 1,
        shown: "size 1",
        provisioningState: "Succeeded",
      });
      assert.equal(made.headers["azure-asyncoperation"], undefined);
      assert.equal(made.headers["retry-after"], undefined);
      const read = await server.request("GET", `${provider}/moments/one?${version}`);
      assert.equal(read.headers.etag, made.headers.etag);
      assert.deepEqual(read.json, made.json);
      // The request has left its record all the same.
      const ends = await waitUntil("the end in the record", async () => await endOf("moments/one"));
      assert.deepEqual(ends, ["Succeeded"]);
    });

    it("that changes one, too, whichever way", async () => {
      await put("moments/two", { size: 1 });
      const replaced = await put("moments/two", { size: 2 });
      assert.equal(replaced.status, 200, replaced.text);
      assert.equal(pick(replaced.json, "properties.shown"), "size 2");
      assert.equal(replaced.headers["azure-asyncoperation"], undefined);
      const patched = await put("moments/two", { size: 3 }, "PATCH");
      assert.equal(patched.status, 200, patched.text);
      assert.equal(pick(patched.json, "properties.shown"), "size 3");
      assert.equal(patched.headers.location, undefined);
    });

    it("that goes on is answered with its operation after the time of the face", async () => {
      const beganMs = performance.now();
      for (const type of ["hours", "nevers"]) {
        const made = await put(`${type}/held`, { mode: "held" });
        assert.equal(made.status, 201, made.text);
        assert.equal(pick(made.json, "properties.provisioningState"), "Creating");
        assert.notEqual(made.headers["azure-asyncoperation"], undefined);
      }
      assert.ok(performance.now() - beganMs < 4_000, "a tenth of a second is not four");
      const never = await put("nevers/quick", {});
      assert.equal(pick(never.json, "properties.provisioningState"), "Creating");
    });

    it("that fails at once is answered with its operation, which tells why", async () => {
      const beganMs = performance.now();
      const made = await put("moments/broken", { mode: "broken" });
      assert.equal(made.status, 201, made.text);
      const url = String(made.headers["azure-asyncoperation"]).slice(server.url.length);
      assert.ok(performance.now() - beganMs < 4_000, "nobody waits for what has failed");
      const read = await server.request("GET", url);
      assert.equal(pick(read.json, "status"), "Failed");
      assert.deepEqual(pick(read.json, "error"), { code: "Broken", message: "it has a crack" });
    });

    it("that takes too long while it is kept is answered with its operation", async () => {
      const beganMs = performance.now();
      const made = await put("deadlines/late", { mode: "held" });
      assert.equal(made.status, 201, made.text);
      assert.ok(performance.now() - beganMs < 4_500, "it is kept no longer than its operation");
      const url = String(made.headers["azure-asyncoperation"]).slice(server.url.length);
      const read = await waitUntil("the end", async () => {
        const { json } = await server.request("GET", url);
        return pick(json, "status") === "InProgress" ? undefined : json;
      });
      assert.equal(pick(read, "status"), "Failed");
      assert.equal(pick(read, "error.code"), "OperationTimedOut");
    });

    it("is answered as it was accepted where its face cannot show what came of it", async () => {
      const made = await put("secrets/one", { size: 1 });
      assert.equal(made.status, 201, made.text);
      assert.notEqual(made.headers["azure-asyncoperation"], undefined);
      assert.equal(pick(made.json, "properties.size"), 1);
      const path = `${provider}/secrets/two?${version}`;
      const body = { location: "westeurope", properties: {} };
      const only = await server.request("PUT", path, body, { "if-none-match": "*" });
      assert.equal(only.status, 201, only.text);
      // Whoever wrote the face finds it in the log.
      const errors = (server.errors as string[]).splice(0);
      assert.equal(errors.filter((error) => error.includes("nobody is told")).length, 2);
    });

    it("that is kept in vain tells the etag of that moment", async () => {
      const made = await put("hours/etag", { mode: "held" });
      const path = `${provider}/hours/etag?${version}`;
      const read = await server.request("GET", path);
      assert.equal(read.headers.etag, made.headers.etag);
    });

    it("that is repeated has the same result", async () => {
      const body = { location: "westeurope", properties: { size: 1 } };
      const path = `${provider}/moments/again?${version}`;
      const headers = { "x-ms-client-request-id": "one-and-the-same" };
      const first = await server.request("PUT", path, body, headers);
      const second = await server.request("PUT", path, body, headers);
      assert.deepEqual([first.status, second.status], [201, 201]);
      assert.deepEqual(second.json, first.json);
      assert.equal(second.headers["azure-asyncoperation"], undefined);
      const change = { properties: { size: 2 } };
      for (let times = 0; times < 2; times += 1) {
        const changed = await server.request("PATCH", path, change, headers);
        assert.equal(changed.status, 200, changed.text);
        assert.equal(changed.headers.location, undefined);
      }
    });

    it("that is repeated while the first is kept is kept as well", async () => {
      const first = put("moments/twice", { mode: "held" });
      const name = await stored("twice-");
      const second = put("moments/twice", { mode: "held" });
      await waitUntil("both requests", async () => {
        const { text } = await server.request("GET", "/metrics");
        return /^apiserver_current_inflight_requests 3$/m.test(text);
      });
      const go = { metadata: { annotations: { "tests.dev/go": "true" } } };
      const patch = { "content-type": "application/merge-patch+json" };
      const letGo = await server.request("PATCH", `${kube}/${name}`, go, patch);
      assert.equal(letGo.status, 200, letGo.text);
      for (const { status, text, json } of [await first, await second]) {
        assert.equal(status, 201, text);
        assert.equal(pick(json, "properties.provisioningState"), "Succeeded");
      }
    });

    it("for an operation that goes on in steps is answered with its end", async () => {
      const made = await put("nevers/steps", { mode: "steps" });
      const url = String(made.headers["azure-asyncoperation"]).slice(server.url.length);
      const status = await waitUntil("the end", async () => {
        const { json } = await server.request("GET", url);
        return pick(json, "status") === "InProgress" ? undefined : pick(json, "status");
      });
      assert.equal(status, "Succeeded");
    });

    it("whose resource is deleted meanwhile has an operation that was canceled", async () => {
      const first = put("moments/deleted", { mode: "held" });
      const name = await stored("deleted-");
      const gone = await server.request("DELETE", `${kube}/${name}`);
      assert.equal(gone.status, 200, gone.text);
      const { status, text, headers } = await first;
      assert.equal(status, 201, text);
      const url = String(headers["azure-asyncoperation"]).slice(server.url.length);
      const read = await server.request("GET", url);
      assert.equal(pick(read.json, "status"), "Canceled", read.text);
    });

    it("of Azure's client ends without a poll", async () => {
      const { url, ca, token } = server;
      const credentials = { kind: "bearer token", token } as const;
      const { client, exchanges } = genericClient({ url, ca, credentials });
      const id = `${provider}/moments/azure`;
      const body = { location: "westeurope", properties: { size: 7 } };
      const { resources } = client;
      const made = await resources.beginCreateOrUpdateByIdAndWait(id, "2026-01-01", body);
      assert.equal(pick(made, "properties.shown"), "size 7");
      const changed = await resources.beginUpdateByIdAndWait(id, "2026-01-01", {
        properties: { size: 8 },
      });
      assert.equal(pick(changed, "properties.shown"), "size 8");
      assert.deepEqual(
        exchanges.map(({ method, status }) => `${method} ${status}`),
        ["PUT 201", "PATCH 200"],
      );
    });
  },
  ["moment"],
);
