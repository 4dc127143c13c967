// The keys of a module in the configuration file, and the options of `setpoint serve` that set the
// same keys. An unknown key is refused, and the message names the known ones.

export interface ConfigurationSection {
  /** The key at the top of the file, such as "fleet". */
  readonly key: string;
  readonly fields: Readonly<Record<string, ConfigurationField>>;
}

export interface ConfigurationField {
  readonly type: "text" | "texts" | "number" | "flag" | "path";
  readonly summary: string;
  /** The option of `serve`, as in "--fleet-region <name>"; none when absent. */
  readonly option?: string;
  /** The environment variable; none when absent. */
  readonly variable?: string;
  readonly default?: unknown;
  /** Describes what is wrong with a value; undefined when valid. */
  readonly problem?: (value: unknown) => string | undefined;
  /** What to do about a problem; a reference to the documentation when left out. */
  readonly suggestion?: string;
}
