// Signals to a process and everything below it. PostgreSQL puts each of its processes in a session
// of its own, so a process group does not reach them; /proc does.
import { readFileSync, readdirSync } from "node:fs";
import { waitUntil } from "./wait.ts";

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly isZombie: boolean;
}

/** The process and its descendants, parents first. */
export function processTree(pid: number): readonly number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== undefined);
  const tree = [pid];
  for (const member of tree) {
    tree.push(...all.filter((stat) => stat.parent === member).map((stat) => stat.pid));
  }
  return tree;
}

/** Stops parents before their children, so that none is born meanwhile. */
export function pauseTree(pid: number): void {
  signalAll([pid], "SIGSTOP");
  signalAll(processTree(pid), "SIGSTOP");
}

export function resumeTree(pid: number): void {
  signalAll(processTree(pid), "SIGCONT");
}

/** Kills all of the tree at once and returns when the kernel has ended the last of it. */
export async function killTree(pid: number): Promise<void> {
  pauseTree(pid);
  const tree = processTree(pid);
  signalAll(tree, "SIGKILL");
  await waitUntil(`processes ${tree.join(", ")} to end`, () => !tree.some(isAlive));
}

/** A zombie has ended: only its parent has not asked yet. */
export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && !stat.isZombie;
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may itself contain anything.
    const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(parent), isZombie: state === "Z" || state === "X" };
  } catch {
    return undefined; // It ended between the listing and the reading.
  }
}
