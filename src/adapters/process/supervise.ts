// One program from its start to its end: collects output, watches the limits, and ends the whole
// group. The first reason to end a program is the result; what happens while it ends is not.

import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { outputCollector } from "./collect-output.ts";
import type { OutputCollector } from "./collect-output.ts";
import type { GroupMemory } from "./group-memory.ts";
import type { GroupWatcher } from "./group-watcher.ts";
import type { ProgramEnd, ProgramRequest, ProgramResult } from "./port.ts";

export interface SupervisionPorts {
  readonly timers: Timers;
  readonly watcher: GroupWatcher;
  readonly memory: GroupMemory;
}

interface Supervision {
  readonly request: ProgramRequest;
  readonly signal: AbortSignal;
  readonly ports: SupervisionPorts;
  /** The first call decides the result. */
  readonly stop: (why: ProgramEnd) => void;
  /** Ends the program; `run` then throws the error. */
  readonly failed: (error: unknown) => void;
}

/** `child` is start-program.sh in a group of its own; descriptor 3 is a pipe to it. */
export async function supervise(
  child: ChildProcess,
  request: ProgramRequest,
  signal: AbortSignal,
  ports: SupervisionPorts,
): Promise<ProgramResult> {
  const { pid: group } = child;
  const ended = Promise.withResolvers<ProgramEnd>();
  child.once("error", (error) => ended.resolve({ kind: "notStarted", code: errorCode(error) }));
  if (group === undefined) return resultOf(await ended.promise, []);

  let reason: ProgramEnd | undefined;
  const cleanUps: (() => void)[] = [];
  const stop = (why: ProgramEnd): void => {
    if (reason !== undefined) return;
    reason = why;
    signalGroup(group, "SIGTERM");
    signalGroup(group, "SIGCONT");
    const { graceMs = limits.programGraceMs } = request.limits;
    cleanUps.push(ports.timers.after(graceMs, () => signalGroup(group, "SIGKILL")));
  };
  child.once("exit", (code, by) => {
    reason ??=
      code === null ? { kind: "signalled", signal: by ?? "unknown" } : { kind: "exited", code };
    // Descendants that outlive the program would keep its output open.
    signalGroup(group, "SIGKILL");
    cleanUps.push(ports.timers.after(limits.programDrainMs, () => closeOutputs(child)));
  });
  child.once("close", () => ended.resolve(reason ?? { kind: "signalled", signal: "unknown" }));
  const errors: unknown[] = [];
  const failed = (error: unknown): void => {
    errors.push(error);
    stop({ kind: "aborted" });
  };
  const supervision = { request, signal, ports, stop, failed };
  const collectors = collectOutputs(child, supervision);
  try {
    await ports.watcher.add(group);
    cleanUps.push(...watchLimits(group, supervision));
    begin(child, request.stdin);
  } catch (error) {
    stop({ kind: "notStarted", code: errorCode(error) });
  }
  const end = await ended.promise;
  for (const cleanUp of cleanUps) cleanUp();
  ports.watcher.drop(group);
  if (errors.length > 0) throw errors[0];
  return resultOf(end, collectors);
}

function resultOf(end: ProgramEnd, collectors: readonly OutputCollector[]): ProgramResult {
  const none = { bytes: Buffer.alloc(0), isTruncated: false };
  const [stdout = none, stderr = none] = collectors.map((collector) => collector.output());
  return { end, stdout, stderr };
}

function collectOutputs(
  child: ChildProcess,
  { request, stop, failed }: Supervision,
): readonly OutputCollector[] {
  // What `onLine` throws inside an event of a stream would end this process.
  const guarded = <T>(collect: () => T): T | undefined => {
    try {
      return collect();
    } catch (error) {
      failed(error);
      return undefined;
    }
  };
  const { maxOutputBytes: maxBytes, onOutputLimit = "end" } = request.limits;
  const { onLine } = request;
  const collect = (stream: "stdout" | "stderr", source: Readable | null): OutputCollector => {
    const collector = outputCollector({
      maxBytes,
      maxLineBytes: limits.maxProgramLineBytes,
      onLine: onLine === undefined ? undefined : (text) => onLine({ stream, text }),
    });
    source?.on("data", (chunk: Buffer) => {
      const isWithin = guarded(() => collector.push(chunk)) ?? true;
      if (!isWithin && onOutputLimit === "end") stop({ kind: "outputLimit", stream });
    });
    source?.on("error", () => undefined);
    source?.on("close", () => guarded(() => collector.end()));
    return collector;
  };
  return [collect("stdout", child.stdout), collect("stderr", child.stderr)];
}

function watchLimits(
  group: number,
  { request, signal, ports, stop }: Supervision,
): readonly (() => void)[] {
  const { timeoutMs, maxMemoryBytes } = request.limits;
  const onAbort = (): void => stop({ kind: "aborted" });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return [
    ports.timers.after(timeoutMs, () => stop({ kind: "timedOut", timeoutMs })),
    () => signal.removeEventListener("abort", onAbort),
    ...(maxMemoryBytes === undefined
      ? []
      : [
          ports.memory.watch(group, maxMemoryBytes, (usedBytes) =>
            stop({ kind: "memoryLimit", usedBytes }),
          ),
        ]),
  ];
}

/** Lets start-program.sh become the program, and gives it its input. */
function begin(child: ChildProcess, stdin: ProgramRequest["stdin"]): void {
  const gate = child.stdio[3];
  if (gate !== null && gate !== undefined && "end" in gate) {
    gate.on("error", () => undefined);
    gate.end("start\n");
  }
  // A program need not read its input; that it ended first is no failure of the run.
  child.stdin?.on("error", () => undefined);
  if (stdin !== undefined) child.stdin?.end(stdin);
}

/** For descendants that left the group and hold on to the output. */
function closeOutputs({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // ESRCH: the group has no processes left. EPERM: macOS says so of a group of zombies.
    if (errorCode(error) !== "ESRCH" && errorCode(error) !== "EPERM") throw error;
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN";
}
