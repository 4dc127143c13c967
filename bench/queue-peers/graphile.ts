/**
 * graphile-worker, as it comes and as its manual says to make it fast: a local queue, and
 * completions in batches. Done means that no job is left in its table.
 */
import { setTimeout } from "node:timers/promises";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import type { Runner, Task, WorkerUtils } from "graphile-worker";
import { Pool } from "pg";
import type { Contestant } from "./contestant.ts";

const silent = new Logger(() => () => undefined);
/** More than the default, as its manual recommends for this many jobs at a time. */
const base = { concurrentJobs: 10, maxPoolSize: 12, logger: silent };
const batched = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

type WorkerOptions = typeof base & Partial<typeof batched>;

export async function graphileDefault(url: string): Promise<Contestant> {
  return await open(url, base);
}

export async function graphileBatched(url: string): Promise<Contestant> {
  return await open(url, { ...base, ...batched });
}

async function open(url: string, worker: WorkerOptions): Promise<Contestant> {
  const utils = await makeWorkerUtils({ connectionString: url, logger: silent });
  await utils.migrate();
  const pool = new Pool({ connectionString: url, max: 2 });
  const start = async (task: Task): Promise<Runner> =>
    await run({
      preset: { worker: { ...worker, connectionString: url } },
      taskList: { trivial: task },
      noHandleSignals: true,
    });
  return {
    fill: async (count) => await fill(pool, count),
    drain: async (count) => await drain(pool, start, count),
    send: async (text) => await send(utils, text),
    follow: async (onStart) => {
      const runner = await start((payload) => onStart(String(payload)));
      return async () => await runner.stop();
    },
  };
}

async function fill(pool: Pool, count: number): Promise<void> {
  await pool.query(
    `SELECT graphile_worker.add_job('trivial', json_build_object('id', i))
     FROM generate_series(1, $1::int) i`,
    [count],
  );
  await pool.query("ANALYZE graphile_worker._private_jobs");
}

async function drain(
  pool: Pool,
  start: (task: Task) => Promise<Runner>,
  count: number,
): Promise<() => Promise<void>> {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let done = 0;
  const runner = await start(() => {
    done += 1;
    if (done === count) resolve();
  });
  await all;
  while (await hasJobs(pool)) await setTimeout(1);
  return async () => await runner.stop();
}

async function hasJobs(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query("SELECT 1 FROM graphile_worker._private_jobs LIMIT 1");
  return rowCount !== 0;
}

async function send(utils: WorkerUtils, text: string): Promise<void> {
  await utils.addJob("trivial", text);
}
