// What a service repeats of our secrets is shown nowhere: not in a status, an event or a log.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import type { Binding } from "../../src/modules/connect/binding.ts";
import { pathText } from "../../src/modules/connect/plan/requests.ts";
import {
  bookOf,
  conditionOf,
  messageOf,
  openMemoryConnect,
  plainBinding,
} from "./memory-connect.ts";
import type { MemoryConnect, MemoryConnectOptions } from "./memory-connect.ts";

const key = "k&y/with+marks";

async function openWithKey(options: MemoryConnectOptions): Promise<MemoryConnect> {
  const connection = {
    secretNamespace: "default",
    auth: { kind: "apiKey", in: "query", name: "api_key", secret: "proof" },
  };
  const connect = await openMemoryConnect({ ...options, connection });
  await connect.memory.create(secretWith("proof", { key }));
  return connect;
}

function secretWith(name: string, values: { readonly [key: string]: string }): JsonObject {
  const data = Object.entries(values).map(([at, value]): [string, string] => [
    at,
    Buffer.from(value).toString("base64"),
  ]);
  const metadata = { name, namespace: "default" };
  return { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(data) };
}

async function shownBy(connect: MemoryConnect): Promise<string> {
  const { store } = connect.memory;
  const events = await store.list({ kind: "events" });
  const told = events.records.map(({ body }) => Buffer.from(body).toString("utf8"));
  return [JSON.stringify(await connect.read("a")), ...connect.lines, ...told].join("\n");
}

function assertHidden(shown: string, secret: string): void {
  for (const form of [secret, encodeURIComponent(secret), secret.slice(0, 8)]) {
    assert.ok(!shown.includes(form), `${form} is shown:\n${shown}`);
  }
}

