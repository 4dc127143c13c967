/** The most memory that a process and its descendants held together, sampled while it runs. */
import { readFileSync } from "node:fs";
import { processTree } from "../tests/peers/process-tree.ts";

export interface PeakMemory {
  /** Ends the sampling and returns the peak. */
  stop(): number;
}

const sampleMs = 100;

export function peakMemoryMiB(pid: number | undefined): PeakMemory {
  let peak = 0;
  const sample = (): void => {
    const tree = pid === undefined ? [] : processTree(pid);
    peak = Math.max(
      peak,
      tree.reduce((sum, member) => sum + residentMiB(member), 0),
    );
  };
  const timer = setInterval(sample, sampleMs);
  return {
    stop: () => {
      sample();
      clearInterval(timer);
      return peak;
    },
  };
}

function residentMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0; // The process ended between the listing and the reading.
  }
}
