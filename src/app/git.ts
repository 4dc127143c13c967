/** Git for modules. It has a runner of its own: hosts that hang do not fill the shared places. */
import type { OpenGit } from "../adapters/git/port.ts";
import type { Timers } from "../kernel/timers.ts";

export function gitWith(timers: Timers): OpenGit {
  return async (options) => {
    const { openGit } = await import("../adapters/git/open-git.ts");
    const { openProcessRunner } = await import("../adapters/process/runner.ts");
    const runner = openProcessRunner({ timers, maxRunning: options.maxPrograms + 1 });
    return await openGit({ runner, timers }, options);
  };
}
