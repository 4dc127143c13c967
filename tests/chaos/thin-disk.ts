// A disk that promises more room than there is behind it, as thin volumes do: writing seems to
// work, and the flush fails. It is a file system in a sparse file, on a file system in memory that
// is too small for it. Whatever has its place already can be written over and flushed.
//
// The file system keeps no journal: one that cannot be flushed would end all writing for good. Some
// kernels report the failure by the next flush only, so one commit may be acknowledged that is not
// on this disk; it has to be there once the store has found out.
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "../peers/wait.ts";

const promisedMb = 256;
const block = 4_096;

export class ThinDisk implements AsyncDisposable {
  /** Where it is mounted. */
  readonly path: string;
  readonly #folder: string;
  readonly #backing: string;
  readonly #ballast: string;
  #losses = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "disk");
    this.#backing = join(folder, "backing");
    this.#ballast = join(this.#backing, "ballast");
  }

  async make(backedMb: number): Promise<void> {
    await mkdir(this.path);
    await mkdir(this.#backing);
    const image = join(this.#backing, "image");
    run("mount", ["-t", "tmpfs", "-o", `size=${backedMb}M`, "tmpfs", this.#backing]);
    run("truncate", ["-s", `${promisedMb}M`, image]);
    run("mkfs.ext2", ["-q", "-m", "0", image]);
    run("mount", ["-o", "loop,errors=continue", image, this.path]);
  }

  /** From now on no more than this can be flushed to new places. */
  leave(bytes: number): void {
    run("sync", ["-f", this.path]);
    const { bavail, bsize } = statfsSync(this.#backing);
    const blocks = Math.floor((bavail * bsize - bytes) / block);
    const file = openSync(this.#ballast, "w");
    for (let at = 0; at < blocks; at += 1) writeSync(file, Buffer.alloc(block, "b"));
    closeSync(file);
  }

  relieve(): void {
    rmSync(this.#ballast);
  }

  /** What would be on the disk had the power been lost at this moment, mounted elsewhere. */
  async afterPowerLoss(): Promise<string> {
    const place = join(this.#folder, `lost-${(this.#losses += 1)}`);
    const image = `${place}.image`;
    await mkdir(place);
    run("cp", ["--sparse=always", join(this.#backing, "image"), image]);
    run("mount", ["-o", "loop", image, place]);
    return place;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let at = 1; at <= this.#losses; at += 1) {
      await unmounted(join(this.#folder, `lost-${at}`));
    }
    await unmounted(this.path);
    await unmounted(this.#backing);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The disk, or undefined after telling why there is none. */
export async function openThinDisk(
  backedMb: number,
  tell: (reason: string) => void,
): Promise<ThinDisk | undefined> {
  if (process.getuid?.() !== 0) {
    tell("not root, so nothing can be mounted");
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), "setpoint-thin-"));
  const disk = new ThinDisk(folder);
  try {
    await disk.make(backedMb);
    return disk;
  } catch (error) {
    await disk[Symbol.asyncDispose]();
    tell(`no loop device: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

async function unmounted(path: string): Promise<void> {
  await waitUntil(`${path} to be free`, () => {
    const { status, stderr } = spawnSync("umount", [path], { encoding: "utf8" });
    return status === 0 || /not mounted|no mount point|not found/.test(stderr);
  });
}
