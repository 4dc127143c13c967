// The folder of one run: `control` belongs to the server, `work` to the user of the program. Both
// have the mode 0700. Other users can pass through the folders above them and list nothing.

import { chown, lstat, mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";

export interface OsUser {
  readonly uid: number;
  readonly gid: number;
  /** Of one run: see `ProgramUser` of the supervisor. */
  readonly isOwn?: boolean;
}

export interface RunFolder {
  readonly path: string;
  readonly control: string;
  readonly work: string;
}

export function runFolderAt(path: string): RunFolder {
  return { path, control: join(path, "control"), work: join(path, "work") };
}

/** `root` may be in a folder that every user writes to, so it must belong to this process. */
export async function makeRunFolder(
  root: string,
  name: string,
  user: OsUser | "own" | undefined,
): Promise<RunFolder> {
  await mkdir(root, { recursive: true, mode: 0o711 });
  const found = await lstat(root);
  if (!found.isDirectory() || found.uid !== process.geteuid?.()) {
    const message = `the folder ${root} does not belong to the user of the server`;
    throw new ReconcileFailure(failed("RunFolderInvalid", message, { retry: "slow" }));
  }
  if (user === "own") await checkPassage(root);
  const folder = runFolderAt(join(root, name));
  await mkdir(folder.path, { mode: user !== undefined ? 0o711 : 0o700 });
  await mkdir(folder.control, { mode: 0o700 });
  await mkdir(folder.work, { mode: 0o700 });
  return folder;
}

/** A user of a run is in no group, so that it passes through folders that all users may enter. */
async function checkPassage(root: string): Promise<void> {
  for (let at = dirname(root); ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) {
      const message =
        `users of runs cannot enter the folder ${at}: run chmod o+x ${at}, ` +
        "or set executors.runFolder of the configuration to another folder";
      throw new ReconcileFailure(failed("RunFolderInvalid", message, { retry: "slow" }));
    }
    if (at === dirname(at)) return;
  }
}

export async function give(path: string, user: OsUser | undefined): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

export async function removeRunFolder({ path }: RunFolder): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}
