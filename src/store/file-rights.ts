/**
 * Files and folders that the operating system keeps from the user of this process, told as errors
 * of ours: which one it is, and who may. Rights are looked at again for that, after a failure.
 *
 * The superuser is refused nothing, but must not keep from the user of a server what it needs: what
 * is made in a folder of another user is given to that user.
 */
import { accessSync, constants, fchownSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SetpointError } from "../kernel/errors.ts";

/** Whether the system refused something for want of rights. */
export function isRefusal(error: unknown): error is NodeJS.ErrnoException {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM";
}

/** The error for a refusal: about the folder that is closed on the way, or the path itself. */
export function forbidden(path: string, cause: unknown): SetpointError {
  const closed = closedFolder(path);
  const place = closed ?? path;
  const message = `this user may not ${closed === undefined ? "open" : "enter"} ${place}`;
  const owner = ownerOf(place);
  const whose = owner === undefined ? "its owner" : `its owner, user ${owner}`;
  return new SetpointError("file.forbidden", message, {
    cause,
    details: { path },
    suggestion: `run it as ${whose}, or make this user the owner of ${place}`,
  });
}

/** The error where this user may not read the file; undefined also where there is none. */
export function whyNotReadable(path: string): SetpointError | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return isRefusal(error) ? forbidden(path, error) : undefined;
  }
}

export function isSuperuser(): boolean {
  return process.geteuid?.() === 0;
}

/** Gives a file that the superuser has just made to the owner of the model, a file or a folder. */
export function giveToOwnerOf(model: string, file: number): void {
  if (!isSuperuser()) return;
  try {
    const { uid, gid } = statSync(model);
    if (uid !== 0) fchownSync(file, uid, gid);
  } catch {
    // A superuser who may not do that, as in some containers: the file stays as it is.
  }
}

/** The first folder, from the root on, that may not be entered. */
export function closedFolder(path: string): string | undefined {
  const folder = dirname(path);
  const above = folder === path ? undefined : closedFolder(folder);
  if (above !== undefined) return above;
  try {
    accessSync(folder, constants.X_OK);
    return undefined;
  } catch (error) {
    return isRefusal(error) && statSync(folder).isDirectory() ? folder : undefined;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}
