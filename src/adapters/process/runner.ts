// The implementation of port.ts. A run takes a slot, finds the program, starts start-program.sh in
// a new session (whose process group has the number of the process), adds the group to the watcher,
// and only then lets the shell become the program. This process may be killed between any two of
// these steps, and no program is left behind.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { findProgram, isFolder } from "./find-program.ts";
import { groupMemory } from "./group-memory.ts";
import { groupWatcher } from "./group-watcher.ts";
import type { ProcessRunner, ProgramEnd, ProgramRequest, ProgramResult } from "./port.ts";
import { runSlots } from "./run-slots.ts";
import { errorCode, supervise } from "./supervise.ts";
import type { SupervisionPorts } from "./supervise.ts";

export interface RunnerOptions {
  readonly timers: Timers;
  readonly maxRunning?: number;
  readonly maxWaiting?: number;
  /** Between SIGTERM and SIGKILL when this process has died. */
  readonly graceMs?: number;
}

interface Parts extends SupervisionPorts {
  readonly startScript: string;
}

export function openProcessRunner(options: RunnerOptions): ProcessRunner {
  const { timers } = options;
  const { maxRunning = limits.maxPrograms, maxWaiting = limits.maxWaitingPrograms } = options;
  const { graceMs = limits.programGraceMs } = options;
  const slots = runSlots(maxRunning, maxWaiting);
  const parts: Parts = {
    timers,
    watcher: groupWatcher(graceMs),
    memory: groupMemory(timers, process.platform),
    startScript: readFileSync(join(import.meta.dirname, "start-program.sh"), "utf8"),
  };
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const run = async (request: ProgramRequest): Promise<ProgramResult> => {
    const { signal: own } = request;
    const signal = own === undefined ? closing.signal : AbortSignal.any([closing.signal, own]);
    if (signal.aborted) return endedBefore({ kind: "aborted" });
    try {
      if (!(await slots.take(signal))) return endedBefore({ kind: "busy" });
    } catch {
      // The only reason is the signal.
      return endedBefore({ kind: "aborted" });
    }
    try {
      return await start(request, signal, parts);
    } finally {
      slots.release();
    }
  };
  return {
    run: async (request) => {
      check(request);
      const running = run(request);
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await Promise.allSettled(underWay);
      parts.watcher[Symbol.dispose]();
    },
  };
}

function endedBefore(end: ProgramEnd): ProgramResult {
  const none = { bytes: Buffer.alloc(0), isTruncated: false };
  return { end, stdout: none, stderr: none };
}

function check({ program, args, env = {}, folder }: ProgramRequest): void {
  const refuse = (field: string, why: string): never => {
    throw new SetpointError("request.invalid", `${field} ${why}`, { details: { field } });
  };
  if (!program.startsWith("/") && (program === "" || program.includes("/"))) {
    refuse("program", "must be an absolute path or a name without a slash");
  }
  if (!folder.startsWith("/")) refuse("folder", "must be an absolute path");
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      refuse("env", `has the name ${JSON.stringify(name)}: use letters, digits and underscores`);
    }
    if (value.includes("\0")) refuse("env", `has a null byte in the value of ${name}`);
  }
  if ([program, folder, ...args].some((text) => text.includes("\0"))) {
    refuse("args", "must not contain null bytes");
  }
}

async function start(
  request: ProgramRequest,
  signal: AbortSignal,
  parts: Parts,
): Promise<ProgramResult> {
  const { program, args, env = {}, folder, stdin, user } = request;
  const path = await findProgram(program, env["PATH"]);
  if (path === undefined) return endedBefore({ kind: "notFound", what: "program", path: program });
  if (!(await isFolder(folder))) {
    return endedBefore({ kind: "notFound", what: "folder", path: folder });
  }
  if (signal.aborted) return endedBefore({ kind: "aborted" });
  const { maxMemoryBytes } = request.limits;
  const dataKib =
    maxMemoryBytes === undefined ? "unlimited" : String(Math.ceil((maxMemoryBytes * 1.25) / 1_024));
  const ofShell = ["PWD", "OLDPWD", "SHLVL", "_"].filter((name) => env[name] === undefined);
  const script = ["-c", parts.startScript, "start-program", dataKib, ofShell.join(" ")];
  let child;
  try {
    child = spawn("/bin/sh", [...script, path, ...args], {
      cwd: folder,
      env,
      detached: true,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe"],
      ...user,
    });
  } catch (error) {
    return endedBefore({ kind: "notStarted", code: errorCode(error) });
  }
  return await supervise(child, request, signal, parts);
}
