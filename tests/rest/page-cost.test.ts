// What requests to the REST API cost: a caller who may get nothing causes no read of the log.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { pick, pickList, startKubeServer } from "../kube/server.ts";
import { recordsAtOnce } from "../../src/intents/read/records-in-turns.ts";
import { created } from "../kube/samples.ts";
import { as } from "./databases.ts";

test("the log is not read for a caller who may get nothing", async () => {
  await using server = await startKubeServer();
  const { revision } = await server.store.head();
  const { mock: reads } = mock.method(server.store, "changes");
  const fromStart = (): number => reads.calls.filter((call) => call.arguments[0] <= 1).length;

  const audit = await server.request("GET", "/api/v1/audit?limit=1000", undefined, as("stranger"));
  assert.equal(audit.status, 200, audit.text);
  assert.deepEqual(pickList(audit.json, "items"), []);
  assert.equal(pick(audit.json, "next"), undefined);
  using stream = await server.watch("/api/v1/changes?after=1", as("stranger"));
  assert.deepEqual(await stream.take(1), [{ type: "bookmark", revision: 1 }]);
  assert.equal(fromStart(), 0);

  using all = await server.watch("/api/v1/changes?after=1");
  assert.ok((await all.take(2)).every((item) => Number(pick(item, "revision")) <= revision));
  assert.equal(fromStart(), 1);
  const records = await server.request("GET", "/api/v1/audit?limit=1000");
  assert.notDeepEqual(pickList(records.json, "items"), []);
  assert.equal(fromStart(), 2);
});

test("the timeline reads large Events a few at a time, and shortens their messages", async () => {
  await using server = await startKubeServer();
  const involvedObject = { kind: "Namespace", name: "default", namespace: "default" };
  for (let at = 0; at < 3 * recordsAtOnce; at += 1) {
    const event = { metadata: { name: `default.${at}` }, involvedObject, reason: "Long" };
    const message = "x".repeat(100_000);
    await created(
      server.request("POST", "/api/v1/namespaces/default/events", { ...event, message }),
    );
  }
  const { mock: reads } = mock.method(server.store, "getMany");
  const path = "/api/v1/timeline?namespace=default&outcome=normal&limit=1000";
  const { status, json, text } = await server.request("GET", path);
  assert.equal(status, 200, text);
  const items = pickList(json, "items");
  assert.equal(items.length, 3 * recordsAtOnce);
  assert.ok(items.every((item) => String(pick(item, "message")).length <= 1_024));
  const sizes = reads.calls.map((call) => call.arguments[0].length);
  assert.ok(sizes.length >= 3 && Math.max(...sizes) <= recordsAtOnce, sizes.join(" "));
});
