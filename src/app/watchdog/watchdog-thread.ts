/**
 * The entry of the watchdog's thread. It looks at the beats of the event loop. A loop that is
 * blocked is reported on standard error while it is blocked, with its activity. Signals get their
 * default action, because their handlers cannot run. A loop that does not come back ends the
 * process: its leases have expired, and a supervisor starts it again.
 */
import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../kernel/clock.ts";
import { logger } from "../../telemetry/log.ts";
import type { LogForm } from "../../telemetry/log-form.ts";
import { BlockedTime } from "./blocked-time.ts";
import { describeKey, factsIn, reportFields } from "./blocked-report.ts";
import type { BlockedReport } from "./blocked-report.ts";
import { Board } from "./board.ts";
import { inspectThread } from "./inspect-thread.ts";
import type { Inspected } from "./inspect-thread.ts";
import { watchdogLimits as limits } from "./limits.ts";

export interface WatchdogData {
  readonly memory: SharedArrayBuffer;
  readonly form: LogForm;
  readonly endMs: number;
}

const { memory, form, endMs } = workerData as WatchdogData;
const board = new Board(memory);
const log = logger(writeNow, systemClock, "error", form);
const time = new BlockedTime(limits.beatMs);
let lastLookMs = performance.now();
let reported: BlockedReport | undefined;
let isLooking = false;
let reports = 0;

setInterval(look, limits.beatMs);

function look(): void {
  const nowMs = performance.now();
  const blockedMs = board.isDebugged ? 0 : time.look(board.beats, nowMs - lastLookMs);
  lastLookMs = nowMs;
  if (blockedMs === 0) {
    // oxlint-disable-next-line require-post-message-target-origin -- a thread has no origin
    if (reported !== undefined) parentPort?.postMessage(reported);
    reported = undefined;
    reports = 0;
    return;
  }
  if (reported !== undefined) reported = { ...reported, blockedMs };
  const isDue = blockedMs >= (limits.reportedAfterMs[reports] ?? Infinity);
  if (isDue && !isLooking) void report(board.beats, blockedMs);
  if (blockedMs >= endMs) end(blockedMs);
}

async function report(beats: number, blockedMs: number): Promise<void> {
  isLooking = true;
  reports += 1;
  const inspected = await inspectMain();
  isLooking = false;
  // It came back in the meantime, so what was found is something else.
  const isOver = board.beats !== beats;
  const facts = factsIn(isOver || inspected === undefined ? board.read() : inspected.value);
  const isCertain = !isOver && inspected !== undefined;
  const stack = isOver ? [] : (inspected?.stack ?? []);
  reported = { blockedMs, facts, isCertain, stack };
  log.error(reportFields(reported), "event loop blocked");
}

async function inspectMain(): Promise<Inspected | undefined> {
  const session = new Session();
  try {
    session.connectToMainThread();
    const expression = `globalThis[Symbol.for(${JSON.stringify(describeKey)})]()`;
    return await inspectThread(
      {
        post: (method, params, answer) => session.post(method, params, (_, said) => answer(said)),
        on: (event, run) => session.on(event, ({ params }: { params: unknown }) => run(params)),
      },
      expression,
    );
  } catch {
    // Another debugger may be attached: the board names the activity that began last.
    return undefined;
  } finally {
    session.disconnect();
  }
}

function end(blockedMs: number): void {
  const fields = { ...(reported && reportFields(reported)), blockedMs: Math.round(blockedMs) };
  log.error(fields, "event loop lost, server ends");
  process.kill(process.pid, "SIGKILL");
}

const mostTries = 100;

/** Standard error may be a pipe that is full. */
function writeNow(lines: string): void {
  let rest = Buffer.from(lines);
  for (let tries = 0; rest.length > 0 && tries < mostTries; tries += 1) {
    try {
      rest = rest.subarray(writeSync(2, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      Atomics.wait(pause, 0, 0, 10);
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
