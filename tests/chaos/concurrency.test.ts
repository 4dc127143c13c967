// Four processes share a few registers on one PostgreSQL while their connections are cut under
// them. Every call is recorded with its times, and the merged history of each register must be
// linearizable: see linearizable.ts. The register that is only incremented must have counted every
// acknowledged increment and nothing else, and all processes must have seen one order of changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { seededRandom } from "../../src/kernel/random.ts";
import { startProgram } from "../peers/child.ts";
import { startPostgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { seed } from "../seed.ts";
import { chaosKey, parseChaos } from "./documents.ts";
import { checkRegister } from "./linearizable.ts";
import type { Operation } from "./linearizable.ts";
import { counterRegister, orderEvery, registerKind, registers } from "./register-client.ts";
import type { ClientLine } from "./register-client.ts";
import { openTarget } from "./target.ts";

const processes = 4;
/** How much there has to be of each register, of cuts and of the common order to say anything. */
const least = { calls: 51, cuts: 6, revision: 3 * orderEvery };
const leastMs = 4_000;

interface Recorded {
  readonly lines: readonly (readonly ClientLine[])[];
  readonly cuts: number;
}

test("four processes on PostgreSQL see one order, whatever connections are cut", async (t) => {
  t.diagnostic(`seed ${seed}`);
  await using server = await startPostgres();
  const url = server.url(await server.createDatabase());
  const { lines, cuts } = await record(url);
  const all = lines.flat();
  assert.deepEqual(
    all.filter((line) => line.kind === "problem"),
    [],
  );
  const operations = all.filter((line) => line.kind === "operation");
  t.diagnostic(`${operations.length} calls, ${cuts} connections cut`);
  assert.ok(cuts >= least.cuts, `only ${cuts} connections were cut`);
  for (const register of [...registers, counterRegister]) {
    const history = operations
      .filter((line) => line.register === register)
      .map((line) => line.operation);
    const verdict = checkRegister(history);
    t.diagnostic(`${register}: ${history.length} calls, ${verdict.kind}`);
    assert.ok(history.length >= least.calls, `only ${history.length} calls on ${register}`);
    assert.equal(verdict.kind, "linearizable", JSON.stringify(verdict));
  }
  const counted = operations.filter((line) => line.register === counterRegister);
  await checkCounter(
    url,
    counted.map((line) => line.operation),
  );
  checkOrder(lines);
});

async function record(url: string): Promise<Recorded> {
  // The schema is made by whoever comes first; the clients measure calls, not that race.
  await (await openTarget(url)).close();
  await using programs = new AsyncDisposableStack();
  const clients = await Promise.all(
    Array.from({ length: processes }, async (_, index) =>
      programs.use(
        await startProgram("tests/chaos/register-client.ts", {
          args: [url, `p${index}`, String(seed + index)],
        }),
      ),
    ),
  );
  // What is cut are calls, not the opening of a store.
  for (const client of clients) await client.waitForLine(/"kind":"order"/);
  const cutter = new Cutter(url);
  const cutting = cutter.run();
  await delay(leastMs);
  // However slow the machine is: it ends when there is enough to judge.
  await waitUntil("enough calls, cuts and order", async () => {
    await delay(100);
    return cutter.cuts >= least.cuts && isEnough(clients.map((each) => parse(each.stdout())));
  }).finally(() => cutter.stop());
  await cutting;
  for (const client of clients) client.signal("SIGTERM");
  const exits = await Promise.all(clients.map(async (client) => await client.waitForExit()));
  for (const [index, client] of clients.entries()) {
    assert.equal(exits[index]?.code, 0, client.stderr());
    assert.equal(client.stderr(), "");
  }
  return { lines: clients.map((client) => parse(client.stdout())), cuts: cutter.cuts };
}

function isEnough(lines: readonly (readonly ClientLine[])[]): boolean {
  const operations = lines.flat().filter((line) => line.kind === "operation");
  const areCalled = [...registers, counterRegister].every((register) => {
    const own = operations.filter((line) => line.register === register);
    return own.length >= least.calls;
  });
  const isAhead = (own: readonly ClientLine[]): boolean =>
    own.some((line) => line.kind === "order" && line.revision >= least.revision);
  return areCalled && lines.every(isAhead);
}

/** Ends one of the clients' sessions every now and then: writers, readers and listeners alike. */
class Cutter {
  cuts = 0;
  readonly #url: string;
  #isStopped = false;

  constructor(url: string) {
    this.#url = url;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async run(): Promise<void> {
    const random = seededRandom(seed);
    const adminClient = new Client({ connectionString: this.#url, application_name: "cutter" });
    await adminClient.connect();
    try {
      while (!this.#isStopped) {
        await delay(20 + random.next() * 200);
        const { rows } = await adminClient.query<{ readonly pid: number }>(
          `SELECT pid FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY pid`,
        );
        const victim = rows[Math.floor(random.next() * rows.length)];
        if (victim === undefined) continue;
        await adminClient.query("SELECT pg_terminate_backend($1)", [victim.pid]);
        this.cuts += 1;
      }
    } finally {
      await adminClient.end();
    }
  }
}

/** Each acknowledged increment counts once; those of unknown outcome are found in the log. */
async function checkCounter(url: string, operations: readonly Operation[]): Promise<void> {
  await using store = await openTarget(url);
  const counter = await store.get(chaosKey(registerKind, counterRegister));
  assert(counter !== undefined);
  const history = await store.history(chaosKey(registerKind, counterRegister), { limit: 10_000 });
  const applied = new Set(history.map((change) => parseChaos(change.body).spec.op));
  assert.equal(applied.size, history.length, "a write is in the log more than once");
  let expected = 0;
  for (const { action } of operations) {
    if (action.kind !== "swap" && action.kind !== "create") continue;
    const isDone = action.outcome.kind === "done";
    const isFound = applied.has(action.value.split(" ")[2] ?? "");
    if (isDone) assert.ok(isFound, `acknowledged and not in the log: ${action.value}`);
    if (isDone || (action.outcome.kind === "unknown" && isFound)) expected += 1;
  }
  assert.equal(parseChaos(counter.body).spec.number, expected);
  assert.equal(history.length, expected);
  assert.deepEqual(await store.verify(), []);
}

function checkOrder(lines: readonly (readonly ClientLine[])[]): void {
  const digests = new Map<number, string>();
  const ends: number[] = [];
  for (const own of lines) {
    const orders = own.filter((line) => line.kind === "order");
    for (const { revision, digest } of orders) {
      assert.equal(digests.get(revision) ?? digest, digest, `another order before ${revision}`);
      digests.set(revision, digest);
    }
    ends.push(orders.at(-1)?.revision ?? 0);
  }
  assert.ok(Math.min(...ends) >= least.revision, `followers ended at ${ends.join()}`);
}

function parse(output: string): readonly ClientLine[] {
  return output
    .slice(0, output.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as ClientLine);
}
