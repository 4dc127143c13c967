// A service that tells of changes is looked at at once; one that does not, or lies, at its time.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "../../src/kernel/json.ts";
import { wakeByEvent } from "../../src/modules/connect/kinds/wake-by-event.ts";
import { connectVersion, openMemoryConnect } from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

async function tell(
  { memory }: MemoryConnect,
  event: Json,
  connection = "service",
): Promise<number> {
  return await wakeByEvent(memory.plane.intents, connection, event, AbortSignal.timeout(60_000));
}

it("looks at once at what a service tells of, and at nothing else", async () => {
  await using connect = await openMemoryConnect({
    binding: { resyncSeconds: 100_000 },
    connection: { events: { id: "/object" } },
  });
  const { service, pass } = connect;
  for (const name of ["a", "b"]) await connect.make(name, { name, color: "red" });
  await pass();
  for (const name of ["a", "b"]) {
    service.objects.set(`/things/${name}`, { id: name, name, color: "green" });
  }
  assert.equal(await tell(connect, [{ object: "unknown" }, { other: "a" }, 7]), 0);
  assert.equal(await tell(connect, { object: "http://service/things/a" }), 1);
  assert.equal(await tell(connect, [{ object: "a" }, { object: "a" }]), 1);
  await pass(2_000);
  assert.equal(service.objects.get("/things/a")?.["color"], "red");
  assert.equal(service.objects.get("/things/b")?.["color"], "green");
  assert.equal(writesOf(service).length, 3);
});

it("is woken by nobody where the connection names no place for ids", async () => {
  await using connect = await openMemoryConnect();
  await connect.make("a", { name: "a" });
  await connect.pass();
  assert.equal(await tell(connect, { id: "a" }), 0);
});

it("wakes what uses the connection, by its kind or by itself", async () => {
  await using connect = await openMemoryConnect({ connection: { events: { id: "/object" } } });
  const { memory, pass } = connect;
  await memory.create({
    apiVersion: connectVersion,
    kind: "Connection",
    metadata: { name: "other" },
    spec: { baseUrl: "http://service", events: { id: "/object" } },
  });
  await connect.make("a", { name: "a" });
  await connect.make("b", { name: "b" }, { connection: "other" });
  await pass(10_000);
  const all = ["a", "b"].map((object) => ({ object }));
  assert.equal(await tell(connect, all), 1);
  assert.equal(await tell(connect, all, "other"), 1);
  assert.equal(await tell(connect, { object: "/api/v1/things/b" }, "other"), 1);
  assert.equal(await tell(connect, { object: "b" }), 0);
});
