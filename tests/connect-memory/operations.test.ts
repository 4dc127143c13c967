// Long-running operations, second documents, parents, secrets and errors, against a service in
// memory.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt } from "../../src/kernel/json-read.ts";
import {
  bookOf,
  conditionOf,
  group,
  messageOf,
  openMemoryConnect,
  plainBinding,
  thingsKind,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";
import type { ServiceAnswer } from "./memory-service.ts";

/** Every write is an operation at /operations/1, in the state that the test sets. */
function longRunning(connect: MemoryConnect, headers: { readonly [name: string]: string }) {
  const state = { now: "Running", answer: undefined as ServiceAnswer | undefined };
  const { service } = connect;
  service.interfere = ({ method, path, body }) => {
    if (path === "/operations/1") {
      return state.answer ?? { status: 200, body: { status: state.now }, headers };
    }
    if (method === "GET") return undefined;
    const at = method === "POST" ? "/things/a" : path;
    service.objects.set(at, { ...(body as JsonObject), id: "a" });
    if (method === "DELETE") service.objects.delete(at);
    return { status: 202, headers: { "operation-location": "/operations/1", ...headers } };
  };
  return state;
}

it("follows an operation over restarts, never sooner than the service wants", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  const state = longRunning(connect, { "retry-after": "20" });
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False Creating");
  const polls = (): number => service.log.filter((line) => line.includes("operations")).length;
  assert.equal(polls(), 0);
  await connect.restart();
  await pass(15_000);
  assert.equal(polls(), 0);
  await pass(10_000);
  assert.equal(polls(), 1);
  await connect.restart();
  state.now = "Succeeded";
  await pass(30_000);
  assert.equal(polls(), 2);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(bookOf(await connect.read("a"))["operation"], undefined);
});

