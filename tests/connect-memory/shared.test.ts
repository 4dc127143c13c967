// One object has one resource: what several could have, or did have, is told apart.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Binding } from "../../src/modules/connect/binding.ts";
import { bookOf, conditionOf, messageOf, openMemoryConnect } from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const byService: Partial<Binding> = {
  identity: { kind: "server", field: "/id", parameter: "id" },
};

function numbered({ service }: MemoryConnect): void {
  let last = 0;
  service.nextId = () => String((last += 1));
}

function creationsOf({ service }: MemoryConnect): number {
  return writesOf(service).filter((line) => line === "POST /things").length;
}

it("gives each of two equal objects without a name to one resource", async () => {
  for (const fate of ["lost", "nothing"] as const) {
    await using connect = await openMemoryConnect({ binding: byService });
    const { service, pass } = connect;
    numbered(connect);
    let creations = 0;
    service.interfere = ({ method }) => {
      if (method !== "POST") return undefined;
      creations += 1;
      if (creations > 2) return undefined;
      return creations === 1 && fate === "nothing" ? { status: 503 } : "lost";
    };
    for (const name of ["a", "b"]) await connect.make(name, { size: 1, color: "red", zone: 3 });
    await pass(400_000);
    const ids = new Set<unknown>();
    for (const name of ["a", "b"]) {
      const found = await connect.read(name);
      assert.equal(conditionOf(found, "Ready"), "True Available", messageOf(found, "Synced"));
      ids.add(bookOf(found)["id"]);
    }
    assert.deepEqual(ids, new Set(["1", "2"]));
    assert.equal(service.objects.size, 2);
    assert.equal(creationsOf(connect), fate === "lost" ? 2 : 3);
  }
});

it("asks a person where too little tells an object from others", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  service.interfere = ({ method }) => (method === "POST" ? "lost" : undefined);
  await connect.make("a", { size: 1 });
  await pass(400_000);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Synced"), "False CreateIncomplete");
  assert.match(messageOf(found, "Synced"), /it may be this object: 1/);
  assert.equal(creationsOf(connect), 1);
});

it("refuses an object to a second resource, which takes nothing away when it goes", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  await connect.make("b", { name: "a", color: "blue" }, { id: "1", manage: "full" });
  await connect.make("c", {}, { id: "1", manage: "observe" });
  await pass(10_000);
  const second = await connect.read("b");
  assert.equal(conditionOf(second, "Synced"), "False ObjectTaken");
  assert.match(
    messageOf(second, "Synced"),
    /the resource a already manages the object \/things\/1/,
  );
  assert.equal(conditionOf(await connect.read("c"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), ["POST /things"]);
  await connect.remove("b");
  await pass(10_000);
  assert.equal(await connect.read("b"), undefined);
  assert.equal(service.objects.size, 1);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "True ReconcileSuccess");
});

it("tells when a service makes no second object of the same name", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  service.interfere = ({ method, body }) => {
    if (method !== "POST") return undefined;
    service.objects.set("/things/7", { ...(body as object), id: "7" });
    return { status: 200, body: service.objects.get("/things/7") ?? {} };
  };
  await connect.make("a", { name: "same", color: "red" });
  await pass(5_000);
  await connect.make("b", { name: "same", color: "blue" });
  await pass(200_000);
  assert.equal(conditionOf(await connect.read("b"), "Synced"), "False ObjectTaken");
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "True ReconcileSuccess");
  assert.equal(service.objects.get("/things/7")?.["color"], "red");
});
