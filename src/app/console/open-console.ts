/** The console of a running server: its surface, and the files that it serves. */
import type { ModuleLog } from "../../contract/ports.ts";
import { consoleSurface } from "../../surfaces/console/console-surface.ts";
import type { HttpSurface } from "../../surfaces/http/surface.ts";
import type { ControlPlane } from "../control-plane.ts";
import type { ConsoleConfig } from "./console-config.ts";
import { openConsoleSite } from "./console-site.ts";

export interface OpenConsole extends AsyncDisposable {
  /** Empty where the console is switched off. */
  readonly surfaces: readonly HttpSurface[];
  /** Reads or builds the files before a browser asks for them. */
  readonly prepare: () => void;
}

export interface ConsoleInput {
  readonly config: { readonly console: ConsoleConfig };
  readonly plane: Pick<ControlPlane, "intents">;
  readonly log: ModuleLog;
  /** The folder of the installation; that of this process when left out. */
  readonly root?: string | undefined;
}

export function openConsole({ config, plane, log, root }: ConsoleInput): OpenConsole {
  if (!config.console.isServed) {
    return { surfaces: [], prepare: () => undefined, [Symbol.asyncDispose]: async () => undefined };
  }
  const site = openConsoleSite(log, root);
  const { ids } = plane.intents;
  return {
    surfaces: [consoleSurface({ site, ids })],
    prepare: () => {
      site.state().catch((error: unknown) => log.error({ error }, "console not read"));
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