it("hides a key of the query in addresses of operations and pages, and in answers", async () => {
  const identity: Binding["identity"] = { kind: "server", field: "/id", parameter: "id" };
  const { operations } = plainBinding;
  const list = { method: "GET", items: "/items", paging: { kind: "link", next: "/next" } } as const;
  await using connect = await openWithKey({
    binding: { identity, operations: { ...operations, list } },
  });
  const { service, pass } = connect;
  let isRunning = true;
  service.interfere = ({ method, path, query, body }) => {
    assert.deepEqual(query.getAll("api_key"), [key]);
    const echo = `?${query.toString()}`;
    if (path === "/operations/1") {
      return { status: 200, body: { status: isRunning ? "Busy" : "Done" } };
    }
    if (path === "/things" && method === "GET") {
      const items = [...service.objects.values()];
      if (query.get("page") === "2") return { status: 200, body: { items } };
      return { status: 200, body: { items: [], next: `/things${echo}&page=2` } };
    }
    if (method !== "POST") return undefined;
    service.objects.set("/things/7", { ...(body as object), id: "7", self: `/things/7${echo}` });
    return { status: 202, headers: { "operation-location": `/operations/1${echo}&v=1` } };
  };
  await connect.make("a", { name: "a" });
  await pass(20_000);
  assert.equal(
    (bookOf(await connect.read("a"))["operation"] as JsonObject)["address"],
    "/operations/1?v=1",
  );
  isRunning = false;
  await pass(120_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  service.interfere = () => ({ status: 400, body: { message: `${"x".repeat(396)}${key}` } });
  await pass(120_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False BadRequest");
  assertHidden(await shownBy(connect), key);
});

it("hides the value of a secret field that a service repeats", async () => {
  const password = 'correct "horse" battery';
  const fields = [
    ...plainBinding.fields,
    { path: "/password", class: "writable", isSecret: true, from: "override" } as const,
  ];
  await using connect = await openWithKey({
    binding: { fields, joins: [{ name: "state", path: "/states/{id}" }] },
  });
  const { service, pass, memory } = connect;
  await memory.create(secretWith("creds", { pw: password }));
  let isRefused = true;
  service.interfere = ({ method, path, body }) => {
    const said = JSON.stringify(body ?? "");
    if (path.startsWith("/states/")) {
      const word = textAt(service.objects.get("/things/a"), "password");
      return { status: 200, body: { password: word, url: `db://root:${word}@host` } };
    }
    if (method !== "POST" || !isRefused) return undefined;
    return { status: 400, body: { message: `this is not taken: ${said}` } };
  };
  service.keep = (next) => ({ ...next, url: `db://root:${textAt(next, "password")}@host` });
  const secrets = [{ field: "/password", secret: "creds", key: "pw" }];
  await connect.make("a", { name: "a" }, { secrets });
  await pass(10_000);
  const refused = await connect.read("a");
  assert.equal(conditionOf(refused, "Synced"), "False BadRequest");
  assert.match(messageOf(refused, "Synced"), /this is not taken: .*\[hidden\]/);
  assertHidden(await shownBy(connect), password);
  isRefused = false;
  await pass(4_000_000);
  const made = await connect.read("a");
  assert.equal(conditionOf(made, "Ready"), "True Available");
  assert.match(JSON.stringify(made?.status), /db:\/\/root:\[hidden\]@host/);
  assertHidden(await shownBy(connect), password);
});

/** Only what differs is sent, so that the service keeps the password. */
function patchedWith(drift: "report" | "correct"): Partial<Binding> {
  return {
    drift,
    operations: {
      read: { method: "GET" },
      create: { method: "POST" },
      patch: { method: "PATCH", style: "merge" },
    },
    fields: [
      ...plainBinding.fields,
      { path: "/password", class: "write-only", isSecret: true, from: "override" },
    ],
  };
}

for (const drift of ["report", "correct"] as const) {
  it(`hides a secret that a field repeats which is compared, with drift: ${drift}`, async () => {
    const password = "hunter2hunter2";
    const host = "database.example.com/things";
    await using connect = await openMemoryConnect({ binding: patchedWith(drift) });
    const { service, pass, memory } = connect;
    await memory.create(secretWith("creds", { pw: password }));
    service.show = ({ password: word = "", ...rest }) => ({
      ...rest,
      url: `db://u:${pathText(word)}@${textAt(rest, "url")}`,
      other: `db://u:${pathText(word)}@${textAt(rest, "other")}`,
    });
    const secrets = [{ field: "/password", secret: "creds", key: "pw" }];
    // The one is alike to what is shown of it, and the other is not.
    await connect.make("a", { name: "a", url: host, other: "x" }, { secrets });
    for (let at = 0; at < 20; at++) {
      await pass(10_000);
      assertHidden(await shownBy(connect), password);
      assertHidden(JSON.stringify(await connect.plan("a")), password);
    }
    await connect.change("a", { spec: { name: "a", url: `${host}/2`, other: "y" } });
    assertHidden(JSON.stringify(await connect.plan("a")), password);
    await pass(60_000);
    assertHidden(await shownBy(connect), password);
    const known = bookOf(await connect.read("a"))["knownDifferences"] as readonly JsonObject[];
    const url = known.find(({ path }) => path === "/url");
    assert.equal(url?.["shown"], `db://u:[hidden]@${host}/2`);
  });
}

it("takes a repeated secret for the same way of writing, also when it changes", async () => {
  await using connect = await openMemoryConnect({ binding: patchedWith("correct") });
  const { service, pass, memory } = connect;
  await memory.create(secretWith("creds", { pw: "hunter2hunter2" }));
  service.show = ({ password: word = "", ...rest }) => ({
    ...rest,
    url: `db://u:${pathText(word)}@${textAt(rest, "url")}`,
  });
  const secrets = [{ field: "/password", secret: "creds", key: "pw" }];
  await connect.make("a", { name: "a", url: "database.example.com" }, { secrets });
  await pass(60_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  const at = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "creds" };
  await memory.patch(at, { data: { pw: Buffer.from("hunter3hunter3").toString("base64") } });
  await pass(60_000);
  const writes = service.log.length;
  await pass(600_000);
  assert.equal(service.objects.get("/things/a")?.["password"], "hunter3hunter3");
  assert.equal(conditionOf(await connect.read("a"), "Synced").slice(0, 4), "True");
  assert.ok(service.log.slice(writes).every((line) => line.startsWith("GET ")));
});

it("says which Secret to restore where one is gone that a deletion needs", async () => {
  await using connect = await openWithKey({});
  const { memory, service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass(5_000);
  await memory.remove({ apiVersion: "v1", kind: "Secret", namespace: "default", name: "proof" });
  await connect.remove("a");
  await pass(5_000);
  assert.equal(
    messageOf(await connect.read("a"), "Ready"),
    "the Connection service: the Secret proof with the key key does not exist (in the namespace " +
      "default); create it again: the object cannot be deleted without it",
  );
  await memory.create(secretWith("proof", { key }));
  await pass(5_000);
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 0);
});

it("takes a key that is given out at the creation for no id", async () => {
  for (const field of ["key", "apiKey", "access_key"]) {
    const identity: Binding["identity"] = { kind: "server", field: "/id", parameter: "id" };
    const fields = [
      ...plainBinding.fields,
      { path: "/key", class: "read-only", isSecret: true, from: "override" } as const,
    ];
    await using connect = await openMemoryConnect({ binding: { identity, fields } });
    const { service, pass } = connect;
    service.interfere = ({ method, body }) => {
      if (method !== "POST") return undefined;
      service.objects.set("/things/1", { ...(body as JsonObject), id: "1" });
      return { status: 201, body: { [field]: "given-out-once" } };
    };
    await connect.make("a", { name: "one", color: "red" });
    await pass(60_000);
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
    assert.equal(bookOf(await connect.read("a"))["id"], "1");
    assertHidden([await shownBy(connect), ...service.log].join("\n"), "given-out-once");
  }
});

const named = {
  client_secret: "named-secret-0001",
  options: { api_key: "named-secret-0002", tokens: ["named-secret-0003"] },
};

it("hides texts that are called like a credential, in status, plan and manifests", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", ...named, token_type: "bearer", color: "red" });
  // The service repeats one, and gives out another.
  const url = (next: JsonObject): string => `db://${textAt(next, "client_secret")}@host`;
  service.keep = (next) => ({ ...next, url: url(next), password: "given-0001" });
  await pass();
  await connect.change("a", { spec: { client_secret: "named-secret-0004", color: "blue" } });
  const plan = await connect.plan("a");
  await pass(70_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  // Last applied repeats the spec, which is as readable.
  const made = await connect.read("a");
  const book = { ...bookOf(made), lastApplied: {} };
  const status = JSON.stringify({ ...objectAt(made, "status"), connect: book });
  const events = (await connect.memory.store.list({ kind: "events" })).records.map(({ body }) => {
    return Buffer.from(body).toString("utf8");
  });
  const object = await connect.plan("b", { connect: { id: "a" } });
  for (const shown of [status, JSON.stringify(plan), JSON.stringify(object), ...events]) {
    assert.doesNotMatch(shown, /named-secret-\d|given-\d/);
  }
  assert.match(status, /"token_type":"bearer"/);
  assert.match(status, /db:\/\/\[hidden\]@host/);
  assert.match(JSON.stringify(plan), /"client_secret":"\[hidden\]".*"color":"blue"/);
  const kept = Object.keys(object.object ?? {}).toSorted();
  assert.deepEqual(kept, ["color", "name", "options", "token_type"]);
});

it("shows a field that is called like a credential where the RestKind says so", async () => {
  const plain = { path: "/client_secret", class: "writable", isSecret: false } as const;
  const fields = [...plainBinding.fields, { ...plain, from: "override" } as const];
  await using connect = await openMemoryConnect({ binding: { fields } });
  await connect.make("a", { name: "a", client_secret: "not-a-secret-1" });
  await connect.pass();
  const observed = textAt(await connect.read("a"), "status", "observed", "client_secret");
  assert.equal(observed, "not-a-secret-1");
});

it("hides a credential that a service uses as the name of a field", async () => {
  const password = "correct-horse-battery";
  const key2 = "sk0live1f4e8a9b2c7d";
  const fields = [
    ...plainBinding.fields,
    { path: "/password", class: "writable", isSecret: true, from: "override" } as const,
  ];
  await using connect = await openWithKey({ binding: { fields } });
  const { service, pass, memory } = connect;
  await memory.create(secretWith("creds", { pw: password }));
  service.keep = (next) => ({
    ...next,
    sessions: { [password]: { since: 1 }, [`${password}-2`]: { since: 2 } },
    api_keys: { [key2]: { owner: "ann", link: `/keys/${key2}` } },
  });
  const secrets = [{ field: "/password", secret: "creds", key: "pw" }];
  await connect.make("a", { name: "a" }, { secrets });
  await pass(10_000);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "True Available");
  const shown = await shownBy(connect);
  assertHidden(shown, password);
  assertHidden(shown, key2);
  assert.match(shown, /"\[hidden\]":\{"since":1\}/);
});
