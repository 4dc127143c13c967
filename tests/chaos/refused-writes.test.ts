// What a server tells while its store refuses writes: the log says it once and not at every try,
// `/readyz?verbose` and `/metrics` show it, reads go on, and all is well again by itself. And what
// becomes of a file that is found damaged while it is in use.
import assert from "node:assert/strict";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { watchStore } from "../../src/app/watch-store.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { Puts } from "./acknowledged.ts";
import { fillDisk, openDisk } from "./disk.ts";
import { codeOf } from "./evidence.ts";
import { chaosKeys } from "./target.ts";

const maps = "/api/v1/namespaces/default/configmaps";

it("a full disk is told once, shown for as long as it lasts, and over by itself", async (t) => {
  await using disk = await openDisk(48, (why) => t.diagnostic(`NOT TESTED: ${why}`));
  if (disk === undefined) return;
  await using server = await startSetpoint({ data: join(disk.path, "data") });
  const shown = async () => (await server.ask("/readyz?verbose")).body.toString();
  assert.match(await shown(), /\[\+\]store-writes ok\n/);
  const ballast = join(disk.path, "ballast");
  await fillDisk(ballast);
  let made = 0;
  await waitUntil("a write to be refused", async () => {
    made += 1;
    return (await post(server, `before-${made}`)) >= 500;
  });
  // The lease of the follower ends, and it tries to get it again, twice a second.
  const failing = /cannot wake reconcilers|wake no reconcilers|dealt with is not stored/;
  await waitUntil("the follower to fail", () => failing.test(server.log()), { limitMs: 60_000 });
  for (let i = 0; i < 20; i += 1) assert.notEqual(await post(server, `while-${i}`), 201);
  const startMs = performance.now();
  await waitUntil("ten more tries of the follower", () => performance.now() - startMs > 5_000);
  const { body: metrics } = await server.ask("/metrics");
  assert.match(metrics.toString(), /^setpoint_store_writable 0$/m);
  const ready = await server.ask("/readyz?verbose");
  assert.equal(ready.status, 200, "reads go on");
  assert.match(
    ready.body.toString(),
    /\[-\]store-writes failed \(not required\): store: store\.full: .*reads are served\n/,
  );
  assert.equal((await server.ask("/readyz/store-writes")).status, 500);
  assert.equal((await server.ask("/api/v1/namespaces/default")).status, 200);
  const lines = server.log().split("\n");
  assert.equal(lines.filter((line) => line.includes("store refuses writes")).length, 1);
  const repeated = lines.filter((line) => failing.test(line));
  assert.ok(repeated.length <= 6, repeated.join("\n"));
  await rm(ballast);
  await waitUntil("writes to go on", async () => (await post(server, "after")) === 201);
  // By the next write some time later, which the follower makes when nobody else does.
  await waitUntil("that to be seen", async () => (await shown()).includes("[+]store-writes ok\n"));
  assert.match(server.log(), /store accepts writes again/);
});

async function post(server: Setpoint, name: string): Promise<number> {
  const data = { text: "x".repeat(20_000) };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
  return (await server.ask(maps, { method: "POST", body })).status;
}

it("a file that is found damaged is told once and takes no more writes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-damaged-"));
  try {
    const path = join(folder, "store.db");
    {
      await using store = await openSqliteStore({ path, keys: chaosKeys });
      const puts = new Puts();
      for (let i = 0; i < 200; i += 1) assert.equal(await puts.put(store, 9_000), "committed");
    }
    await damage(path);
    const told: string[] = [];
    const at = (level: string) => (_: unknown, message: string) =>
      void told.push(`${level} ${message}`);
    const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
    await using raw = await openSqliteStore({ path, keys: chaosKeys });
    const { store, state } = watchStore(raw, log, systemClock);
    const reading = store.list({ kind: "puts.chaos", limit: 200 });
    await assert.rejects(reading, (error) => isSetpointError(error, "store.corrupt"));
    await assert.rejects(store.list({ kind: "puts.chaos", limit: 200 }));
    assert.deepEqual(told, ["error stored data is damaged"]);
    assert.equal(state.writeProblem(), "store.corrupt");
    const late = new Puts();
    assert.equal(await late.put(store).catch(codeOf), "store.corrupt");
    assert.equal((await store.head()).revision, 200);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Where the documents are; the tables' roots, at the beginning, stay whole. */
async function damage(path: string): Promise<void> {
  const { size } = await stat(path);
  const file = await open(path, "r+");
  const length = Math.floor(size / 4 / 4_096) * 4_096;
  await file.write(Buffer.alloc(length, 0xff), 0, length, Math.floor(size / 2 / 4_096) * 4_096);
  await file.close();
}
