import { test } from "node:test";
import assert from "node:assert/strict";
import { JobQueue } from "./job-queue.ts";
import type { QueuedJob } from "./job-queue.ts";

const bounds = { threads: 3, maxJobs: 8, maxTenantJobs: 4, maxBytes: 200 };

function job(tenant: string, bytes = 10, isContinued = false): QueuedJob {
  return { tenant, bytes: new Uint8Array(bytes), isContinued };
}

function queueOf(...jobs: readonly QueuedJob[]): JobQueue<QueuedJob> {
  const queue = new JobQueue<QueuedJob>(bounds);
  for (const one of jobs) assert.equal(queue.add(one), true);
  return queue;
}

test("tenants take turns in the queue of heavy jobs", () => {
  const queue = queueOf(job("a"), job("a"), job("a"), job("b"), job("c"));
  const order = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) {
    order.push(next.tenant);
    queue.finished(next);
  }
  assert.deepEqual(order, ["a", "b", "c", "a", "a"]);
});

test("one tenant does not run heavy jobs on all threads", () => {
  const queue = queueOf(job("a"), job("a"), job("a"));
  const first = queue.next();
  assert.equal(queue.next()?.tenant, "a");
  assert.equal(queue.next(), undefined);
  assert.equal(queue.add(job("b")), true);
  assert.equal(queue.next()?.tenant, "b");
  assert.ok(first !== undefined);
  queue.finished(first);
  assert.equal(queue.next()?.tenant, "a");
});

test("the only thread of a pool serves every tenant", () => {
  const queue = new JobQueue<QueuedJob>({ ...bounds, threads: 1 });
  queue.add(job("a"));
  assert.equal(queue.next()?.tenant, "a");
});

/** How many jobs of a tenant are taken. */
function fill(queue: JobQueue<QueuedJob>, tenant: string, bytes = 1): number {
  let taken = 0;
  while (queue.add(job(tenant, bytes))) taken += 1;
  return taken;
}

test("a tenant has as many jobs in the queue as it leaves free, and one always", () => {
  const queue = queueOf();
  const taken = ["a", "b", "c", "d", "e", "f"].map((tenant) => fill(queue, tenant));
  assert.deepEqual(taken, [4, 2, 1, 1, 1, 1]);
});

test("jobs that continue answers take no place of another tenant", () => {
  const queue = queueOf(...Array.from({ length: 20 }, () => job("a", 1_000, true)));
  assert.equal(fill(queue, "b"), 4);
});

test("the bytes that wait are bounded, and one large job of a tenant still fits", () => {
  const queue = queueOf(job("a", 500));
  assert.equal(queue.add(job("a", 1)), false);
  assert.equal(queue.add(job("b", 1)), true, "the first of its tenant");
  assert.equal(queue.add(job("b", 1)), false);
  assert.equal(queue.bytes, 501);
  assert.equal(queue.next()?.bytes.byteLength, 500);
  assert.equal(queue.bytes, 1);
  assert.equal(fill(queue, "b", 50), 2, "as much as it leaves free");
});

test("a job that continues an answer is not refused", () => {
  const queue = queueOf(job("a"), job("a"), job("a"), job("a"));
  assert.equal(queue.add(job("a")), false);
  assert.equal(queue.add(job("a", 1_000, true)), true);
});

test("a job that stops waiting frees its place", () => {
  const [first, second] = [job("a"), job("a")];
  const queue = queueOf(first, second);
  assert.equal(queue.remove(first), true);
  assert.equal(queue.remove(first), false);
  assert.equal(queue.next(), second);
  assert.equal(queue.remove(second), false, "it runs");
  assert.deepEqual(queue.drain(), []);
});
