// The cause that changes of the log record: who wrote, through which surface, and as part of which
// trace. Requests are made as clients make them; the log is read from the store.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Cause } from "../../src/kernel/cause.ts";
import { isTraceId } from "../../src/kernel/trace-context.ts";
import type { Change } from "../../src/store/port.ts";
import { created } from "./samples.ts";
import { startKubeServer } from "./server.ts";
import type { KubeServer, RequestHeaders } from "./server.ts";

let server: KubeServer;
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const configMaps = "/api/v1/namespaces/default/configmaps";

before(async () => {
  server = await startKubeServer();
});
after(async () => {
  assert.deepEqual(server.errors, []);
  await server.stop();
});

function configMap(name: string, data: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

async function historyOf(name: string): Promise<readonly Change[]> {
  return await server.store.history({ kind: "configmaps", namespace: "default", name });
}

async function lastCause(name: string): Promise<Cause | undefined> {
  return (await historyOf(name))[0]?.cause;
}

test("a write records its user, the surface, the trace and the Audit-ID", async () => {
  const headers = { traceparent, "audit-id": "my-audit-id" };
  const reply = await server.request("POST", configMaps, configMap("traced"), headers);
  assert.equal(reply.status, 201);
  assert.equal(reply.headers["audit-id"], "my-audit-id");
  assert.deepEqual(await lastCause("traced"), {
    actor: "setpoint:admin",
    surface: "kube",
    traceId,
    correlationId: "my-audit-id",
  });
});

test("a write without ids of its own gets a new trace and the Audit-ID of its answer", async () => {
  for (const headers of [{}, { traceparent: "nonsense" }] satisfies RequestHeaders[]) {
    const path = `${configMaps}/traced`;
    const spec = { data: { at: String(Object.keys(headers).length) } };
    const reply = await server.request("PATCH", path, spec, headers);
    assert.equal(reply.status, 200);
    const cause = await lastCause("traced");
    assert.equal(cause?.correlationId, reply.headers["audit-id"]);
    assert(isTraceId(cause?.traceId) && cause.traceId !== traceId);
  }
});

test("a write of an impersonated user names both users", async () => {
  const headers = { "impersonate-user": "jane", "impersonate-group": "system:masters" };
  await created(server.request("POST", configMaps, configMap("as-jane"), headers));
  const cause = await lastCause("as-jane");
  assert.deepEqual([cause?.actor, cause?.impersonator], ["jane", "setpoint:admin"]);
});

test("a deletion records who deleted, and every change of the log has a cause", async () => {
  await created(server.request("POST", configMaps, configMap("gone")));
  const reply = await server.request("DELETE", `${configMaps}/gone`, undefined, { traceparent });
  assert.equal(reply.status, 200);
  const [deletion] = await historyOf("gone");
  assert.equal(deletion?.type, "deleted");
  assert.equal(deletion.cause?.traceId, traceId);
  const { changes } = await server.store.changes(0, 1_000);
  assert(changes.length > 10);
  for (const { cause, key } of changes) {
    assert(cause !== undefined, `${key.kind} ${key.name} has no cause`);
    if (key.kind === "clusterroles") {
      assert.deepEqual(cause, { actor: "system:setpoint", surface: "system" });
    }
  }
});
