// The folder of the copies of one process, and the removal of those that killed processes left. Its
// name has the host and the process, so that a process that runs is recognised, also where several
// machines share the parent folder.

import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Of this process. */
const own = new Set<string>();

export async function openCacheFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeftovers(parent);
  const folder = await mkdtemp(join(parent, prefixOf(process.pid)));
  own.add(folder);
  return folder;
}

export async function closeCacheFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  own.delete(folder);
}

export function prefixOf(pid: number): string {
  const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 12);
  return `setpoint-git-${host}-${pid}-`;
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^setpoint-git-[0-9a-f]{12}-(\d+)-\w{6}$/.exec(name) ?? [];
    if (pid === undefined || !name.startsWith(prefixOf(Number(pid)))) continue;
    const folder = join(parent, name);
    if (own.has(folder) || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    // Of another user of the machine: it is theirs to remove.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** True also for a process of another user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
