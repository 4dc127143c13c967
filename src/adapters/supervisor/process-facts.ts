// Facts about processes of this machine. A process is identified by its id and its start time,
// because ids are reused. A zombie has ended: some machines never collect them.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
}

/** The start time of a process; undefined if it does not exist or has ended. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return await startByPs(pid);
  try {
    return startIn(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // It does not exist.
    return undefined;
  }
}

/** The same at once, for a process that was started right now. */
export function startOfNew(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return startIn(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    // It has ended.
    return undefined;
  }
}

/** The name of the program is in parentheses and may contain anything. */
function startIn(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  return state === "Z" || state === "X" ? undefined : fields[19];
}

async function startByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,lstart=", "-p", `${pid}`]);
    const [state = "Z", ...start] = stdout.trim().split(/\s+/);
    return state.startsWith("Z") ? undefined : start.join(" ");
  } catch {
    // ps reports a process that does not exist by its exit code.
    return undefined;
  }
}

export async function isAlive({ pid, start }: ProcessIdentity): Promise<boolean> {
  return (await startOf(pid)) === start;
}

/**
 * Whether a process of the group of a program is left. The group of a dead program may have its id
 * in use by another program, which then has another start time.
 */
export async function isGroupAlive({ pid, start }: ProcessIdentity): Promise<boolean> {
  const now = await startOf(pid);
  if (now !== undefined) return now === start;
  if (process.platform !== "linux") return isSignalled(-pid, 0);
  return isSignalled(-pid, 0) && (await hasLivingMember(pid));
}

async function hasLivingMember(group: number): Promise<boolean> {
  const { readdir } = await import("node:fs/promises");
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = await readFile(`/proc/${entry}/stat`, "utf8");
      const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(pgrp) === group && state !== "Z" && state !== "X") return true;
    } catch {
      // It ended while the list was read.
    }
  }
  return false;
}

/** False: there is no such process, or it may not be signalled. */
export function isSignalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // ESRCH, or EPERM.
    return false;
  }
}

/** Machine, boot and process namespace: process ids of another one mean nothing here. */
export async function hostIdentity(): Promise<string> {
  const read = async (path: string): Promise<string> => {
    try {
      return (await readFile(path, "utf8")).trim();
    } catch {
      // Not Linux.
      return "";
    }
  };
  const namespace = async (): Promise<string> => {
    try {
      return await readlink("/proc/self/ns/pid");
    } catch {
      // Not Linux.
      return "";
    }
  };
  const boot = await read("/proc/sys/kernel/random/boot_id");
  return [hostname(), boot, await namespace()].filter((part) => part !== "").join(" ");
}
