// The pool for heavy work with real threads.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { constants, getPriority } from "node:os";
import { test } from "node:test";
import { openThreadPool } from "../../src/adapters/threads/pool.ts";
import type { LostThread, PoolInput, ThreadPool } from "../../src/adapters/threads/pool.ts";
import { openHeavyPool } from "../../src/app/heavy-pool.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { HeavyJob, HeavyResult } from "../../src/kernel/heavy-work.ts";
import { systemTimers, timersFrom } from "../../src/kernel/timers.ts";
import { logger } from "../../src/telemetry/log.ts";
import { waitUntil } from "../peers/wait.ts";

const entry = new URL("thread-functions.ts", import.meta.url);

function openPool(options: Partial<PoolInput> = {}): ThreadPool {
  return openThreadPool({ entry, timers: systemTimers, ...options });
}

function job(name: string, tenant = "a", text = name): HeavyJob {
  return { name, tenant, bytes: Buffer.from(text) };
}

test("a job runs in a thread of the pool, and its bytes stay with the caller", async () => {
  await using pool = openPool();
  const bytes = Buffer.from("some text");
  const { bytes: answer, facts } = await pool.run({ name: "echo", tenant: "a", bytes });
  assert.equal(answer.toString(), "some text");
  assert.notEqual(facts["threadId"], 0);
  assert.equal(bytes.toString(), "some text");
  assert.deepEqual(pool.counts(), { done: 1, refused: 0, lostThreads: 0, waiting: 0, threads: 1 });
});

test("bytes that a job owns are handed over to the thread without a copy", async () => {
  await using pool = openPool();
  const bytes = Buffer.concat([Buffer.from("[".repeat(100_000)), Buffer.from("]")]);
  const own = await pool.run({ name: "echo", tenant: "a", bytes, isOwned: true });
  assert.equal(own.bytes.length, 100_001);
  assert.equal(bytes.length, 0, "they are detached");
  // A part of a larger block is copied: the rest of the block is used elsewhere.
  const part = Buffer.from("some text").subarray(0, 4);
  const copied = await pool.run({ name: "echo", tenant: "a", bytes: part, isOwned: true });
  assert.equal(copied.bytes.toString(), "some");
  assert.equal(part.toString(), "some");
});

test("the error of a job keeps its code and details on the way out of the thread", async () => {
  await using pool = openPool();
  await assert.rejects(pool.run(job("refuse")), (error) => {
    assert.ok(isSetpointError(error, "request.invalid"));
    assert.deepEqual(error.details, { a: 1 });
    return true;
  });
  assert.equal((await pool.run(job("echo"))).bytes.toString(), "echo");
  assert.equal(pool.counts().threads, 1, "the thread continues");
});

test("a thread that crashes fails its own job and is replaced", async () => {
  const lost: LostThread[] = [];
  await using pool = openPool({ threads: 1, onLost: (one) => lost.push(one) });
  const [crashed, next] = await Promise.allSettled([pool.run(job("crash")), pool.run(job("echo"))]);
  assert.ok(crashed.status === "rejected" && isSetpointError(crashed.reason, "internal"));
  assert.equal(next.status, "fulfilled");
  assert.deepEqual(
    lost.map(({ job: name, tenant }) => [name, tenant]),
    [["crash", "a"]],
  );
  assert.equal(pool.counts().lostThreads, 1);
});

test("a thread that runs out of memory refuses its job as too large", async () => {
  await using pool = openPool({ threads: 1, maxThreadMib: 16 });
  await assert.rejects(pool.run(job("hoard")), (error) =>
    isSetpointError(error, "request.too_large"),
  );
  assert.equal((await pool.run(job("echo"))).bytes.toString(), "echo");
});

/** Timers whose limit of a job fires when the test says so. */
function ownJobLimit(jobMs: number): Pick<PoolInput, "timers"> & { readonly fire: () => void } {
  let comes = (): void => undefined;
  const timers = timersFrom((ms, run) => {
    if (ms !== jobMs) return systemTimers.after(ms, run);
    comes = run;
    return () => (comes = () => undefined);
  });
  return { timers, fire: () => comes() };
}

test("a job beyond its time is terminated, and the next job gets another thread", async () => {
  const jobMs = 123_456;
  const { timers, fire } = ownJobLimit(jobMs);
  await using pool = openPool({ threads: 1, jobMs, timers });
  const endless = pool.run(job("endless"));
  const next = pool.run(job("echo", "b"));
  fire();
  await assert.rejects(endless, (error) => isSetpointError(error, "request.timeout"));
  assert.equal((await next).bytes.toString(), "echo");
  assert.equal(pool.counts().lostThreads, 1);
});

test("an endless job of one tenant does not hold up another tenant", async () => {
  await using pool = openPool({ threads: 2 });
  const endless = [pool.run(job("endless", "a")), pool.run(job("endless", "a"))];
  for (const one of endless) one.catch(() => undefined);
  for (let count = 0; count < 3; count++) {
    assert.equal((await pool.run(job("echo", "b"))).bytes.toString(), "echo");
  }
  assert.deepEqual(pool.counts().waiting, 1, "the second endless job waits for the first");
});

test("a job beyond the bounds of the queue is refused at once", async () => {
  await using pool = openPool({ threads: 1, maxJobs: 1 });
  const running = pool.run(job("endless"));
  running.catch(() => undefined);
  const waiting = pool.run(job("echo"));
  waiting.catch(() => undefined);
  await assert.rejects(pool.run(job("echo")), (error) =>
    isSetpointError(error, "request.overloaded"),
  );
  assert.equal(pool.counts().refused, 1);
});

test("a job that waits too long is refused", async () => {
  await using pool = openPool({ threads: 1, waitMs: 1 });
  const running = pool.run(job("endless"));
  running.catch(() => undefined);
  await assert.rejects(pool.run(job("echo", "b")), (error) =>
    isSetpointError(error, "request.overloaded"),
  );
});

test("an idle thread ends", async () => {
  await using pool = openPool({ idleMs: 1 });
  await pool.run(job("echo"));
  await waitUntil("the thread to end", () => pool.counts().threads === 0);
});

test("closing the pool ends its threads and fails what is left", async () => {
  const pool = openPool({ threads: 1 });
  const open: Promise<HeavyResult>[] = [pool.run(job("endless")), pool.run(job("echo"))];
  const settled = Promise.allSettled(open);
  await pool[Symbol.asyncDispose]();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  await assert.rejects(pool.run(job("echo")), (error) =>
    isSetpointError(error, "request.overloaded"),
  );
  assert.equal(pool.counts().threads, 0);
});

test(
  "a thread for heavy work has a lower priority than the event loop",
  { skip: process.platform !== "linux" },
  async () => {
    await using pool = openHeavyPool(logger(() => undefined, systemClock));
    const before = getPriority();
    const text = "a: [b, c]";
    const { bytes } = await pool.run({ name: "parse-yaml", tenant: "a", bytes: Buffer.from(text) });
    assert.ok(bytes.length > 0);
    assert.ok((await nicenessOfThreads()).includes(constants.priority.PRIORITY_BELOW_NORMAL));
    assert.equal(getPriority(), before);
  },
);

/** Of all threads of this process. */
async function nicenessOfThreads(): Promise<readonly number[]> {
  const ids = await readdir("/proc/self/task");
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/self/task/${id}/stat`, "utf8")));
  // The name of a thread is in parentheses, and the 17th field after it is the niceness.
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]));
}
