/** Programs of modules that end with this process, opened when a module first needs one. */
import type { ProcessRunner } from "../adapters/process/port.ts";
import type { Timers } from "../kernel/timers.ts";

export function programsWith(
  timers: Timers,
  undo: AsyncDisposableStack,
): () => Promise<ProcessRunner> {
  let opened: Promise<ProcessRunner> | undefined;
  undo.defer(async () => await (await opened)?.[Symbol.asyncDispose]());
  return async () => {
    opened ??= (async () => {
      const { openProcessRunner } = await import("../adapters/process/runner.ts");
      return openProcessRunner({ timers });
    })();
    return await opened;
  };
}
