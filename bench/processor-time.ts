/** How much processor time a process and everything below it have used so far. */
import { readFileSync } from "node:fs";
import { processTree } from "../tests/peers/process-tree.ts";

/** The kernel counts in ticks of a hundredth of a second, on every Linux that runs Node.js. */
const tickMs = 10;

/** With the time of descendants that have ended, once their parents asked for it. */
export function cpuMsOfTree(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return processTree(pid).reduce((sum, member) => sum + ticksOf(member), 0) * tickMs;
}

function ticksOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may itself contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  } catch {
    return 0; // It ended between the listing and the reading.
  }
}
