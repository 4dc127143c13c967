// Facts about processes of this machine. A process is identified by its id and its start time,
// because ids are reused. A zombie has ended: some machines never collect them.

import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  /** Of the program alone: see `ProgramUser`. */
  readonly ownUser?: { readonly uid: number; readonly gid: number };
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

/** Whether a process of a program is left: of its group, or of the user that it alone has. */
export async function isProgramAlive(program: ProcessIdentity): Promise<boolean> {
  if (await isGroupAlive(program)) return true;
  return program.ownUser !== undefined && (await hasProcesses(program.ownUser.uid));
}

async function hasProcesses(uid: number): Promise<boolean> {
  const { readdir } = await import("node:fs/promises");
  const ids = new RegExp(`^Uid:.*\\b${uid}\\b`, "m");
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const status = await readFile(`/proc/${entry}/status`, "utf8");
      if (ids.test(status) && !/^State:\s+[ZX]/m.test(status)) return true;
    } catch {
      // It ended while the list was read.
    }
  }
  return false;
}

const leastOwnId = 65_536;

/** Kills the group of a program, and every process of the user that it alone has. */
export async function killProgram({ pid, ownUser }: ProcessIdentity): Promise<void> {
  isSignalled(-pid, "SIGKILL");
  // A user of the system, or the superuser, is never the user of one program.
  if (ownUser === undefined || ownUser.uid < leastOwnId) return;
  const { uid, gid } = ownUser;
  // To all processes at once, so that none of them can begin another one in between.
  const options = { uid, gid, env: {}, cwd: "/", stdio: "ignore" } as const;
  const killer = spawn("/bin/sh", ["-c", "kill -KILL -1"], options);
  await new Promise<void>((resolve) => {
    killer.once("error", () => resolve());
    killer.once("exit", () => resolve());
  });
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
