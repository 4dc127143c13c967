// A disk that a test can cut off, freeze and fill. It is a file with an ext4 file system in it,
// mounted through a loop device, so what is in the file is what the system has sent to the disk.
//
// `cut` is a loss of power: it takes a copy of the file while every writer is stopped, and mounts
// the copy in place of the disk. What a program wrote without asking for a flush was only in the
// memory of the system, and is gone. That is the difference to kill -9, which loses no such thing,
// and the only way here to see whether a store flushes before it answers. It does not model a disk
// that loses its own cache, or that tears a sector.
//
// Mounting needs root and loop devices. Where there are none, `openDisk` says so and gives nothing:
// the test prints that as a diagnostic, and checks what it can without.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";

export class Disk implements AsyncDisposable {
  /** Where it is mounted. */
  readonly path: string;
  readonly #folder: string;
  readonly #image: string;
  #isFrozen = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#image = join(folder, "image");
    this.path = join(folder, "disk");
  }

  async make(sizeMb: number): Promise<void> {
    await mkdir(this.path);
    run("truncate", ["-s", `${sizeMb}M`, this.#image]);
    // No lazy work in the background, and no reserved blocks: full means full for root as well.
    run("mkfs.ext4", [
      "-q",
      "-m",
      "0",
      "-E",
      "lazy_itable_init=0,lazy_journal_init=0",
      this.#image,
    ]);
    this.#mount();
    await chmod(this.path, 0o777);
  }

  /** Power is lost and comes back. Whoever uses the disk must be stopped before and dead after. */
  async cut(killAll: () => Promise<void>): Promise<void> {
    const copy = `${this.#image}.copy`;
    run("cp", ["--sparse=auto", this.#image, copy]);
    await killAll();
    await this.#unmount();
    await rename(copy, this.#image);
    this.#mount();
  }

  /** Nothing that writes to the disk goes on until `thaw`: the slowest disk there is. */
  freeze(): void {
    run("fsfreeze", ["--freeze", this.path]);
    this.#isFrozen = true;
  }

  thaw(): void {
    if (this.#isFrozen) run("fsfreeze", ["--unfreeze", this.path]);
    this.#isFrozen = false;
  }

  remount(mode: "ro" | "rw"): void {
    run("mount", ["-o", `remount,${mode}`, this.path]);
  }

  /**
   * Freezes until what it returns is called, or until this process is gone. It thaws after a while
   * without our help, too: a thread of ours that touches a mapped file of a frozen disk waits in
   * the kernel, and may be the one that was to thaw it.
   */
  freezeUntil(): () => void {
    this.freeze();
    const thaw = `timeout 30 cat; fsfreeze --unfreeze ${this.path}`;
    const stdio = ["pipe", "ignore", "ignore"] as const;
    const { stdin } = spawn("sh", ["-c", thaw], { detached: true, stdio: [...stdio] });
    this.#isFrozen = false;
    return () => stdin?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    await this.#unmount();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** `commit=600`: the journal does not flush by itself and so hide that a store did not. */
  #mount(): void {
    run("mount", ["-o", "loop,commit=600", this.#image, this.path]);
  }

  /** Whoever was killed a moment ago may still be on its way out, with files open. */
  async #unmount(): Promise<void> {
    await waitUntil(`${this.path} to be free`, () => {
      const { status, stderr } = spawnSync("umount", [this.path], { encoding: "utf8" });
      if (status !== 0 && !stderr.includes("busy")) throw new Error(stderr);
      return status === 0;
    });
  }
}

/** The disk, or undefined after telling why there is none. */
export async function openDisk(
  sizeMb: number,
  tell: (reason: string) => void,
): Promise<Disk | undefined> {
  if (process.getuid?.() !== 0) {
    tell("not root, so nothing can be mounted");
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), "setpoint-disk-"));
  await chmod(folder, 0o755);
  const disk = new Disk(folder);
  try {
    await disk.make(sizeMb);
    return disk;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    tell(`no loop device: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** A disk of a few pages, in memory; or undefined after telling why there is none. */
export async function openSmallDisk(
  bytes: number,
  tell: (reason: string) => void,
): Promise<({ readonly path: string } & AsyncDisposable) | undefined> {
  const path = await mkdtemp(join(tmpdir(), "setpoint-small-disk-"));
  const { status, stderr } = spawnSync(
    "mount",
    ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path],
    { encoding: "utf8" },
  );
  if (status !== 0) {
    await rm(path, { recursive: true });
    tell(`nothing can be mounted: ${stderr}`);
    return undefined;
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      run("umount", [path]);
      await rm(path, { recursive: true });
    },
  };
}

/** Takes all the room: the last blocks by small writes, once the others are on the disk. */
export async function fillDisk(path: string): Promise<void> {
  for (const bytes of [65_536, 4_096, 4_096]) {
    const file = await open(path, "a");
    try {
      for (;;) await file.write(Buffer.alloc(bytes, "b"));
    } catch (error) {
      assert.match(String(error), /ENOSPC/);
    } finally {
      await file.sync().catch(() => undefined);
      await file.close();
    }
  }
}

/** A PostgreSQL server whose data is on the disk: it makes its folder where temporary files go. */
export async function startPostgresOn(disk: Disk): Promise<Postgres> {
  const usual = process.env["TMPDIR"];
  process.env["TMPDIR"] = disk.path;
  try {
    const server = await startPostgres();
    // The cluster was copied, and a copy is not flushed: without this the first cut takes it away.
    run("sync", ["-f", disk.path]);
    return server;
  } finally {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
  }
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "pipe", "pipe"] });
}
