/**
 * What isolation costs: a real server reconciles the same resources with its module on the main
 * thread and in a thread of its own, in turns. The resources are due when it starts. The time and
 * the processor time count from the first look at its metrics to the last run.
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { waitUntil } from "../tests/peers/wait.ts";
import { httpLoad, requestBytes } from "./http-load.ts";
import { json } from "./kube-objects.ts";
import { median } from "./measure.ts";
import { cpuMsOfTree } from "./processor-time.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const count = 20_000;
const rounds = 3;
const collection = "/apis/bench.setpoint.dev/v1/namespaces/default/stones";
const module = ["--module", join(import.meta.dirname, "idle-module.ts")];
const modes = ["--no-isolate", "--isolate"] as const;

interface Turn {
  readonly perSecond: number;
  readonly cpuUs: number;
}

export async function isolation(folder: string): Promise<readonly Row[]> {
  const filled = join(folder, "isolation");
  await fill(filled);
  const turns = { "--no-isolate": [] as Turn[], "--isolate": [] as Turn[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const mode of modes) {
      const data = join(folder, `isolation${mode}-${round}`);
      await cp(filled, data, { recursive: true });
      turns[mode].push(await turnOf(mode, data));
    }
  }
  const [plain, isolated] = [turns["--no-isolate"], turns["--isolate"]];
  const ratio = median(isolated.map(({ cpuUs }, at) => cpuUs / (plain[at]?.cpuUs ?? Number.NaN)));
  const addedUs = medianOf(isolated, "cpuUs") - medianOf(plain, "cpuUs");
  return [
    {
      what: "SQLite: processor time of a trivial run: isolated module against main thread",
      raw: figure(medianOf(plain, "cpuUs"), "us"),
      ours: figure(medianOf(isolated, "cpuUs"), "us"),
      result: `${ratio.toFixed(2)}x, ${figure(addedUs, "us")} more`,
      asked: "3x",
      isMet: ratio <= 3,
    },
    {
      what: "SQLite: trivial runs: isolated module against main thread",
      raw: figure(medianOf(plain, "perSecond"), "/s"),
      ours: figure(medianOf(isolated, "perSecond"), "/s"),
      result: "",
      asked: "(stated)",
      isMet: true,
    },
  ];
}

function medianOf(turns: readonly Turn[], field: keyof Turn): number {
  return median(turns.map((turn) => turn[field]));
}

/** Without a worker, so that all of them are due. */
async function fill(data: string): Promise<void> {
  const server = await startSetpoint({ data, args: ["--roles", "api", ...module] });
  const { hostname: host, port } = new URL(server.url);
  const { ca, token } = server;
  await httpLoad({
    target: { host, port: Number(port), ca },
    connections: 32,
    requests: count,
    request: (i) => requestBytes("POST", collection, token, json(stone(i))),
  });
  await server.stop();
}

function stone(i: number): string {
  const metadata = { name: `stone-${i}` };
  return JSON.stringify({
    apiVersion: "bench.setpoint.dev/v1",
    kind: "Stone",
    metadata,
    spec: { size: i },
  });
}

async function turnOf(mode: (typeof modes)[number], data: string): Promise<Turn> {
  await using server = await startSetpoint({ data, args: [mode, ...module] });
  const before = { runs: await runsOf(server), cpuMs: cpuMsOfTree(server.pid) };
  const startedMs = performance.now();
  let runs = before.runs;
  await waitUntil("all to be reconciled", async () => (runs = await runsOf(server)) >= count, {
    limitMs: 300_000,
  });
  const done = runs - before.runs;
  const turn = {
    perSecond: (done * 1_000) / (performance.now() - startedMs),
    cpuUs: ((cpuMsOfTree(server.pid) - before.cpuMs) * 1_000) / done,
  };
  console.error(`bench: isolation: ${mode}: ${JSON.stringify(turn)}`);
  await server.stop();
  return turn;
}

async function runsOf(server: Setpoint): Promise<number> {
  const { body } = await server.ask("/metrics");
  const pattern = /^setpoint_reconciles_total\{kind="stones[^}]*"done"\} (\d+)$/m;
  return Number(pattern.exec(body.toString())?.[1] ?? 0);
}
