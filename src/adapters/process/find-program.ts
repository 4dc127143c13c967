// Finds the file of a program before anything is started, so that a missing program is a result of
// its own and not an exit code that the program could have returned itself.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";

/** Where programs are searched for when the environment of the request has no PATH. */
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Undefined: there is no such program that may be executed. */
export async function findProgram(
  program: string,
  searchPath: string | undefined,
): Promise<string | undefined> {
  if (program.startsWith("/")) return (await isExecutable(program)) ? program : undefined;
  for (const folder of (searchPath ?? usualPath).split(":")) {
    if (!folder.startsWith("/")) continue;
    const path = join(folder, program);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // It does not exist, or is not visible: either way it cannot be the working folder.
    return false;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not executable.
    return false;
  }
}
