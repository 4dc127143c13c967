/** What the configuration says about the console. */
import { sessionLimits } from "../../intents/sessions/session-limits.ts";
import type { SessionTimes } from "../../intents/sessions/sessions.ts";
import { durationMs, given, listenAddress } from "../option-values.ts";
import type { ListenAddress } from "../option-values.ts";

export interface ConsoleOptions {
  readonly console?: boolean;
  /** HOST:PORT on loopback. */
  readonly consoleListen?: string;
}

export interface ConsoleFileConfig {
  readonly enabled?: boolean;
  readonly listen?: string;
  readonly name?: string;
  readonly idle?: string;
  readonly lifetime?: string;
}

export interface ConsoleConfig {
  readonly isServed: boolean;
  /** The listener without TLS; undefined: none. */
  readonly listen: (ListenAddress & { readonly isDefault?: boolean }) | undefined;
  /** Undefined: the name of the machine. */
  readonly name: string | undefined;
  readonly times: SessionTimes;
}

/** Of `dev`. Another port is used while this one is taken. */
export const defaultConsoleListen = { host: "127.0.0.1", port: 7080, isDefault: true } as const;

export function consoleConfig(
  options: ConsoleOptions,
  file: ConsoleFileConfig = {},
): ConsoleConfig {
  const listen = given(options.consoleListen) ?? file.listen;
  const time = (name: "idle" | "lifetime", defaultMs: number): number =>
    durationMs(`console.${name}`, file[name] ?? `${defaultMs / 60_000}m`) ?? Infinity;
  return {
    isServed: options.console ?? file.enabled ?? true,
    listen: listen === undefined ? undefined : listenAddress("console-listen", listen),
    name: file.name,
    times: {
      idleMs: time("idle", sessionLimits.idleMs),
      lifetimeMs: Math.min(time("lifetime", sessionLimits.lifetimeMs), maxLifetimeMs),
    },
  };
}

/** For "forever": a session without an end would be one that no user remembers. */
const maxLifetimeMs = 365 * 86_400_000;
