// Runs one command for a test process and outlives neither it nor the command. The owner holds the
// other end of stdin: when it closes without a word the owner has died, even by SIGKILL, and the
// command, everything it started and its folder go away. Pid and exit are reported on descriptor 3.
import { spawn } from "node:child_process";
import { rmSync, writeSync } from "node:fs";
import { killTree } from "./process-tree.ts";

export interface WatchdogTask {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** Removed when the owner died. */
  readonly folder?: string;
}

export type WatchdogReport =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: string | null };

if (import.meta.main) {
  const task = JSON.parse(process.argv[2] ?? "{}") as WatchdogTask;
  const { command, args, folder, ...options } = task;
  const child = spawn(command, args, { ...options, stdio: ["ignore", "inherit", "inherit"] });
  child.once("error", (error) => report({ kind: "refused", message: error.message }));
  child.once("spawn", () => report({ kind: "started", pid: child.pid ?? 0 }));
  let isOrphan = false;
  child.once("exit", (code, signal) => {
    if (isOrphan) return;
    report({ kind: "exited", code, signal });
    process.exit();
  });
  process.stdin.resume();
  process.stdin.once("close", () => {
    isOrphan = true;
    void (async () => {
      if (child.pid !== undefined) await killTree(child.pid);
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      process.exit();
    })();
  });
}

function report(message: WatchdogReport): void {
  try {
    writeSync(3, `${JSON.stringify(message)}\n`);
  } catch (error) {
    process.stderr.write(`the owner is gone: ${String(error)}\n`);
  }
}
