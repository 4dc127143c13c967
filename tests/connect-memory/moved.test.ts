// A base URL that leads somewhere else, by mistake or for a while: what is not there is not gone.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Binding } from "../../src/modules/connect/binding.ts";
import {
  bookOf,
  conditionOf,
  connectVersion,
  messageOf,
  openMemoryConnect,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const byService: Partial<Binding> = {
  identity: { kind: "server", field: "/id", parameter: "id" },
};

async function leadTo(connect: MemoryConnect, baseUrl: string): Promise<void> {
  connect.service.interfere = ({ path }) => (path.startsWith("/v1") ? { status: 404 } : undefined);
  const at = { apiVersion: connectVersion, kind: "Connection", name: "service" };
  await connect.memory.patch(at, { spec: { baseUrl } });
  await connect.pass(70_000);
}

for (const binding of [{}, byService]) {
  const who = binding === byService ? "the service" : "us";
  it(`makes nothing twice when a base URL is mistyped (ids of ${who})`, async () => {
    await using connect = await openMemoryConnect({ binding });
    connect.service.nextId = () => "a";
    await connect.make("a", { name: "a", color: "red" });
    await connect.pass();
    await leadTo(connect, "http://service/v1");
    const away = await connect.read("a");
    assert.equal(conditionOf(away, "Synced"), "False ServiceMoved");
    assert.match(
      messageOf(away, "Synced"),
      /last seen at http:\/\/service and .* http:\/\/service\/v1/,
    );
    assert.equal(bookOf(away)["id"], "a");
    assert.equal((await connect.plan("a")).action, "refuse");
    await leadTo(connect, "http://service");
    assert.equal(conditionOf(await connect.read("a"), "Synced")?.split(" ")[0], "True");
    assert.deepEqual(writesOf(connect.service), ["POST /things"]);
  });

  it(`takes nothing for deleted when a base URL is mistyped (ids of ${who})`, async () => {
    await using connect = await openMemoryConnect({ binding });
    connect.service.nextId = () => "a";
    await connect.make("a", { name: "a", color: "red" });
    await connect.pass();
    await leadTo(connect, "http://service/v1");
    await connect.remove("a");
    await connect.pass(60_000);
    assert.equal(conditionOf(await connect.read("a"), "Synced"), "False ServiceMoved");
    await leadTo(connect, "http://service/");
    assert.equal(await connect.read("a"), undefined);
    assert.deepEqual(writesOf(connect.service), ["POST /things", "DELETE /things/a"]);
  });
}

it("follows a service to its new address where the object is there", async () => {
  await using connect = await openMemoryConnect();
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass();
  await leadTo(connect, "http://elsewhere");
  assert.equal(bookOf(await connect.read("a"))["service"], "http://elsewhere");
  connect.service.objects.clear();
  await connect.pass(70_000);
  assert.deepEqual(writesOf(connect.service), ["POST /things", "POST /things"]);
});
