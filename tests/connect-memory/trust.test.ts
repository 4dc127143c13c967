// What stands in a status or comes from a service is not believed where harm could come of it.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Binding } from "../../src/modules/connect/binding.ts";
import { bookOf, conditionOf, openMemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const byService: Partial<Binding> = {
  identity: { kind: "server", field: "/id", parameter: "id" },
};

it("never leaves the paths of its kind, whatever a status says", async () => {
  for (const binding of [{}, byService]) {
    await using connect = await openMemoryConnect({ binding });
    const { service, pass } = connect;
    service.objects.set("/admins/root", { id: "root", name: "root" });
    await connect.make("a", { name: "a", color: "red" });
    await pass();
    for (const path of ["/admins/root", "/things/../admins/root", "/things/%E0%A4%A", "/things/"]) {
      await connect.changeStatus("a", { status: { connect: { path } } });
      await connect.change("a", { spec: { color: path } });
      await pass(70_000);
      assert.equal(service.objects.get("/things/a")?.["color"], path);
      assert.equal(bookOf(await connect.read("a"))["path"], "/things/a");
    }
    await connect.changeStatus("a", { status: { connect: { path: "/admins/root" } } });
    await connect.remove("a");
    await pass(10_000);
    assert.equal(await connect.read("a"), undefined);
    assert.deepEqual([...service.objects.keys()], ["/admins/root"]);
    assert.equal(writesOf(service).filter((line) => !line.includes(" /things")).length, 0);
  }
});

it("stays with the parameters that the kind fixes, whatever a status says", async () => {
  await using connect = await openMemoryConnect({
    binding: {
      item: "/tenants/{tenant}/things/{id}",
      collection: "/tenants/{tenant}/things",
      parameters: { tenant: { value: "ours" } },
    },
  });
  const { service, pass } = connect;
  service.objects.set("/tenants/theirs/things/a", { id: "a", name: "a" });
  await connect.make("a", { name: "a" });
  await pass();
  const path = "/tenants/theirs/things/a";
  await connect.changeStatus("a", { status: { connect: { path } } });
  await connect.remove("a");
  await pass(10_000);
  assert.deepEqual([...service.objects.keys()], [path]);
});

it("deletes nothing where the path is wrong and the id is not known", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  await connect.changeStatus("a", { status: { connect: { path: "/admins/root", id: null } } });
  await connect.remove("a");
  await pass(10_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False PathUnfit");
  await connect.change("a", { connect: { manage: "keep" } });
  await pass(10_000);
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 1);
});

it("knows its object by the id where somebody took the path out of the status", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  service.nextId = () => String(service.objects.size + 1);
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  await connect.changeStatus("a", { status: { connect: { path: null } } });
  await connect.change("a", { spec: { color: "blue" } });
  await pass(70_000);
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/1"]);
  await connect.change("a", { metadata: { annotations: { "setpoint.dev/paused": "true" } } });
  await connect.changeStatus("a", { status: { connect: { path: null } } });
  await connect.remove("a");
  await connect.change("a", { metadata: { annotations: { "setpoint.dev/paused": null } } });
  await pass(70_000);
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 0);
});
