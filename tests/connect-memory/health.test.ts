// A Connection shows how its service fares, from the requests that are made anyway.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "../../src/kernel/json.ts";
import { connectionTeller } from "../../src/modules/connect/kinds/connection-teller.ts";
import type { ConnectionTeller } from "../../src/modules/connect/kinds/connection-teller.ts";
import { conditionOf, connectVersion, messageOf, openMemoryConnect } from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";

const at = { apiVersion: connectVersion, kind: "Connection", name: "service" };
const connectionIn = async ({ memory }: MemoryConnect) => await memory.read(at);

/** As another server would tell it. */
const tell = async ({ memory }: MemoryConnect, status: string, reason: string): Promise<void> => {
  const told = { type: "Ready", status, reason, message: "told by another" };
  const conditions: Json = [{ ...told, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  await memory.patch({ ...at, subresource: "status" }, { status: { conditions } });
};

it("tells that the service does not answer, at which address, and that it does again", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "True Answering");
  service.interfere = () => "refused";
  await pass(90_000);
  const down = await connectionIn(connect);
  assert.equal(conditionOf(down, "Ready"), "False ConnectionFailed");
  assert.equal(messageOf(down, "Ready"), "GET http://service/things/a: the connection was refused");
  assert.equal(
    messageOf(await connect.read("a"), "Synced"),
    "the connection service: GET http://service/things/a: the connection was refused",
  );
  service.interfere = undefined;
  await pass(600_000);
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "True Answering");
});

it("tells of a service that is not well, or does not know us, and nothing secret", async () => {
  await using connect = await openMemoryConnect({
    connection: {
      secretNamespace: "default",
      auth: { kind: "apiKey", secret: "key", key: "key", in: "query", name: "key" },
    },
  });
  const { service, pass, memory } = connect;
  const metadata = { name: "key", namespace: "default" };
  await memory.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    stringData: { key: "pa55word" },
  });
  service.interfere = () => ({ status: 503, body: { message: "gone fishing, pa55word" } });
  await connect.make("a", { name: "a" });
  await pass();
  const down = await connectionIn(connect);
  assert.equal(conditionOf(down, "Ready"), "False Unavailable");
  assert.match(messageOf(down, "Ready"), /^GET http:\/\/service\/things\/a: 503 gone fishing/);
  service.interfere = () => ({ status: 401, body: { message: "who are you" } });
  await pass(600_000);
  const unknown = await connectionIn(connect);
  assert.equal(conditionOf(unknown, "Ready"), "False CredentialsRefused");
  assert.doesNotMatch(JSON.stringify([down, unknown]), /pa55word/);
});

it("tells that its Secret is missing, or not as needed, and that it is there again", async () => {
  await using connect = await openMemoryConnect({
    connection: { auth: { kind: "bearer", secret: "proof" }, secretNamespace: "default" },
  });
  const { pass, memory } = connect;
  const metadata = { name: "proof", namespace: "default" };
  const secret = { apiVersion: "v1", kind: "Secret", metadata };
  await connect.make("a", { name: "a" });
  await pass(10_000);
  const missing = await connectionIn(connect);
  assert.equal(conditionOf(missing, "Ready"), "False SecretNotFound");
  assert.match(
    messageOf(missing, "Ready"),
    /^the Secret proof .* does not exist .*namespace default\)$/,
  );
  await memory.create({ ...secret, stringData: { other: "pa55word" } });
  await pass(60_000);
  const wrong = await connectionIn(connect);
  assert.equal(conditionOf(wrong, "Ready"), "False SecretInvalid");
  assert.match(messageOf(wrong, "Ready"), /^the Secret proof has no key token/);
  await memory.remove({ apiVersion: "v1", kind: "Secret", ...metadata });
  await memory.create({ ...secret, stringData: { token: "pa55word" } });
  await pass(600_000);
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "True Answering");
  // One that was answered before does not go on saying so.
  await memory.remove({ apiVersion: "v1", kind: "Secret", ...metadata });
  await pass(600_000);
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "False SecretNotFound");
});

