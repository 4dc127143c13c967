// The cause that changes record when they come through the Resource Manager.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Change } from "../../src/store/port.ts";
import { waitUntil } from "../peers/wait.ts";
import { startArmServer } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});
after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

async function changesSince(revision: number): Promise<readonly Change[]> {
  return (await server.store.changes(revision, 1_000)).changes;
}

test("a PUT, its operation and the runs that follow have one trace", async () => {
  const { revision } = await server.store.head();
  const correlationId = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const traceId = correlationId.replaceAll("-", "");
  const headers = { "x-ms-correlation-request-id": correlationId };
  const reply = await server.put("caused", { size: 1 }, {}, headers);
  assert.equal(reply.status, 201, reply.text);
  const made = (await changesSince(revision)).filter(({ cause }) => cause?.surface === "arm");
  const kinds = new Set(made.map(({ key }) => key.kind));
  assert.equal(kinds.size, 2, "the resource, and the record of the operation");
  const [{ cause } = assert.fail("there is a change")] = made;
  assert.deepEqual(cause, { actor: "setpoint:admin", surface: "arm", traceId, correlationId });
  for (const change of made) assert.deepEqual(change.cause, cause);
  const reports = await waitUntil("a report of the engine", async () => {
    const found = (await changesSince(revision)).filter(({ cause: of }) => {
      return of?.surface === "engine" && of.traceId === traceId;
    });
    return found.length > 0 && found;
  });
  assert.equal(reports[0]?.cause?.actor, "system:setpoint:engine");
});
