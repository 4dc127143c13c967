// The supervisor process: `node supervisor.ts FOLDER BEAT_MS`. It reads orders, one JSON object in
// each line of its input, and runs one program at a time. The end of its input, or no order for
// BEAT_MS, means that the server is lost: the program is ended in order, unless it is detached.

import { createInterface } from "node:readline";
import { systemClock } from "../../kernel/clock.ts";
import { parseExact } from "../../kernel/int64.ts";
import { systemTimers } from "../../kernel/timers.ts";
import { supervisorFile, writeControl } from "./control-files.ts";
import type { Order } from "./order.ts";
import type { EndReason } from "./port.ts";
import { startOf } from "./process-facts.ts";
import { runProgram } from "./program-run.ts";
import type { ProgramRun } from "./program-run.ts";

const [folder = "", beatText = "0"] = process.argv.slice(2);
const beatMs = Number(beatText);

let running: ProgramRun | undefined;
/** No further program is run, and the process ends with the present one. */
let isEnding = false;
let detachedUntilMs: number | undefined;
let cancelBeat = (): void => undefined;

for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => undefined);
process.on("SIGTERM", () => finish("lost"));

const start = (await startOf(process.pid)) ?? "";
writeControl(folder, supervisorFile, { pid: process.pid, start });
process.stdout.on("error", () => undefined);
process.stdout.write(`${JSON.stringify({ pid: process.pid, start })}\n`);
expectBeat();

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => obey(parseExact(line) as Order));
lines.on("close", () => {
  cancelBeat();
  if (detachedUntilMs === undefined) finish("lost");
  else isEnding = true;
  endIfIdle();
});

function obey(order: Order): void {
  expectBeat();
  switch (order.kind) {
    case "beat":
      return;
    case "run":
      if (running !== undefined || isEnding) return;
      begin(order.program);
      return;
    case "cancel":
      running?.end("cancelled", order.how);
      return;
    case "detach":
      detach(order.untilMs);
      return;
    default:
      order satisfies never;
  }
}

function begin(program: Extract<Order, { readonly kind: "run" }>["program"]): void {
  const run = runProgram(folder, program, systemTimers);
  running = run;
  void run.ended.finally(() => {
    running = undefined;
    endIfIdle();
  });
}

function detach(untilMs: number): void {
  detachedUntilMs = untilMs;
  cancelBeat();
  systemTimers.after(Math.max(0, untilMs - systemClock.nowMs()), () => finish("timedOut"));
}

function expectBeat(): void {
  cancelBeat();
  if (detachedUntilMs === undefined) {
    cancelBeat = systemTimers.after(beatMs, () => finish("lost"));
  }
}

function finish(reason: EndReason): void {
  isEnding = true;
  running?.end(reason, "graceful");
  endIfIdle();
}

function endIfIdle(): void {
  if (isEnding && running === undefined) process.exit(0);
}