it("takes what goes wrong with one object for a sign that the service answers", async () => {
  await using connect = await openMemoryConnect();
  connect.service.interfere = () => ({ status: 500, body: { message: "no" } });
  await connect.make("a", { name: "a" });
  await connect.pass();
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "True Answering");
});

it("is written ever more rarely when some requests are answered and others are not", async () => {
  await using connect = await openMemoryConnect({ binding: { resyncSeconds: 5 } });
  const { service, pass } = connect;
  for (const name of ["a", "b"]) await connect.make(name, { name });
  service.interfere = ({ path }) => (path.endsWith("/b") ? "refused" : undefined);
  await pass();
  const before = Number((await connectionIn(connect))?.metadata.resourceVersion);
  const versions = new Set<number>([before]);
  const requests = service.log.length;
  for (let second = 0; second < 1_800; second++) {
    await pass();
    versions.add(Number((await connectionIn(connect))?.metadata.resourceVersion));
  }
  assert.ok(service.log.length - requests > 300, `${service.log.length - requests} requests`);
  assert.ok(versions.size <= 16, `${versions.size} versions in half an hour`);
});

it("takes back what another server said, and does not insist on trouble", async () => {
  await using connect = await openMemoryConnect({ binding: { resyncSeconds: 5 } });
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass(20_000);
  await tell(connect, "False", "ConnectionFailed");
  await pass(6_000);
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "True Answering");
  service.interfere = () => "refused";
  await pass(120_000);
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "False ConnectionFailed");
  await tell(connect, "True", "Answering");
  await pass(600_000);
  assert.equal(messageOf(await connectionIn(connect), "Ready"), "told by another");
  await pass(3_600_000);
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "False ConnectionFailed");
});

it("tells of the new address once the Connection has another", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass, memory } = connect;
  service.interfere = () => "refused";
  await connect.make("a", { name: "a" });
  await pass();
  await memory.patch(at, { spec: { baseUrl: "http://elsewhere/v1" } });
  await pass(120_000);
  assert.match(
    messageOf(await connectionIn(connect), "Ready"),
    /^GET http:\/\/elsewhere\/v1\/things/,
  );
});

function tellerIn({ memory }: MemoryConnect, intents = memory.plane.intents): ConnectionTeller {
  return connectionTeller({
    intents,
    timers: memory.surroundings.timers,
    type: "Ready",
    pausesMs: [10_000, 300_000],
    // Another may have written at the same time: it is tried again.
    onError: () => undefined,
  });
}

const down = { status: "False", reason: "Unavailable", message: "gone fishing" } as const;
const up = { status: "True", reason: "Answering", message: "the service responds" } as const;

it("tells also what was found out while it told something else", async () => {
  await using connect = await openMemoryConnect();
  const { intents } = connect.memory.plane;
  let looks = 0;
  const get: typeof intents.live.get = (key) => {
    looks += 1;
    // The second look is that of the write.
    if (looks === 2) teller.say("service", up);
    return intents.live.get(key);
  };
  const follow: typeof intents.live.follow = (kind, each) => intents.live.follow(kind, each);
  await using teller = tellerIn(connect, { ...intents, live: { ...intents.live, get, follow } });
  teller.say("service", down);
  await connect.pass(60_000);
  assert.equal(conditionOf(await connectionIn(connect), "Ready"), "True Answering");
});

it("tells what was found out before the Connection was known here", async () => {
  await using connect = await openMemoryConnect();
  await using teller = tellerIn(connect);
  teller.say("other", down);
  await connect.pass();
  const metadata = { name: "other" };
  const spec = { baseUrl: "http://other" };
  const { apiVersion, kind } = at;
  await connect.memory.create({ apiVersion, kind, metadata, spec });
  await connect.pass(60_000);
  const other = await connect.memory.read({ ...at, name: "other" });
  assert.equal(conditionOf(other, "Ready"), "False Unavailable");
});
