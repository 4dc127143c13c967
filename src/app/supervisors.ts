/** Supervisors of programs, opened when a module first needs them. */
import type { Supervisors } from "../adapters/supervisor/port.ts";
import { limits } from "../kernel/limits.ts";
import type { Timers } from "../kernel/timers.ts";

/** Programs end in order when the server stops, unless their module has detached them. */
export function supervisorsWith(
  timers: Timers,
  undo: AsyncDisposableStack,
): () => Promise<Supervisors> {
  let opened: Promise<Supervisors> | undefined;
  undo.defer(async () => await (await opened)?.[Symbol.asyncDispose]());
  return async () => {
    opened ??= (async () => {
      const { openSupervisors } = await import("../adapters/supervisor/open-supervisors.ts");
      return await openSupervisors({ timers, beatMs: limits.supervisorBeatMs });
    })();
    return await opened;
  };
}
