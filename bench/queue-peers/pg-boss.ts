/**
 * pg-boss, tuned: ten workers that fetch batches, go on at once while batches come back full, and
 * are woken by LISTEN/NOTIFY. As it comes it polls, and does a few jobs per second. Done means that
 * every job is marked as completed.
 */
import { setTimeout } from "node:timers/promises";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import type { Job } from "pg-boss";
import type { Contestant } from "./contestant.ts";

const queue = "trivial";
const work = {
  localConcurrency: 10,
  batchSize: 200,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
};

export async function pgBossTuned(url: string): Promise<Contestant> {
  const boss = new PgBoss({
    connectionString: url,
    max: 12,
    supervise: false,
    schedule: false,
    useListenNotify: true,
  });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(queue, { notify: true, policy: "standard" });
  const pool = new Pool({ connectionString: url, max: 2 });
  return {
    fill: async (count) => await fill(boss, pool, count),
    drain: async (count) => await drain(boss, pool, count),
    send: async (text) => void (await boss.send(queue, { text })),
    follow: async (onStart) => {
      await boss.work<{ text: string }>(queue, work, async (jobs) => {
        for (const job of jobs) onStart(job.data.text);
      });
      return async () => await boss.offWork(queue);
    },
  };
}

async function fill(boss: PgBoss, pool: Pool, count: number): Promise<void> {
  await pool.query("TRUNCATE pgboss.job");
  for (let at = 0; at < count; at += 5_000) {
    const length = Math.min(5_000, count - at);
    await boss.insert(
      queue,
      Array.from({ length }, (_, index) => ({ data: { id: at + index } })),
    );
  }
  await pool.query("ANALYZE pgboss.job");
}

async function drain(boss: PgBoss, pool: Pool, count: number): Promise<() => Promise<void>> {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let done = 0;
  const trivial = async (jobs: readonly Job[]): Promise<void> => {
    done += jobs.length;
    if (done === count) resolve();
  };
  await boss.work(queue, work, trivial);
  await all;
  while (await hasJobs(pool)) await setTimeout(1);
  return async () => await boss.offWork(queue);
}

async function hasJobs(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    "SELECT 1 FROM pgboss.job WHERE state IN ('created', 'retry', 'active') LIMIT 1",
  );
  return rowCount !== 0;
}
