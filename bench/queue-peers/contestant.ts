/**
 * One worker of a queue in a process of its own, so that contestants share neither a heap nor what
 * the compiler learnt. Told what to do on stdin, a line each:
 *   `fill N`       queues N trivial jobs (not measured)
 *   `drain N`      works until N are done for good; answers `drained {"ms":..,"cpuMs":..}`
 *   `follow N`     works on what others send; answers `following`, then `delays [...]` in ms
 *   `send N RATE`  queues N jobs, RATE per second, each with the time of its sending
 * Usage: node contestant.ts NAME TARGET.
 */
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

export interface Contestant {
  /** Queues this many trivial jobs. */
  fill(count: number): Promise<void>;
  /**
   * Works, and resolves when this many are done and nothing of it could be lost; the answer ends
   * the worker, which is not measured.
   */
  drain(count: number): Promise<() => Promise<void>>;
  /** Queues one job that carries the text. */
  send(text: string): Promise<void>;
  /** Works until told to stop, and tells the text of each job that it starts. */
  follow(onStart: (text: string) => void): Promise<() => Promise<void>>;
}

const makers: Readonly<Record<string, () => Promise<(target: string) => Promise<Contestant>>>> = {
  "graphile-default": async () => (await import("./graphile.ts")).graphileDefault,
  "graphile-batched": async () => (await import("./graphile.ts")).graphileBatched,
  "pg-boss": async () => (await import("./pg-boss.ts")).pgBossTuned,
  "setpoint-first": async () => (await import("./setpoint.ts")).setpointFirst,
  "setpoint-again": async () => (await import("./setpoint.ts")).setpointAgain,
  "setpoint-sqlite-first": async () => (await import("./setpoint.ts")).setpointFirst,
  "setpoint-sqlite-again": async () => (await import("./setpoint.ts")).setpointAgain,
};

const [name = "", target = ""] = process.argv.slice(2);
const maker = makers[name];
if (maker === undefined) throw new Error(`nobody is called ${name}`);
const contestant = await (await maker())(target);
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, count = "0", perSecond = "1"] = line.split(" ");
  if (verb === "fill") await fill(Number(count));
  if (verb === "drain") await drain(Number(count));
  if (verb === "follow") await follow(Number(count));
  if (verb === "send") await send(Number(count), Number(perSecond));
}
process.exit(0);

async function fill(count: number): Promise<void> {
  await contestant.fill(count);
  console.log("filled");
}

async function drain(count: number): Promise<void> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const stop = await contestant.drain(count);
  const [end, used] = [performance.now(), process.cpuUsage(cpu)];
  await stop();
  const result = { ms: end - start, cpuMs: (used.user + used.system) / 1_000 };
  console.log(`drained ${JSON.stringify(result)}`);
}

async function follow(count: number): Promise<void> {
  const delays: number[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const stop = await contestant.follow((text) => {
    delays.push(Number(process.hrtime.bigint() - BigInt(text)) / 1e6);
    if (delays.length === count) resolve();
  });
  console.log("following");
  await all;
  await stop();
  console.log(`delays ${JSON.stringify(delays)}`);
}

/** The monotonic clock is the same in all processes of a machine. */
async function send(count: number, perSecond: number): Promise<void> {
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    await setTimeout(Math.max(0, start + (index * 1_000) / perSecond - performance.now()));
    await contestant.send(String(process.hrtime.bigint()));
  }
  console.log("sent");
}
