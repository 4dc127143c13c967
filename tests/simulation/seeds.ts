// Runs many seeds, on as many threads as are given. Worlds know nothing of each other, so it does
// not matter who runs which.

import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { realEngine } from "./engine-under-test.ts";
import { planOf } from "./plan.ts";
import { runPlan } from "./run.ts";
import { added, nothingYet, summaryOf } from "./summary.ts";
import type { Failure, Summary } from "./summary.ts";

export interface SeedRange {
  readonly from: number;
  readonly count: number;
  /** After this time no more are begun, but for the `fewest` that are run in any case. */
  readonly budgetMs?: number;
  readonly fewest?: number;
}

interface Share extends SeedRange {
  readonly step: number;
}

/** Told of each failure as it is found. */
export type Told = (failure: Failure) => void;

export async function runSeeds(range: SeedRange, threads: number, told: Told): Promise<Summary> {
  if (threads <= 1) return await runShare({ ...range, step: 1 }, told);
  const shares = Array.from({ length: threads }, (_, index) => {
    const count = Math.ceil((range.count - index) / threads);
    const fewest = Math.ceil((range.fewest ?? 0) / threads);
    return { ...range, from: range.from + index, count, fewest, step: threads };
  });
  const summaries = await Promise.all(shares.map((share) => inThread(share, told)));
  return summaries.reduce(added, nothingYet);
}

async function runShare(share: Share, told: Told): Promise<Summary> {
  const { from, count, step, fewest = 0, budgetMs = Infinity } = share;
  const startedAt = performance.now();
  // Thousands of calls fail in each world, and nobody looks where: --trace tells.
  Error.stackTraceLimit = 0;
  let summary = nothingYet;
  for (let index = 0; index < count; index += 1) {
    if (index >= fewest && performance.now() - startedAt > budgetMs) break;
    const result = summaryOf(await runPlan(planOf(from + index * step), realEngine));
    for (const failure of result.failures) told(failure);
    summary = added(summary, result);
  }
  return summary;
}

type Message =
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "summary"; readonly summary: Summary };

async function inThread(share: Share, told: Told): Promise<Summary> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share });
  const { promise, resolve, reject } = Promise.withResolvers<Summary>();
  worker.on("message", (message: Message) => {
    if (message.kind === "failure") told(message.failure);
    else resolve(message.summary);
  });
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("a thread ended before its seeds did")));
  return await promise;
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const tell = (message: Message): void => port.postMessage(message);
  const told: Told = (failure) => tell({ kind: "failure", failure });
  const summary = await runShare(workerData as Share, told);
  tell({ kind: "summary", summary });
}
