// Which run the code that executes now belongs to, also in what it left behind: a timer, a promise
// that nobody waits for. What goes wrong there reaches nobody but the process itself, which can say
// by this whose it is, and that it is no reason to end.

import { AsyncLocalStorage } from "node:async_hooks";
import type { ResourceKey } from "../../kernel/resource.ts";

const runs = new AsyncLocalStorage<ResourceKey>();

export function asRunOf<T>(key: ResourceKey, inside: () => T): T {
  return runs.run(key, inside);
}

/** What the run is about; undefined outside of any. */
export function runAround(): ResourceKey | undefined {
  return runs.getStore();
}
