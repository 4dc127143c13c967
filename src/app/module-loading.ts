/** How the file of a user module is loaded again: on the main thread, or in a new thread. */
import { importModule } from "./import-module.ts";
import { localFiles } from "./module-resolution.ts";

export interface ModuleLoading {
  /** `reload` counts the reloads of this process. */
  load(file: string, reload: number): Promise<LoadedFile>;
  /** The file and all local files that it imported when it was loaded last. */
  filesOf(file: string): Iterable<string>;
}

export interface LoadedFile {
  /** The default export. */
  readonly value: unknown;
  /**
   * The engine uses this version from now on. Extensions and systems are read once, when the
   * server starts: where the module has any, the first version stays.
   */
  use(options: { readonly keepsFirst: boolean }): void;
  /** This version is not used. */
  drop(): void;
}

export const mainThreadLoading: ModuleLoading = {
  load: async (file, reload) => {
    const value = await importModule(file, { reload });
    return { value, use: () => undefined, drop: () => undefined };
  },
  filesOf: localFiles,
};
