// Starts a command that cannot outlive the test process: see watchdog.ts for how.
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import type { WatchdogReport, WatchdogTask } from "./watchdog.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Guarded {
  /** Of the command itself, not of its watchdog. */
  readonly pid: number;
  /** Await it with a limit: by itself it does not keep the process alive. */
  readonly exited: Promise<Exit>;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

export interface GuardedOptions extends WatchdogTask {
  readonly env?: NodeJS.ProcessEnv;
  /** A file descriptor for both outputs; without it they are streams. */
  readonly outputFd?: number;
}

export async function startGuarded(options: GuardedOptions): Promise<Guarded> {
  const { env = process.env, outputFd, ...task } = options;
  const output = outputFd ?? "pipe";
  const watchdog = spawn(
    process.execPath,
    [join(import.meta.dirname, "watchdog.ts"), JSON.stringify(task satisfies WatchdogTask)],
    // A session of its own: an interrupt typed at the terminal reaches the tests, not the peers.
    { env, detached: true, stdio: ["pipe", output, output, "pipe"] },
  );
  const { promise: started, resolve: start, reject: refuse } = Promise.withResolvers<number>();
  const { promise: exited, resolve: exit } = Promise.withResolvers<Exit>();
  watchdog.once("error", refuse);
  watchdog.once("close", () => {
    refuse(new Error(`the watchdog of ${task.command} ended before it started`));
    exit({ code: null, signal: "SIGKILL" });
  });
  const reports = watchdog.stdio[3] as Readable;
  createInterface({ input: reports }).on("line", (line) => {
    const report = JSON.parse(line) as WatchdogReport;
    switch (report.kind) {
      case "started":
        return start(report.pid);
      case "refused":
        return refuse(new Error(`cannot start ${task.command}: ${report.message}`));
      case "exited":
        return exit({ code: report.code, signal: report.signal });
      default:
        return report satisfies never;
    }
  });
  const pid = await started;
  letTestEnd(watchdog, reports, watchdog.stdin, watchdog.stdout, watchdog.stderr);
  return { pid, exited, stdout: watchdog.stdout, stderr: watchdog.stderr };
}

/** A peer that a test forgot must not keep the test process waiting for it. */
function letTestEnd(...handles: readonly unknown[]): void {
  for (const handle of handles) {
    const { unref } = (handle ?? {}) as { unref?: () => void };
    unref?.call(handle);
  }
}
