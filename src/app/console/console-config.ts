/** What the configuration says about the console. */

export interface ConsoleOptions {
  readonly console?: boolean;
}

export interface ConsoleFileConfig {
  readonly enabled?: boolean;
}

export interface ConsoleConfig {
  readonly isServed: boolean;
}

export function consoleConfig(
  options: ConsoleOptions,
  file: ConsoleFileConfig = {},
): ConsoleConfig {
  return { isServed: options.console ?? file.enabled ?? true };
}
