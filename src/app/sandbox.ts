/** The sandbox for modules. */
import type { ProcessRunner } from "../adapters/process/port.ts";
import type { Sandbox } from "../adapters/sandbox/port.ts";

export function sandboxWith(openPrograms: () => Promise<ProcessRunner>): () => Promise<Sandbox> {
  return async () => {
    const { openSandbox } = await import("../adapters/sandbox/open-sandbox.ts");
    return openSandbox(await openPrograms());
  };
}
