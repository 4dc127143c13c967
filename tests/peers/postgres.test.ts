import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { startProgram } from "./child.ts";
import { startPostgres } from "./postgres.ts";
import type { Postgres } from "./postgres.ts";
import { isAlive, processTree } from "./process-tree.ts";
import { waitUntil } from "./wait.ts";

const started = new AsyncDisposableStack();
let server: Postgres;
before(async () => {
  const prepareTemplate = async (url: string): Promise<void> => {
    await query(url, "CREATE TABLE note (body text)");
  };
  server = started.use(await startPostgres({ prepareTemplate }));
});
after(async () => await started.disposeAsync());

test("databases made from the template have its tables and do not see each other", async () => {
  const [one, two] = [await server.createDatabase(), await server.createDatabase()];
  await query(server.url(one), "INSERT INTO note VALUES ('only here')");
  assert.deepEqual(await query(server.url(one), "SELECT body FROM note"), [{ body: "only here" }]);
  assert.deepEqual(await query(server.url(two), "SELECT body FROM note"), []);
  await server.dropDatabase(one);
  await assert.rejects(query(server.url(one), "SELECT 1"), { code: "3D000" });
  await server.dropDatabase(two);
});

test("the server is durable and does not run as root", async () => {
  assert.deepEqual(await query(server.url(), "SHOW fsync"), [{ fsync: "on" }]);
  assert.deepEqual(await query(server.url(), "SHOW max_connections"), [{ max_connections: "200" }]);
  assert.notEqual(statSync(`/proc/${server.pid}`).uid, 0);
});

test("a crash ends every process, and what was committed is there after a restart", async () => {
  const database = await server.createDatabase();
  await query(server.url(database), "INSERT INTO note VALUES ('kept')");
  const pids = processTree(server.pid ?? 0);
  assert.ok(pids.length > 3, "the postmaster has children");
  await server.kill9();
  assert.deepEqual(pids.filter(isAlive), []);
  await assert.rejects(query(server.url(database), "SELECT 1"), { code: "ECONNREFUSED" });
  await server.restart();
  assert.deepEqual(await query(server.url(database), "SELECT body FROM note"), [{ body: "kept" }]);
  assert.match(server.log(), /database system was not properly shut down/);
});

test("it stops in either mode and starts again on the same port", async () => {
  const { port } = server;
  for (const mode of ["fast", "immediate"] as const) {
    await server.stop(mode);
    assert.equal(server.pid, undefined);
    await server.start();
    assert.equal(server.port, port);
  }
});

test("a paused server answers only after it is resumed", async () => {
  server.pause();
  let hasAnswered = false;
  const answer = query(server.url(), "SELECT 1 AS one").finally(() => (hasAnswered = true));
  await assert.rejects(
    waitUntil("an answer", () => hasAnswered, { limitMs: 200 }),
    /in vain for an answer/,
  );
  server.resume();
  assert.deepEqual(await answer, [{ one: 1 }]);
});

test("a server goes away with a test process that is killed, paused or not", async () => {
  for (const mode of ["running", "paused"]) {
    await using owner = await startProgram("tests/peers/postgres-owner.ts", { args: [mode] });
    const [, pid = "", folder = ""] = await owner.waitForLine(/^pid (\d+) folder (.+)$/);
    const pids = processTree(Number(pid));
    assert.ok(isAlive(Number(pid)));
    process.kill(owner.pid, "SIGKILL");
    await waitUntil("the server to go away", () => !pids.some(isAlive));
    await waitUntil("its folder to go away", () => !existsSync(folder));
    await owner.waitForExit();
  }
});

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const queryClient = new Client({ connectionString });
  await queryClient.connect();
  try {
    const { rows } = await queryClient.query(text);
    return rows as unknown[];
  } finally {
    await queryClient.end();
  }
}
