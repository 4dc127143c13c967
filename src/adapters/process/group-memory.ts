// The resident memory of process groups, summed over their processes. One pass over /proc serves
// all groups that are watched. Only Linux has it; elsewhere nothing is ever over its limit.

import { readFile, readdir } from "node:fs/promises";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";

export interface GroupMemory {
  /** Calls `exceeded` once if the group uses more; the returned function ends the watch. */
  watch(group: number, maxBytes: number, exceeded: (usedBytes: number) => void): () => void;
}

interface Watched {
  readonly maxBytes: number;
  readonly exceeded: (usedBytes: number) => void;
}

export function groupMemory(timers: Timers, platform: NodeJS.Platform): GroupMemory {
  const watched = new Map<number, Watched>();
  let isChecking = false;
  const arm = (): void => {
    if (isChecking || watched.size === 0) return;
    isChecking = true;
    timers.after(limits.programMemoryCheckMs, () => {
      void check().finally(() => {
        isChecking = false;
        arm();
      });
    });
  };
  const check = async (): Promise<void> => {
    if (watched.size === 0) return;
    const used = await residentBytesByGroup(new Set(watched.keys()));
    for (const [group, bytes] of used) {
      const limit = watched.get(group);
      if (limit === undefined || bytes <= limit.maxBytes) continue;
      watched.delete(group);
      limit.exceeded(bytes);
    }
  };
  return {
    watch: (group, maxBytes, exceeded) => {
      if (platform !== "linux") return () => undefined;
      watched.set(group, { maxBytes, exceeded });
      arm();
      return () => watched.delete(group);
    },
  };
}

async function residentBytesByGroup(
  groups: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const used = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const memory = memoryIn(await statusOf(name));
    if (memory === undefined || !groups.has(memory.group)) continue;
    used.set(memory.group, (used.get(memory.group) ?? 0) + memory.bytes);
  }
  return used;
}

async function statusOf(pid: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/status`, "utf8");
  } catch {
    // The process has ended since the folder was listed.
    return "";
  }
}

/** Undefined for a process without memory: one of the kernel, or one that has ended. */
export function memoryIn(
  status: string,
): { readonly group: number; readonly bytes: number } | undefined {
  const [, group] = /^NSpgid:\s+(\d+)/m.exec(status) ?? [];
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  if (group === undefined || kib === undefined) return undefined;
  return { group: Number(group), bytes: Number(kib) * 1_024 };
}
