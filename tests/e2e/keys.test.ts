// Keys are changed while servers run that each have their own copy of the ring, as an operator does
// it, right and wrong: nothing becomes unreadable, and what would be is refused. Then a secret
// whose key is lost for good: it hides nothing else, it is named, and it can be deleted.
import assert from "node:assert/strict";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { newSealKey } from "../../src/store/key-ring.ts";
import { startProgram } from "../peers/child.ts";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { systemCause } from "../../src/kernel/cause.ts";

const path = "/api/v1/namespaces/default/secrets";

interface Ran {
  readonly code: number | null;
  readonly text: string;
}

async function run(...args: readonly string[]): Promise<Ran> {
  await using program = await startProgram("src/cli/main.ts", { args });
  const { code } = await program.waitForExit();
  return { code, text: program.stdout() + program.stderr() };
}

async function create(server: Setpoint, name: string): Promise<number> {
  const stringData = { password: `pw-${name}` };
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData };
  return (await server.ask(path, { method: "POST", body })).status;
}

async function passwords(server: Setpoint): Promise<readonly string[]> {
  const { status, body } = await server.ask(path);
  assert.equal(status, 200, body.toString());
  const { items } = JSON.parse(body.toString()) as {
    items: { data?: Record<string, string | null> }[];
  };
  return items.map(({ data }) => Buffer.from(data?.["password"] ?? "", "base64").toString());
}

describe("keys of two servers with a copy each", () => {
  const opened = new AsyncDisposableStack();
  let a: Setpoint;
  let b: Setpoint;
  let options: readonly string[] = [];
  const keysOf = (server: Setpoint): string => join(server.folder, "keys.json");
  const copy = async (): Promise<void> => await copyFile(keysOf(a), keysOf(b));
  const change = async (...words: readonly string[]): Promise<Ran> =>
    await run("keys", ...words, ...options);
  const checkAll = async (count: number): Promise<void> => {
    const wanted = Array.from({ length: count }, (_, index) => `pw-s${index}`);
    for (const server of [a, b]) assert.deepEqual(await passwords(server), wanted);
  };

  before(async () => {
    const postgres = opened.use(await startPostgres());
    const store = postgres.url(await postgres.createDatabase());
    a = opened.use(await startSetpoint({ store }));
    options = ["--data", a.folder, "--store", store];
    const data = await mkdtemp(join(tmpdir(), "setpoint-copied-"));
    opened.defer(async () => await rm(data, { recursive: true, force: true }));
    await copyFile(keysOf(a), join(data, "keys.json"));
    b = opened.use(await startSetpoint({ store, data }));
    assert.equal(await create(a, "s0"), 201);
    assert.equal(await create(b, "s1"), 201);
  });
  after(async () => await opened.disposeAsync());

  it("are not changed before each server has the new one", async () => {
    const added = await change("add");
    assert.equal(added.code, 0, added.text);
    const refused = await change("rotate", "--drop-old");
    assert.equal(refused.code, 1, refused.text);
    assert.match(refused.text, /1 other server is without it, 127\.0\.0\.1.*secret\.key_missing/);
    assert.match(refused.text, /copy .*keys\.json to each/);
    assert.equal(await create(b, "s2"), 201);
    await checkAll(3);
  });

  it("are changed once they have it, and both read and write through it", async () => {
    const stale = await readFile(keysOf(b), "utf8");
    await copy();
    const rotated = await change("rotate");
    assert.equal(rotated.code, 0, rotated.text);
    assert.match(rotated.text, /is active, \d+ changes sealed again/);
    assert.match(rotated.text, /2 other servers are not using it yet: copy/);
    assert.equal(await create(b, "s3"), 201);
    assert.equal(await create(a, "s4"), 201);
    await checkAll(5);
    assert.notEqual(await readFile(keysOf(a), "utf8"), stale);
  });

  it("are dropped once no server seals with them", async () => {
    const refused = await change("drop-old");
    assert.equal(refused.code, 1, refused.text);
    assert.match(refused.text, /old keys are kept: 1 other server is using them/);
    const stale = await readFile(keysOf(b), "utf8");
    await copy();
    const dropped = await change("drop-old");
    assert.equal(dropped.code, 0, dropped.text);
    assert.match(dropped.text, /: 1 old key removed/);
    assert.equal(await create(b, "s5"), 201);
    await checkAll(6);

    // A copy from before, brought back: it opens everything, and must not seal any more.
    await writeFile(keysOf(b), stale);
    const { status, body } = await b.ask(path, {
      method: "POST",
      body: { apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, stringData: { p: "x" } },
    });
    assert.equal(status, 500);
    assert.match(body.toString(), /seals with [0-9a-f]{16}, which is retired/);
    await checkAll(6);
    await b.stop();
    await assert.rejects(b.start());
    assert.match(b.log(), /keys\.json is out of date for/);
    await copy();
    await b.start();
    assert.equal(await create(b, "s6"), 201);
    await checkAll(7);
    const doctor = await run("doctor", ...options);
    assert.equal(doctor.code, 0, doctor.text);
  });
});

describe("a secret whose key is lost", () => {
  it("hides nothing else, is named, and can be deleted", async () => {
    await using server = await startSetpoint();
    assert.equal(await create(server, "kept"), 201);
    await server.stop();
    await loseKeyOf(server.folder, "lost");
    const doctor = await run("doctor", "--data", server.folder);
    assert.equal(doctor.code, 1, doctor.text);
    assert.match(doctor.text, /is not in .*keys\.json: 1 change .* secrets default\/lost/);
    await server.start();
    await waitUntil("the log to tell", () => /secrets not opened/.test(server.log()));
    assert.deepEqual(await passwords(server), ["pw-kept", ""]);
    const read = await server.ask(`${path}/lost`);
    assert.equal(read.status, 500);
    assert.match(read.body.toString(), /the key ring has no key [0-9a-f]{16}/);
    const patched = await server.ask(`${path}/lost`, {
      method: "PATCH",
      body: { metadata: { labels: { a: "b" } } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    assert.equal(patched.status, 500, "nothing is written over what may still be opened elsewhere");
    assert.equal((await server.ask(`${path}/lost`, { method: "DELETE" })).status, 200);
    assert.deepEqual(await passwords(server), ["pw-kept"]);
    assert.doesNotMatch(server.log(), /failed/);
  });
});

/** Puts a Secret as it is stored, sealed with a key that is in no file. */
async function loseKeyOf(data: string, name: string): Promise<void> {
  const place = join(data, "setpoint.db");
  const { keys } = JSON.parse(await readFile(join(data, "keys.json"), "utf8")) as {
    keys: { id: string; secret: string }[];
  };
  const ring = keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret, "base64") }));
  await using store = await openSqliteStore({ path: place, keys: [newSealKey(), ...ring] });
  const kept = await store.get({ kind: "secrets", namespace: "default", name: "kept" });
  const text = kept?.body.toString().replaceAll('"kept"', `"${name}"`) ?? "";
  await store.commit([
    {
      kind: "put",
      cause: systemCause,
      key: { kind: "secrets", namespace: "default", name },
      uid: "11111111-2222-4333-8444-555555555555",
      draft: { body: Buffer.from(text), terms: [], secrets: ["/data/password"] },
      when: { kind: "absent" },
    },
  ]);
}
