// The supervisor process of this process: one small shell that knows which process groups run, and
// terminates them when its standard input closes. Node cannot ask the kernel to signal a child when
// its parent dies, but the kernel always closes the pipes of a dead process. One watcher serves all
// programs; if it dies, another one replaces it and learns the groups again.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { join } from "node:path";

export interface GroupWatcher extends Disposable {
  /** Resolves when the watcher's pipe holds the group: from then on it is terminated with us. */
  add(group: number): Promise<void>;
  drop(group: number): void;
}

/** Watchers that are replaced in a row, without a program in between. */
const maxReplacements = 3;

const script = join(import.meta.dirname, "watch-groups.sh");

export function groupWatcher(graceMs: number): GroupWatcher {
  const groups = new Set<number>();
  let watcher: ChildProcess | undefined;
  let isDisposed = false;
  let replacements = 0;
  const started = (): ChildProcess => {
    if (watcher !== undefined) return watcher;
    const tenths = Math.ceil(graceMs / 100);
    const child = spawn("/bin/sh", [script, String(tenths)], {
      // A session of its own, so that Ctrl-C in a terminal does not end it before us.
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    watcher = child;
    const lost = (): void => {
      if (watcher !== child) return;
      watcher = undefined;
      if (isDisposed || groups.size === 0 || replacements === maxReplacements) return;
      replacements += 1;
      for (const group of groups) write(`add ${group}`);
    };
    child.once("error", lost);
    child.once("exit", lost);
    child.stdin.on("error", () => undefined);
    // It ends by itself when this process does, which must not wait for it.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  };
  const write = (line: string, done?: (error: Error | null | undefined) => void): void => {
    started().stdin?.write(`${line}\n`, done);
  };
  return {
    add: (group) => {
      groups.add(group);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      write(`add ${group}`, (error) => {
        if (error !== null && error !== undefined) return reject(error);
        replacements = 0;
        resolve();
      });
      return promise;
    },
    drop: (group) => {
      if (groups.delete(group) && watcher !== undefined) write(`drop ${group}`);
    },
    [Symbol.dispose]: () => {
      isDisposed = true;
      watcher?.stdin?.end();
    },
  };
}