it("leaves a service alone for an hour at most, whatever it says", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.interfere = () => ({ status: 503, headers: { "retry-after": "999999999" } });
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  const state = longRunning(connect, { "retry-after": "Thu, 01 Jan 2099 00:00:00 GMT" });
  await pass(3_700_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False Creating");
  state.now = "Succeeded";
  await pass(3_700_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("asks about an operation that an earlier one was told to ask about much later", async () => {
  await using connect = await openMemoryConnect();
  const { pass } = connect;
  const state = longRunning(connect, {});
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  const notBefore = "2057-09-09T00:00:00.000Z";
  await connect.changeStatus("a", { status: { connect: { operation: { notBefore } } } });
  state.now = "Succeeded";
  await pass(60_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("applies what was wanted meanwhile when the operation has ended", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  const state = longRunning(connect, {});
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  await connect.change("a", { spec: { color: "blue" } });
  await pass(5_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  state.now = "Succeeded";
  await pass(60_000);
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
  assert.equal(service.objects.get("/things/a")?.["color"], "blue");
});

it("says why an operation failed, and tries again", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  const state = longRunning(connect, {});
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  service.objects.clear();
  state.answer = { status: 200, body: { status: "Failed", error: { message: "no room" } } };
  await pass(2_000);
  const failed = await connect.read("a");
  assert.equal(conditionOf(failed, "Synced"), "False OperationFailed");
  assert.match(messageOf(failed, "Synced"), /no room/);
  state.answer = undefined;
  state.now = "Succeeded";
  await pass(60_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("takes no refusal to tell of an operation for its end", async () => {
  const identity = { kind: "server", field: "/id", parameter: "id" } as const;
  for (const status of [401, 403, 408, 429, 503]) {
    await using connect = await openMemoryConnect({ binding: { identity } });
    const { service, pass } = connect;
    const body = { status: "Failure", message: "not now" };
    let answer: ServiceAnswer = { status, body };
    service.interfere = ({ method, path }) => {
      if (path === "/operations/1") return answer;
      if (method !== "POST") return undefined;
      return { status: 201, body: { id: "7" }, headers: { "operation-location": "/operations/1" } };
    };
    await connect.make("a", { name: "a", color: "red" });
    await pass(10_000);
    const refused = await connect.read("a");
    assert.match(messageOf(refused, "Synced"), new RegExp(`^GET /operations/1: ${status} not now`));
    answer = { status: 200, body: { status: "Running" } };
    await pass(4_000_000);
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "False Creating");
    answer = { status: 200, body: { status: "Succeeded" } };
    service.objects.set("/things/7", { name: "a", color: "red", id: "7" });
    await pass(60_000);
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
    assert.deepEqual(writesOf(service), ["POST /things"]);
  }
});

it("asks no sooner than the service wants, also when it would not tell", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  const state = longRunning(connect, {});
  state.answer = { status: 429, headers: { "retry-after": "90" } };
  await connect.change("a", { spec: { color: "blue" } });
  await pass(80_000);
  const polls = (): number => service.log.filter((line) => line.includes("operations")).length;
  assert.equal(polls(), 1);
  state.answer = undefined;
  state.now = "Succeeded";
  await pass(30_000);
  assert.equal(polls(), 2);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "True ReconcileSuccess");
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
});

it("knows that an operation failed by what the kind lists, and by the answer itself", async () => {
  for (const { address, answer } of [
    { address: "operation-location", answer: { status: 500, body: { status: "broken" } } },
    { address: "operation-location", answer: { status: 409, body: { status: "Failed" } } },
    { address: "location", answer: { status: 422, body: { error: "no room" } } },
  ]) {
    await using connect = await openMemoryConnect({
      binding: { longRunning: { failed: ["broken"] } },
    });
    const { service, pass } = connect;
    service.interfere = ({ method, path }) => {
      if (path === "/operations/1") return answer;
      return method === "POST"
        ? { status: 202, headers: { [address]: "/operations/1" } }
        : undefined;
    };
    await connect.make("a", { name: "a" });
    await pass(60_000);
    // It is made anew; while it was only not told, it would not be.
    assert.ok(writesOf(service).length > 1);
  }
});

it("deletes by an operation and waits for its end", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  const state = longRunning(connect, {});
  await connect.remove("a");
  await pass(5_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False Deleting");
  state.now = "Success";
  await pass(60_000);
  assert.equal(await connect.read("a"), undefined);
  assert.deepEqual(writesOf(service), ["POST /things", "DELETE /things/a"]);
});

it("makes anew what it removed by an operation, also where drift is only told", async () => {
  const fields = [
    ...plainBinding.fields,
    { path: "/size", class: "create-only", from: "override" } as const,
  ];
  await using connect = await openMemoryConnect({ binding: { fields } });
  const { service, pass } = connect;
  await connect.make("a", { name: "a", size: 1 }, { drift: "report", replace: ["/size"] });
  await pass();
  let isDone = false;
  service.interfere = ({ method, path }) => {
    if (path === "/operations/1") {
      if (isDone) service.objects.delete("/things/a");
      return { status: 200, body: { status: isDone ? "Succeeded" : "Running" } };
    }
    if (method !== "DELETE") return undefined;
    return { status: 202, headers: { location: "/operations/1" } };
  };
  await connect.change("a", { spec: { size: 2 } });
  await pass(5_000);
  await connect.restart();
  isDone = true;
  await pass(60_000);
  assert.deepEqual(writesOf(service), ["POST /things", "DELETE /things/a", "POST /things"]);
  assert.equal(service.objects.get("/things/a")?.["size"], 2);
  const made = await connect.read("a");
  assert.equal(conditionOf(made, "Ready"), "True Available");
  assert.equal(bookOf(made)["replacing"], undefined);
});

it("does not ask an address outside of the connection", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.interfere = ({ method }) =>
    method === "POST"
      ? { status: 202, headers: { "operation-location": "http://elsewhere.example/1" } }
      : undefined;
  await connect.make("a", { name: "a" });
  await pass();
  const refused = await connect.read("a");
  assert.equal(conditionOf(refused, "Synced"), "False AddressOutside");
  assert.match(messageOf(refused, "Synced"), /elsewhere\.example/);
});

it("joins second documents, each with its own error, and is ready by a rule over all", async () => {
  await using connect = await openMemoryConnect({
    binding: {
      joins: [
        { name: "state", path: "/things/{id}/state" },
        { name: "usage", path: "/things/{id}/usage" },
      ],
      ready: "joined.state.power == 'on'",
    },
  });
  const { service, pass } = connect;
  let power = "off";
  service.interfere = ({ path }) => {
    if (path.endsWith("/usage")) return { status: 500, body: { error: "broken" } };
    return path.endsWith("/state") ? { status: 200, body: { power } } : undefined;
  };
  await connect.make("a", { name: "a" });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False NotReady");
  power = "on";
  await pass(20_000);
  const ready = await connect.read("a");
  assert.equal(conditionOf(ready, "Ready"), "True Available");
  const joined = objectAt(ready, "status", "joined");
  assert.deepEqual(objectAt(joined, "state", "value"), { power: "on" });
  assert.match(JSON.stringify(joined["usage"]), /broken/);
});

const errorCases = [
  { status: 400, body: { error: "bad kind" }, reason: "BadRequest", retry: "slow" },
  { status: 422, body: { error: { code: "InvalidName", message: "no" } }, reason: "InvalidName" },
  { status: 500, body: "<html><title>Oops</title></html>", reason: "ServiceError" },
  { status: 503, body: "", reason: "ServiceUnavailable" },
  { status: 403, body: "nobody may", reason: "Forbidden" },
];

it("tells what a service answered, whatever the answer looks like", async () => {
  for (const { status, body, reason } of errorCases) {
    await using connect = await openMemoryConnect();
    const { service, pass } = connect;
    service.interfere = ({ method }) => (method === "POST" ? { status, body } : undefined);
    await connect.make("a", { name: "a" });
    await pass(500);
    const refused = await connect.read("a");
    assert.equal(conditionOf(refused, "Synced"), `False ${reason}`);
    assert.match(messageOf(refused, "Synced"), new RegExp(`^POST /things: ${status} \\w+`));
  }
});

it("comes back when the service asks it to, and a changed spec at once", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  const answers = { status: 429, headers: { "retry-after": "90" } };
  let isBusy = true;
  service.interfere = ({ method }) => (method === "POST" && isBusy ? answers : undefined);
  await connect.make("a", { name: "a" });
  await pass(80_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  await pass(20_000);
  assert.equal(writesOf(service).length, 2);
  isBusy = false;
  await connect.change("a", { spec: { color: "red" } });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("obeys the rules of the kind for its errors", async () => {
  await using connect = await openMemoryConnect({
    binding: { errors: [{ status: 400, contains: "wait", is: "soon" }] },
  });
  const { service, pass } = connect;
  service.interfere = ({ method }) =>
    method === "POST" ? { status: 400, body: { error: "please wait" } } : undefined;
  await connect.make("a", { name: "a" });
  await pass(20_000);
  assert.ok(writesOf(service).length >= 3, service.log.join("\n"));
});

it("never takes a page for an object without fields", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  service.interfere = ({ method }) =>
    method === "GET"
      ? { status: 200, body: "<html>maintenance</html>", headers: { "content-type": "text/html" } }
      : undefined;
  await pass(100_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False UnexpectedAnswer");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

const secretFields = [
  ...plainBinding.fields,
  { path: "/password", class: "write-only", isSecret: true, from: "override" } as const,
];

it("takes secrets from Secrets, writes once when one changes, and shows none", async () => {
  await using connect = await openMemoryConnect({ binding: { fields: secretFields } });
  const { service, pass, memory } = connect;
  service.show = ({ password: _hidden, ...shown }) => shown;
  await connect.make(
    "a",
    { name: "a" },
    { secrets: [{ field: "/password", secret: "creds", key: "pw" }] },
  );
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False Waiting");
  const secret = (value: string): JsonObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "creds", namespace: "default" },
    data: { pw: Buffer.from(value).toString("base64") },
  });
  await memory.create(secret("first-password"));
  await pass();
  assert.equal(service.objects.get("/things/a")?.["password"], "first-password");
  await pass(200_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  const place = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "creds" };
  await memory.patch(place, { data: secret("second-password")["data"] ?? {} });
  await pass();
  assert.equal(service.objects.get("/things/a")?.["password"], "second-password");
  await pass(200_000);
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
  const shown = `${JSON.stringify(await connect.read("a"))}${connect.lines.join("")}`;
  assert.doesNotMatch(shown, /(first|second)-password/);
});

it("waits for its parent, and goes on by itself once that is ready", async () => {
  await using connect = await openMemoryConnect({
    binding: {
      item: "/things/{parent_id}/parts/{id}",
      collection: "/things/{parent_id}/parts",
      parent: { kind: thingsKind, path: "/things/{parent_id}" },
    },
  });
  const { service, pass, memory } = connect;
  await connect.make("child", { name: "child" }, { parent: { name: "top" } });
  await pass();
  const waits = await connect.read("child");
  assert.equal(conditionOf(waits, "Ready"), "False Waiting");
  assert.match(
    messageOf(waits, "Ready"),
    /its parent things\.things\.example\.dev top does not exist/,
  );
  await connect.make("top", { name: "top" }, { parent: { name: "nobody" } });
  await pass();
  const top = { apiVersion: `${group}/v1`, kind: "Thing", namespace: "default", name: "top" };
  await memory.patch(
    { ...top, subresource: "status" },
    {
      status: {
        connect: { path: "/things/t%2F1" },
        conditions: [
          { type: "Ready", status: "True", reason: "A", message: "", lastTransitionTime: "" },
        ],
      },
    },
  );
  await pass(5_000);
  assert.deepEqual([...service.objects.keys()], ["/things/t%2F1/parts/child"]);
  // The parent may be gone before its child is.
  await connect.remove("child");
  await pass();
  assert.equal(await connect.read("child"), undefined);
  assert.equal(service.objects.size, 0);
});

it("goes without its parent and without its connection when nothing was made", async () => {
  await using connect = await openMemoryConnect({
    binding: {
      connection: "elsewhere",
      item: "/things/{parent_id}/parts/{id}",
      collection: "/things/{parent_id}/parts",
      parent: { kind: thingsKind, path: "/things/{parent_id}" },
    },
  });
  await connect.make("child", { name: "child" }, { parent: { name: "top" } });
  await connect.pass();
  assert.equal(conditionOf(await connect.read("child"), "Ready"), "False Waiting");
  await connect.remove("child");
  await connect.pass();
  assert.equal(await connect.read("child"), undefined);
});

it("loses no element of a list that is sent whole, however many are written at once", async () => {
  for (const hasEtag of [true, false]) {
    const operations = {
      read: { method: "GET" },
      replace: { method: "PUT", hasEtag },
    } as const;
    await using connect = await openMemoryConnect({
      binding: {
        item: "/pools/p",
        identity: { kind: "client", field: "/name", parameter: "name" },
        operations,
        element: { list: "/members", keys: ["/name"] },
      },
    });
    const { service, pass } = connect;
    const theirs = { name: "theirs" };
    service.objects.set("/pools/p", { members: [theirs], note: "kept" });
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map((name) => connect.make(name, { name, weight: 1 })));
    await pass(10_000);
    const members = names.map((name) => ({ name, weight: 1 }));
    const kept = (): ReadonlySet<unknown> => {
      const list = service.objects.get("/pools/p")?.["members"] as readonly JsonObject[];
      return new Set(list.map((each) => JSON.stringify(each)));
    };
    assert.deepEqual(kept(), new Set([theirs, ...members].map((each) => JSON.stringify(each))));
    const puts = service.requests.filter(({ method }) => method === "PUT");
    assert.equal(
      puts.every(({ headers }) => (headers["if-match"] !== undefined) === hasEtag),
      true,
    );
    // Somebody else writes between the look and the write.
    let isFirst = hasEtag;
    service.interfere = ({ method, path }) => {
      if (method !== "PUT" || !isFirst) return undefined;
      isFirst = false;
      const pool = service.objects.get(path) ?? {};
      service.objects.set(path, { ...pool, note: "changed" });
      return undefined;
    };
    await connect.make("f", { name: "f" });
    await pass(10_000);
    await Promise.all(names.map((name) => connect.remove(name)));
    await pass(10_000);
    assert.deepEqual(kept(), new Set([theirs, { name: "f" }].map((each) => JSON.stringify(each))));
    assert.equal(service.objects.get("/pools/p")?.["note"], hasEtag ? "changed" : "kept");
  }
});

it("keeps an element of a list in the object of its parent, by commands", async () => {
  await using connect = await openMemoryConnect({
    binding: {
      item: "/zones/z",
      identity: { kind: "composite", fields: { name: "/name", type: "/type" } },
      operations: { read: { method: "GET" }, patch: { method: "PATCH", style: "set" } },
      element: {
        list: "/rrsets",
        keys: ["/name", "/type"],
        command: { field: "changetype", put: "REPLACE", delete: "DELETE" },
      },
    },
  });
  const { service, pass } = connect;
  const soa = { name: "z.", type: "SOA", ttl: 1 };
  service.objects.set("/zones/z", { rrsets: [soa] });
  service.interfere = ({ method, body }) => {
    if (method !== "PATCH") return undefined;
    const zone = service.objects.get("/zones/z") as { readonly rrsets: readonly JsonObject[] };
    let { rrsets } = zone;
    for (const command of (body as { readonly rrsets: readonly JsonObject[] }).rrsets) {
      const { changetype, ...element } = command;
      const isOther = (each: JsonObject): boolean =>
        each["name"] !== element["name"] || each["type"] !== element["type"];
      rrsets = [...rrsets.filter(isOther), ...(changetype === "REPLACE" ? [element] : [])];
    }
    service.objects.set("/zones/z", { rrsets });
    return { status: 204 };
  };
  const record = { name: "www.z.", type: "A", ttl: 60, records: [{ content: "1.2.3.4" }] };
  await connect.make("www", record);
  await pass();
  assert.equal(conditionOf(await connect.read("www"), "Ready"), "True Available");
  assert.deepEqual(service.objects.get("/zones/z")?.["rrsets"], [soa, record]);
  await connect.change("www", { spec: { ttl: 120 } });
  await pass();
  assert.deepEqual(service.objects.get("/zones/z")?.["rrsets"], [soa, { ...record, ttl: 120 }]);
  await pass(200_000);
  assert.equal(writesOf(service).length, 2);
  await connect.remove("www");
  await pass();
  assert.deepEqual(service.objects.get("/zones/z")?.["rrsets"], [soa]);
  assert.equal(await connect.read("www"), undefined);
});
