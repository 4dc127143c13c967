// The loop against a service in memory: each test is one claim about what is sent, and when.
import assert from "node:assert/strict";
import { it } from "node:test";
import { bookOf, conditionOf, openMemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

it("creates, changes by PUT, puts back what others change, and deletes", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red", tags: { x: "1" } });
  await pass();
  const made = await connect.read("a");
  assert.equal(conditionOf(made, "Ready"), "True Available", JSON.stringify(made));
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(bookOf(made)["path"], "/things/a");

  await connect.change("a", { spec: { color: "blue" } });
  await pass();
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
  assert.equal(service.objects.get("/things/a")?.["color"], "blue");

  service.objects.set("/things/a", {
    ...service.objects.get("/things/a"),
    color: "green",
    mine: 1,
  });
  await pass(200_000);
  assert.equal(writesOf(service).length, 3, service.log.join("\n"));
  assert.deepEqual(service.objects.get("/things/a"), {
    name: "a",
    color: "blue",
    tags: { x: "1" },
    mine: 1,
    id: "a",
  });

  await connect.remove("a");
  await pass();
  assert.equal(service.objects.size, 0);
  assert.equal(await connect.read("a"), undefined);
});
