/**
 * Imports the file of a user module and returns its default export. The error of a failed import
 * names the file of the author, the line, and what to do: see import-failure.ts.
 */
import { existsSync, readFileSync } from "node:fs";
import { limits } from "../kernel/limits.ts";
import { systemTimers } from "../kernel/timers.ts";
import { invalidModule, unusableModule } from "./broken-module.ts";
import { importFailure } from "./import-failure.ts";
import { moduleUrl, resolveOwnNames } from "./module-resolution.ts";

export interface ImportOptions {
  readonly limitMs?: number;
  /** Counts the reloads of this process; 0 for the first load. */
  readonly reload?: number;
}

export async function importModule(file: string, options: ImportOptions = {}): Promise<unknown> {
  const { limitMs = limits.moduleImportMs, reload = 0 } = options;
  if (!existsSync(file)) throw absent(file);
  resolveOwnNames();
  const exports = await importInTime(file, moduleUrl(file, reload), limitMs);
  if (exports.default !== undefined) return exports.default;
  throw unusableModule(file, "has no default export; write: export default defineModule({ ... })");
}

interface Exports {
  readonly default?: unknown;
}

/** A top-level `await` may never end, and the server starts without the module then. */
async function importInTime(file: string, url: string, limitMs: number): Promise<Exports> {
  const stop = new AbortController();
  const imported = import(url) as Promise<Exports>;
  const late = systemTimers.sleep(limitMs, stop.signal).then(
    () => undefined,
    () => undefined,
  );
  let exports: Exports | undefined;
  try {
    exports = await Promise.race([imported, late]);
  } catch (cause) {
    throw importFailure(file, cause, textOf);
  } finally {
    stop.abort();
  }
  if (exports !== undefined) return exports;
  const problem = `was not loaded within ${limitMs / 1_000} s: a top-level await does not end`;
  throw unusableModule(file, problem);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The path is absolute, so that it shows where the file was expected. */
function absent(file: string): Error {
  return invalidModule(`the module ${file} does not exist`, file, {
    suggestion:
      `check the path; a relative path starts in ${process.cwd()}, ` +
      "the current folder, or in the folder of the configuration file that names it",
  });
}
