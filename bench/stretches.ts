/**
 * Crafted single requests (crafted/): the longest stretch of the event loop that each causes, in
 * processor time of the main thread, so that a busy machine does not change the result much.
 */
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { craftedRequests } from "./crafted/all.ts";
import type { Crafted, CraftTarget } from "./crafted/request.ts";
import type { Stretch } from "./stretch-meter.ts";
import type { Row } from "./table.ts";

const askedMs = 100;
const namespace = "crafted";
/** The second call of a request finds compiled code, and data of the first. */
const rounds = 2;
/** What a request causes after its answer counts as well. */
const afterwardsMs = 300;
const answerWithinMs = 60_000;

export interface StretchesInput {
  readonly folder: string;
  /** A part of the names of the requests; all of them when left out. */
  readonly request?: string | undefined;
  /** Prints the functions of each long stretch. */
  readonly isProfiled?: boolean;
}

export async function stretches(input: StretchesInput): Promise<readonly Row[]> {
  const { folder, request = "", isProfiled = false } = input;
  const socket = join(folder, "stretch.sock");
  const meter = new URL("stretch-meter.ts", import.meta.url).href;
  await using server = await startSetpoint({
    args: ["--module", join(import.meta.dirname, "crafted/face-module.ts")],
    env: {
      NODE_OPTIONS: `--import=${meter}`,
      SETPOINT_STRETCH_SOCKET: socket,
      ...(isProfiled ? { SETPOINT_STRETCH_PROFILE: "1" } : {}),
    },
  });
  const target = await targetOf(server);
  const rows: Row[] = [];
  for (const crafted of craftedRequests) {
    if (!crafted.name.includes(request)) continue;
    rows.push(await rowOf(crafted, target, socket));
  }
  return rows;
}

async function targetOf(server: Setpoint): Promise<CraftTarget> {
  const ask: CraftTarget["ask"] = (path, given = {}) =>
    server.ask(path, { limitMs: answerWithinMs, ...given });
  const body = { metadata: { name: namespace } };
  await ask("/api/v1/namespaces", { method: "POST", body });
  return { ask, namespace };
}

async function rowOf(crafted: Crafted, target: CraftTarget, socket: string): Promise<Row> {
  await crafted.prepare?.(target);
  const found: Stretch[] = [];
  const statuses: string[] = [];
  for (let round = 0; round < rounds; round++) {
    await sleep(afterwardsMs);
    await readStretches(socket);
    statuses.push(await statusOf(crafted, target, round));
    await sleep(afterwardsMs);
    found.push(...(await readStretches(socket)));
  }
  found.sort((a, b) => b.cpuMs - a.cpuMs);
  const [{ cpuMs, wallMs } = { cpuMs: 0, wallMs: 0 }] = found;
  const isMet = cpuMs < askedMs;
  const line = `${cpuMs.toFixed(0).padStart(6)} ms  ${crafted.name}  ${statuses.join(", ")}`;
  console.error(isMet ? line : `${line}  LONG ${found.map(stretchText).join("")}`);
  return {
    what: `request: ${crafted.name}`,
    raw: statuses.join(", "),
    ours: `${cpuMs.toFixed(0)} ms (${wallMs.toFixed(0)} ms of time)`,
    result: isMet ? "" : "long",
    asked: `< ${askedMs} ms`,
    isMet,
  };
}

async function statusOf(crafted: Crafted, target: CraftTarget, round: number): Promise<string> {
  try {
    const { status } = await crafted.send(target, round);
    return String(status);
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 40) : "failed";
  }
}

function stretchText({ cpuMs, functions }: Stretch): string {
  if (functions.length === 0) return ` ${cpuMs.toFixed(0)}`;
  return [`\n  ${cpuMs.toFixed(0)} ms:`, ...functions].join("\n      ");
}

async function readStretches(path: string): Promise<readonly Stretch[]> {
  const connection = connect(path);
  const parts: Buffer[] = [];
  for await (const part of connection) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Stretch[];
}
