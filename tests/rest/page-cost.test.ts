// What requests to the REST API cost: a caller who may get nothing causes no read of the log.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { pick, pickList, startKubeServer } from "../kube/server.ts";
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
