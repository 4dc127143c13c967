// Which run the code that executes now belongs to, also in what it left behind: a timer, a promise
// that nobody waits for. What goes wrong there reaches nobody but the process itself, which can say
// by this whose it is, and that it is no reason to end.

import { AsyncLocalStorage } from "node:async_hooks";
import type { ResourceKey } from "../../kernel/resource.ts";

export interface RunAround {
  readonly key: ResourceKey;
  /** What may be shown of an error: it may hold secrets of the resource. */
  shown(error: unknown): unknown;
}

const runs = new AsyncLocalStorage<RunAround>();

export function asRunOf<T>(run: RunAround, inside: () => T): T {
  return runs.run(run, inside);
}

/** Undefined outside of any. */
export function runAround(): RunAround | undefined {
  return runs.getStore();
}
