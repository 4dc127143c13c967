/**
 * Reads modules again when their files change, for `setpoint dev`: the store, the watches and the
 * connections stay. A file that cannot be used is reported, and the code from before continues.
 */
import { statSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { entryOf, isSetpointError } from "../kernel/errors.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Logger } from "../telemetry/log.ts";
import { unusableModule } from "./broken-module.ts";
import { loadedModule } from "./load-modules.ts";
import type { LoadedModule } from "./load-modules.ts";
import { conflictWith } from "./module-conflicts.ts";
import type { LoadedFile, ModuleLoading } from "./module-loading.ts";
import type { UserModules } from "./user-modules.ts";

export interface ReloadInput {
  readonly modules: UserModules;
  readonly loading: ModuleLoading;
  readonly timers: Timers;
  readonly log: Logger;
  /** Installs the kinds of a module, and from then on runs its reconcilers. */
  readonly use: (module: LoadedModule) => Promise<void>;
}

/** Editors write a file in several steps. */
const settleMs = 100;

export function reloadModules(input: ReloadInput): AsyncDisposable {
  const { modules, loading, timers, log } = input;
  const files = modules.files();
  const watchers = new Map<string, FSWatcher>();
  const versionOf = (file: string): string => versionOfFiles(loading.filesOf(file));
  const versions = new Map(files.map((file) => [file, versionOf(file)]));
  let reload = 0;
  let cancel = (): void => undefined;
  let work = Promise.resolve();
  const soon = (): void => {
    cancel();
    cancel = timers.after(settleMs, () => {
      work = work.then(check);
    });
  };
  const follow = (): void => {
    const folders = files.flatMap((file) =>
      [...loading.filesOf(file)].map((each) => dirname(each)),
    );
    for (const folder of new Set(folders)) {
      if (!watchers.has(folder)) watchers.set(folder, watched(folder, soon, log));
    }
  };
  const check = async (): Promise<void> => {
    for (const file of files) {
      const version = versionOf(file);
      if (versions.get(file) === version) continue;
      versions.set(file, version);
      reload += 1;
      await reloadOne(input, file, reload);
      versions.set(file, versionOf(file));
    }
    follow();
  };
  follow();
  return {
    [Symbol.asyncDispose]: async () => {
      cancel();
      for (const watcher of watchers.values()) watcher.close();
      await work;
    },
  };
}

async function reloadOne(input: ReloadInput, file: string, reload: number): Promise<void> {
  const { modules, loading, log, use } = input;
  let loaded: LoadedFile | undefined;
  try {
    loaded = await loading.load(file, reload);
    const module = loadedModule(file, loaded.value);
    const others = modules.usable().filter((each) => each.file !== file);
    const conflict = conflictWith(others, module);
    if (conflict !== undefined) throw unusableModule(file, conflict);
    await use(module);
    modules.replace(module);
    loaded.use({ keepsFirst: isReadOnce(module) });
    const shown = log.runs ?? log;
    shown.info({ file, module: module.name, ...restartFor(module) }, "module reloaded");
  } catch (error) {
    loaded?.drop();
    const fields = { error, file, ...adviceFor(error) };
    log.error(fields, "module not reloaded; the code from before continues");
  }
}

function adviceFor(error: unknown): { readonly try?: string } {
  if (!isSetpointError(error)) return {};
  return { try: error.suggestion ?? entryOf(error.code).action };
}

function restartFor(module: LoadedModule): object {
  if (!isReadOnce(module)) return {};
  return { note: "restart the server for changes of extensions, systems and metrics" };
}

/** Whether it has parts that built-in modules and the engine read when the server starts. */
function isReadOnce({ extensions = [], systems, metrics = {} }: LoadedModule): boolean {
  const counts = [extensions.length, Object.keys(systems).length, Object.keys(metrics).length];
  return counts.some((count) => count > 0);
}

function watched(folder: string, changed: () => void, log: Logger): FSWatcher {
  const watcher = watch(folder, { persistent: false }, changed);
  watcher.on("error", (error) => log.warn({ error, folder }, "changes of modules not followed"));
  return watcher;
}

/** Of a module and all its local files: differs when one of them was written. */
function versionOfFiles(files: Iterable<string>): string {
  return [...files].map((each) => `${each} ${stampOf(each)}`).join("\n");
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
}
