// Answers from which nobody can tell whether something was made: nothing is made twice for them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { Binding } from "../../src/modules/connect/binding.ts";
import {
  bookOf,
  conditionOf,
  messageOf,
  openMemoryConnect,
  plainBinding,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const byService: Partial<Binding> = {
  identity: { kind: "server", field: "/id", parameter: "id" },
};

const { read, create, delete: remove, replace } = plainBinding.operations;
const unlisted = { read, create, delete: remove, replace } as Binding["operations"];

function numbered({ service }: MemoryConnect): void {
  let last = 0;
  service.nextId = () => String((last += 1));
}

it("takes no id from an answer that is about the operation", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  service.interfere = ({ method, body }) => {
    if (method !== "POST") return undefined;
    service.objects.set("/things/7", { ...(body as object), id: "7" });
    return { status: 202, body: { id: "job-1" } };
  };
  await connect.make("a", { name: "a" });
  await pass(60_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "7");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("makes nothing again that the service says it made, though it does not list it", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  service.interfere = ({ method }) => (method === "POST" ? { status: 201 } : undefined);
  await connect.make("a", { name: "a" });
  await pass(600_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False CreateIncomplete");
});

it("makes nothing again while the list says that it could not be read", async () => {
  for (const failure of [{ error: "locked", code: 17 }, { errors: [{ id: 1 }] }, { ok: false }]) {
    const list = { method: "GET", items: "/items" } as const;
    const operations = { ...plainBinding.operations, list };
    await using connect = await openMemoryConnect({ binding: { ...byService, operations } });
    const { service, pass } = connect;
    numbered(connect);
    let isLost = false;
    service.interfere = ({ method, path }) => {
      if (method === "GET" && path === "/things") {
        return { status: 200, body: isLost ? failure : { errors: [] } };
      }
      if (method !== "POST" || isLost) return undefined;
      isLost = true;
      return "lost";
    };
    await connect.make("a", { name: "a", color: "red" });
    await pass(600_000);
    assert.deepEqual(writesOf(service), ["POST /things"]);
    assert.equal(conditionOf(await connect.read("a"), "Synced"), "False UnexpectedAnswer");
  }
});

it("does not go round in pages that lead in a circle", async () => {
  const paging = { kind: "link", next: "/next" } as const;
  const list = { method: "GET", items: "/items", paging } as const;
  const operations = { ...plainBinding.operations, list };
  await using connect = await openMemoryConnect({ binding: { ...byService, operations } });
  const { service, pass } = connect;
  service.interfere = ({ path }) =>
    path === "/things" ? { status: 200, body: { items: [], next: "/things?page=2" } } : undefined;
  await connect.make("a", { name: "a" });
  await pass();
  const said = messageOf(await connect.read("a"), "Synced");
  assert.match(
    said,
    /the next page repeats an earlier one \(see operations\.list in the RestKind things/,
  );
  assert.equal(service.log.length, 2);
});

it("makes nothing again while what should be a list is none", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  let isLost = false;
  service.interfere = ({ method, path }) => {
    if (method === "GET" && path === "/things" && isLost) return { status: 200, body: "<html>" };
    if (method !== "POST" || isLost) return undefined;
    isLost = true;
    return "lost";
  };
  await connect.make("a", { name: "a" });
  await pass(600_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False UnexpectedAnswer");
  service.interfere = undefined;
  await pass(600_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("looks for what a redirect may lead to", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  service.interfere = ({ method, body }) => {
    if (method !== "POST") return undefined;
    service.objects.set("/things/7", { ...(body as object), id: "7" });
    return { status: 303, headers: { location: "/things/7" } };
  };
  await connect.make("a", { name: "a" });
  await pass(60_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "7");
});

it("knows as its own what an earlier try made after it was looked for", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  let tries = 0;
  service.interfere = ({ method, body }) => {
    if (method !== "POST") return undefined;
    tries += 1;
    if (tries === 1) return { status: 504 };
    service.objects.set("/things/a", { ...(body as object), id: "a" });
    return { status: 409, body: "it exists" };
  };
  await connect.make("a", { name: "a" });
  await pass(120_000);
  assert.equal(tries, 2);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  await connect.remove("a");
  await pass(10_000);
  assert.equal(service.objects.size, 0);
});

it("does not forget a try because the next one was refused, or not even sent", async () => {
  for (const next of [{ status: 429 }, "refused"] as const) {
    await using connect = await openMemoryConnect();
    const { service, pass } = connect;
    let tries = 0;
    service.interfere = ({ method }) => {
      if (method !== "POST") return undefined;
      tries += 1;
      return tries === 1 ? { status: 504 } : next;
    };
    await connect.make("a", { name: "a" });
    const isTriedAgain = (): boolean => tries >= 2;
    for (let round = 0; !isTriedAgain() && round < 400; round += 1) await pass(500);
    service.objects.set("/things/a", { name: "a", id: "a" });
    await pass(120_000);
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
    await connect.remove("a");
    await pass(10_000);
    assert.equal(service.objects.size, 0);
  }
});

it("takes nothing for its own that comes under its name when no try can be at it", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  let tries = 0;
  service.interfere = ({ method }) => {
    if (method !== "POST") return undefined;
    tries += 1;
    return { status: tries === 1 ? 504 : 422 };
  };
  await connect.make("a", { name: "a" });
  await pass(8_000_000);
  assert.ok(tries > 2);
  const theirs = { name: "a", id: "a", color: "green" };
  service.objects.set("/things/a", theirs);
  await pass(8_000_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False AlreadyExists");
  await connect.remove("a");
  await pass(10_000);
  assert.deepEqual(service.objects.get("/things/a"), theirs);
});

it("finds what an earlier try made though the next one was refused", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  let tries = 0;
  service.interfere = ({ method }) => {
    if (method !== "POST") return undefined;
    tries += 1;
    return tries === 1 ? { status: 504 } : { status: 429, headers: { "retry-after": "60" } };
  };
  await connect.make("a", { name: "a" });
  const isTriedAgain = (): boolean => tries >= 2;
  for (let round = 0; !isTriedAgain() && round < 400; round += 1) await pass(1_000);
  service.objects.set("/things/7", { name: "a", id: "7" });
  await pass(200_000);
  assert.equal(tries, 2);
  assert.equal(bookOf(await connect.read("a"))["id"], "7");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("looks again when something appears right before another try", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass, memory } = connect;
  let tries = 0;
  let listedMs = 0;
  service.interfere = ({ method, path }) => {
    if (method === "POST") {
      tries += 1;
      return tries === 1 ? { status: 504 } : undefined;
    }
    if (path !== "/things") return undefined;
    // The second list of one run: it was looked for in vain, and is about to be sent again.
    const nowMs = memory.surroundings.clock.nowMs();
    if (tries === 1 && listedMs === nowMs) {
      service.objects.set("/things/7", { name: "a", id: "7" });
    }
    listedMs = tries === 0 ? 0 : nowMs;
    return undefined;
  };
  await connect.make("a", { name: "a" });
  await pass(300_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "7");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("leaves nothing behind that an operation made and the service lists late", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  let state = "Running";
  service.interfere = ({ method, path }) => {
    if (path === "/operations/1") return { status: 200, body: { status: state } };
    if (method !== "POST") return undefined;
    return { status: 202, headers: { "operation-location": "/operations/1" } };
  };
  await connect.make("a", { name: "a" });
  await pass(200_000);
  await connect.remove("a");
  await pass(2_000);
  state = "Succeeded";
  await pass(60_000);
  const going = await connect.read("a");
  assert.equal(conditionOf(going, "Synced"), "False CreateIncomplete");
  assert.match(
    messageOf(going, "Synced"),
    /set connect\.id to the object to delete it.*detach-on-delete/,
  );
  service.objects.set("/things/7", { name: "a", id: "7" });
  await pass(4_000_000);
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 0);
});

it("deletes what a person says that it made", async () => {
  await using connect = await openMemoryConnect({
    binding: { ...byService, operations: unlisted },
  });
  const { service, pass } = connect;
  numbered(connect);
  service.interfere = ({ method }) => (method === "POST" ? "lost" : undefined);
  await connect.make("a", { name: "a" });
  await pass(10_000);
  await connect.remove("a");
  await pass(10_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False CreateIncomplete");
  await connect.change("a", { connect: { id: "1" } });
  await pass(4_000_000);
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 0);
});

it("knows what was made by an operation that it cannot follow", async () => {
  await using connect = await openMemoryConnect({
    binding: { ...byService, operations: unlisted },
  });
  const { service, pass } = connect;
  const headers = { "operation-location": "http://elsewhere.example/1" };
  service.interfere = ({ method }) =>
    method === "POST" ? { status: 201, body: { id: "7" }, headers } : undefined;
  await connect.make("a", { name: "a" });
  await pass(10_000);
  const refused = await connect.read("a");
  assert.equal(conditionOf(refused, "Synced"), "False AddressOutside");
  assert.equal(bookOf(refused)["id"], "7");
  service.objects.set("/things/7", { name: "a", id: "7" });
  await pass(4_000_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("believes no id that is another object's, or a job's", async () => {
  for (const answer of [
    { status: 201, body: { name: "7" } },
    { status: 201, body: { jobId: "7" } },
    { status: 201, headers: { location: "/jobs/7" } },
  ]) {
    const identity = { kind: "server", field: "/number", parameter: "id" } as const;
    await using connect = await openMemoryConnect({ binding: { identity } });
    const { service, pass } = connect;
    const theirs = { number: "7", name: "theirs", color: "green" };
    service.objects.set("/things/7", theirs);
    service.interfere = ({ method, body }) => {
      if (method !== "POST") return undefined;
      service.objects.set("/things/8", { ...(body as object), number: "8" });
      return answer;
    };
    await connect.make("a", { name: "a", color: "red" });
    await pass(60_000);
    assert.equal(bookOf(await connect.read("a"))["id"], "8");
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
    assert.deepEqual(service.objects.get("/things/7"), theirs);
    service.interfere = ({ method, path, body }) => {
      if (method !== "PUT") return undefined;
      service.objects.set(path, { ...(body as object), number: "8" });
      return { status: 200, body: { jobId: "7" } };
    };
    await connect.change("a", { spec: { color: "blue" } });
    await pass(200_000);
    assert.equal(bookOf(await connect.read("a"))["id"], "8");
    assert.deepEqual(service.objects.get("/things/7"), theirs);
    assert.equal(writesOf(service).length, 2);
  }
});

it("takes an id under another name once the object under it is seen", async () => {
  await using connect = await openMemoryConnect({
    binding: { ...byService, operations: unlisted },
  });
  const { service, pass } = connect;
  let isShown = false;
  service.interfere = ({ method, path, body }) => {
    if (method === "GET" && path === "/things/7" && !isShown) return { status: 404 };
    if (method !== "POST") return undefined;
    service.objects.set("/things/7", { ...(body as object), id: "7" });
    return { status: 201, body: { thingID: "7" } };
  };
  await connect.make("a", { name: "a" });
  await pass(10_000);
  const early = await connect.read("a");
  assert.equal(conditionOf(early, "Synced"), "False CreateIncomplete");
  assert.match(messageOf(early, "Synced"), /7 may be its id/);
  isShown = true;
  await pass(4_000_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("lets no secret into an address, and no resource change what the binding says", async () => {
  await using connect = await openMemoryConnect({
    binding: {
      item: "/tenants/{tenant}/things/{id}",
      collection: "/tenants/{tenant}/things",
      identity: { kind: "client", field: "/name", parameter: "id" },
      parameters: { tenant: { value: "ours" } },
    },
  });
  const secrets = [{ field: "/name", secret: "hidden", key: "word" }];
  const refused = await connect.make("a", {}, { secrets }).catch((error: unknown) => error);
  assert.ok(isSetpointError(refused));
  assert.match(
    refused.message,
    /connect\.secrets\[0\]\.field: Forbidden: \/name identifies the object/,
  );
  await connect.make("b", { name: "b" }, { parameters: { tenant: "theirs" } });
  await connect.pass(10_000);
  assert.deepEqual(writesOf(connect.service), ["POST /tenants/ours/things"]);
});
