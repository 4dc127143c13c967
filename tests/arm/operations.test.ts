// Operations through the Resource Manager surface of a real server: what pollers see while work
// goes on, when it fails, and when somebody else is faster; what is let pass meanwhile.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, onEachStore, oven, ovens, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

let server: ArmServer;

function pollUrl(reply: Pick<Reply, "headers">, header = "azure-asyncoperation"): string {
  const url = String(reply.headers[header]);
  assert.ok(url.startsWith(`${server.url}/`), url);
  return url.slice(server.url.length);
}

async function ended(path: string): Promise<Reply> {
  let last = await server.request("GET", path);
  await waitUntil("the operation to end", async () => {
    last = await server.request("GET", path);
    assert.equal(last.status, 200, last.text);
    return pick(last.json, "status") !== "InProgress";
  });
  return last;
}

onEachStore("an operation", (started) => {
  before(() => {
    server = started();
  });

  it("shows its progress while the resource shows a state that is not final", async () => {
    const made = await server.put("slow", { mode: "slow" });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers["retry-after"], "10");
    const path = pollUrl(made);
    await waitUntil("progress", async () => {
      return pick((await server.request("GET", path)).json, "percentComplete") === 25;
    });
    const polled = await server.request("GET", path);
    assert.equal(polled.status, 200);
    assert.equal(polled.headers["retry-after"], "10");
    assert.equal(pick(polled.json, "status"), "InProgress");
    assert.equal(pickText(polled.json, "id").split("/").at(-1), pick(polled.json, "name"));
    assert.match(pickText(polled.json, "startTime"), /^\d{4}-\d\d-\d\dT/);
    assert.equal(pick(polled.json, "error"), undefined);
    const shown = await server.get("slow");
    assert.equal(shown.status, 200);
    assert.equal(pick(shown.json, "properties.provisioningState"), "Creating");
    await server.letGo("slow");
    const last = await ended(path);
    assert.equal(pick(last.json, "status"), "Succeeded");
    assert.equal(pick(last.json, "percentComplete"), 100);
    assert.match(pickText(last.json, "endTime"), /^\d{4}-\d\d-\d\dT/);
    const done = await server.get("slow");
    assert.equal(pick(done.json, "properties.provisioningState"), "Succeeded");
  });

  it("is below 100 percent until it has ended", async () => {
    await server.made("rinsed");
    const path = `${ovens}/rinsed/clean?${version}`;
    const begun = await server.request("POST", path, { minutes: 5, how: "rinsed" });
    assert.equal(begun.status, 202, begun.text);
    let polled = await server.request("GET", pollUrl(begun));
    await waitUntil("progress", async () => {
      polled = await server.request("GET", pollUrl(begun));
      return pick(polled.json, "percentComplete") !== undefined;
    });
    assert.equal(pick(polled.json, "status"), "InProgress");
    assert.equal(pick(polled.json, "percentComplete"), 99);
    await server.letGo("rinsed");
    const last = await ended(pollUrl(begun));
    assert.equal(pick(last.json, "percentComplete"), 100);
  });

  it("does not show how far the work on another generation is", async () => {
    const made = await server.put("edited", { mode: "slow", size: 1 });
    await waitUntil("progress", async () => {
      return pick((await server.request("GET", pollUrl(made))).json, "percentComplete") === 25;
    });
    const kube = `/apis/bakery.tests.dev/v1/namespaces/sub-${subscription}/ovens`;
    const name = pickText(await server.stored("edited"), "metadata.name");
    const patched = await server.request("PATCH", `${kube}/${name}`, { spec: { size: 2 } });
    assert.equal(patched.status, 200, patched.text);
    await waitUntil("work on what was changed", async () => {
      return pick(await server.stored("edited"), "status.reconcile.progress.generation") === 2;
    });
    const polled = await server.request("GET", pollUrl(made));
    assert.equal(pick(polled.json, "status"), "InProgress");
    assert.equal(pick(polled.json, "percentComplete"), undefined);
    await server.letGo("edited");
    assert.equal(pick((await ended(pollUrl(made))).json, "percentComplete"), 100);
  });

  it("holds back other changes, repeats its answer, and gives way to a deletion", async () => {
    const first = await server.put("busy", { mode: "slow", size: 1 });
    const again = await server.put("busy", { mode: "slow", size: 1 });
    assert.equal(again.status, 201, again.text);
    const header = "azure-asyncoperation";
    assert.equal(again.headers[header], first.headers[header]);
    const other = await server.put("busy", { mode: "slow", size: 2 });
    assert.equal(other.status, 409, other.text);
    assert.equal(codeOf(other), "AnotherOperationInProgress");
    assert.equal((await server.patch("busy", { tags: { a: "b" } })).status, 409);
    // Before anything was begun outside it would be gone at once.
    await waitUntil("work to begin", async () => {
      return pick((await server.request("GET", pollUrl(first))).json, "percentComplete") === 25;
    });
    const removed = await server.request("DELETE", oven("busy"));
    assert.equal(removed.status, 202, removed.text);
    const canceled = await ended(pollUrl(first));
    assert.equal(pick(canceled.json, "status"), "Canceled");
    assert.equal(pick(canceled.json, "error.code"), "OperationPreempted");
    assert.equal(pick((await ended(pollUrl(removed))).json, "status"), "Succeeded");
    assert.equal((await server.get("busy")).status, 404);
  });

  it("of a deletion holds back also a PUT or PATCH of what is still shown", async () => {
    await server.made("going", { mode: "held" });
    const removed = await server.request("DELETE", oven("going"));
    assert.equal(removed.status, 202, removed.text);
    for (const other of [
      await server.put("going", { mode: "held" }),
      await server.patch("going", { properties: {} }),
    ]) {
      assert.equal(other.status, 409, other.text);
      assert.equal(codeOf(other), "AnotherOperationInProgress");
    }
    await server.letGo("going");
    assert.equal(pick((await ended(pollUrl(removed))).json, "status"), "Succeeded");
  });

  it("that fails tells why, and after a failed creation only a deletion passes", async () => {
    const made = await server.put("broken", { mode: "broken" });
    assert.equal(made.status, 201, made.text);
    const last = await ended(pollUrl(made));
    assert.equal(pick(last.json, "status"), "Failed");
    assert.equal(pick(last.json, "error.code"), "OvenBroken");
    assert.equal(pick(last.json, "error.message"), "the oven does not get warm");
    assert.equal(pick(last.json, "properties"), undefined);
    const shown = await server.get("broken");
    assert.equal(pick(shown.json, "properties.provisioningState"), "Failed");
    const put = await server.put("broken", { mode: "quick" });
    assert.equal(put.status, 409, put.text);
    assert.equal(codeOf(put), "RequestNotAllowed");
    assert.equal((await server.request("DELETE", oven("broken"))).status, 202);
  });

  it("that failed to change a resource can be followed by another, also of the same", async () => {
    await server.made("mended", { mode: "quick" });
    const broken = await server.put("mended", { mode: "broken" });
    assert.equal(broken.status, 200, broken.text);
    assert.equal(pick((await ended(pollUrl(broken))).json, "status"), "Failed");
    const same = await server.put("mended", { mode: "broken" });
    assert.equal(same.status, 200, same.text);
    assert.notEqual(pollUrl(same), pollUrl(broken));
    assert.equal(pick((await ended(pollUrl(same))).json, "status"), "Failed");
    const tagged = await server.put("mended", { mode: "broken" }, { tags: { of: "bread" } });
    assert.equal(tagged.status, 200, tagged.text);
    assert.notEqual(pollUrl(tagged), pollUrl(same));
    assert.equal(pick((await ended(pollUrl(tagged))).json, "status"), "Failed");
    const good = await server.put("mended", { mode: "quick" });
    assert.equal(good.status, 200, good.text);
    assert.equal(pick((await ended(pollUrl(good))).json, "status"), "Succeeded");
    assert.equal(pick((await ended(pollUrl(same))).json, "status"), "Failed", "its end is kept");
  });

  it("of a deletion is polled by its Location until there is nothing left", async () => {
    await server.made("held", { mode: "held" });
    const removed = await server.request("DELETE", oven("held"));
    assert.equal(removed.status, 202, removed.text);
    assert.equal(removed.text, "");
    const location = pollUrl(removed, "location");
    const polled = await server.request("GET", location);
    assert.equal(polled.status, 202);
    assert.equal(polled.text, "");
    assert.equal(pollUrl(polled, "location"), location);
    const shown = await server.get("held");
    assert.equal(pick(shown.json, "properties.provisioningState"), "Deleting");
    const again = await server.request("DELETE", oven("held"));
    assert.equal(again.headers.location, removed.headers.location);
    assert.equal((await server.put("held", { mode: "quick" })).status, 409);
    await server.letGo("held");
    await waitUntil("its end", async () => {
      return (await server.request("GET", location)).status === 204;
    });
    assert.equal((await server.get("held")).status, 404);
    assert.equal(pick((await ended(pollUrl(removed))).json, "status"), "Succeeded");
  });

  it("is not seen from another subscription, provider or location", async () => {
    const made = await server.put("private", {});
    const path = pollUrl(made);
    const other = "99999999-2222-3333-4444-555555555555";
    for (const strange of [
      path.replace(subscription, other),
      path.replace("westeurope", "eastus"),
      path.replace("Example.Bakery", "Example.Other"),
      path.replace(/operationsStatus\/[^?]*/, "operationsStatus/none"),
    ]) {
      const reply = await server.request("GET", strange);
      assert.equal(reply.status, 404, strange);
      assert.equal(codeOf(reply), "OperationNotFound");
    }
  });

  it("is told in the versions of its provider, and in no other", async () => {
    const made = await server.put("versioned", {});
    for (const path of [
      pollUrl(made),
      pollUrl(made).replace("operationsStatus", "operationResults"),
    ]) {
      const [bare = ""] = path.split("?");
      const told = await server.request("GET", `${bare}?api-version=2026-02-01`);
      assert.ok(told.status === 200 || told.status === 202, told.text);
      const none = await server.request("GET", bare);
      assert.equal(none.status, 400, none.text);
      assert.equal(codeOf(none), "MissingApiVersionParameter");
      const bogus = await server.request("GET", `${bare}?api-version=bogus`);
      assert.equal(bogus.status, 400, bogus.text);
      assert.equal(codeOf(bogus), "InvalidApiVersionParameter");
    }
  });

  it("keeps the ids of the request it comes from", async () => {
    const correlation = "0f8fad5b-d9cb-469f-a165-70867728950e";
    const headers = { "x-ms-correlation-request-id": correlation };
    const made = await server.put("traced", {}, {}, headers);
    const id = /operationsStatus\/([0-9a-f-]{36})/.exec(pollUrl(made))?.[1] ?? "";
    const records = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;
    const record = await server.request("GET", `${records}/${id}`);
    assert.equal(pick(record.json, "spec.correlationId"), correlation, record.text);
    assert.equal(pick(record.json, "spec.requestId"), made.headers["x-ms-request-id"]);
    const stored = await server.stored("traced");
    const notes = pick(stored, "metadata.annotations") as Readonly<Record<string, string>>;
    assert.match(notes["setpoint.dev/traceparent"] ?? "", /^00-0f8fad5bd9cb469fa16570867728950e-/);
  });

  it("follows what is changed by other means", async () => {
    await server.made("shared", { mode: "quick" });
    const name = pickText(await server.stored("shared"), "metadata.name");
    const place = `/apis/bakery.tests.dev/v1/namespaces/sub-${subscription}/ovens/${name}`;
    await server.request("PATCH", place, { spec: { mode: "slow" } });
    await server.settled("shared", "Updating");
    assert.equal((await server.put("shared", { size: 3 })).status, 409);
    await server.request("DELETE", place);
    await waitUntil("it to be gone", async () => (await server.get("shared")).status === 404);
    assert.equal((await server.request("GET", `${ovens}/shared`)).status, 400);
  });
});
