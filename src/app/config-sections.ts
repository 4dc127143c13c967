/**
 * The configuration of built-in modules. Each module declares a section with its fields; a value
 * comes from an option of `serve`, from an environment variable or from the configuration file, in
 * this order. A section that no value is given for is absent.
 */
import type { ConfigurationField, ConfigurationSection } from "../contract/configuration.ts";
import { SetpointError } from "../kernel/errors.ts";

/** The values of each section, by its key. */
export type Sections = Readonly<Record<string, Values>>;

type Values = Readonly<Record<string, unknown>>;

/** Adds the values of options, checks every value and completes the section with its defaults. */
export function checkedSections(
  declared: readonly ConfigurationSection[],
  file: Sections,
  options: Values,
): Sections {
  const checked = declared.flatMap(({ key, fields }) => {
    const given = { ...file[key], ...fromOptions(fields, options) };
    if (file[key] === undefined && Object.keys(given).length === 0) return [];
    for (const [name, value] of Object.entries(given)) check(`${key}.${name}`, fields[name], value);
    return [[key, { ...defaultsOf(fields), ...given }] as const];
  });
  return Object.fromEntries(checked);
}

function fromOptions(fields: ConfigurationSection["fields"], options: Values): Values {
  const given = Object.entries(fields).flatMap(([name, { option }]) => {
    const value = option === undefined ? undefined : options[attributeOf(option)];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

function defaultsOf(fields: ConfigurationSection["fields"]): Values {
  const given = Object.entries(fields).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(given.map(([name, field]) => [name, field.default]));
}

function check(option: string, field: ConfigurationField | undefined, value: unknown): void {
  const problem = field?.problem?.(value);
  if (problem === undefined) return;
  throw new SetpointError("config.invalid", `${option} ${problem}`, {
    details: { option, value: value as never },
    suggestion: field?.suggestion ?? "see docs/reference/configuration.md",
  });
}

/** The option "--fleet-region <name>" has the attribute fleetRegion. */
function attributeOf(option: string): string {
  const [, long = ""] = /^--([\w-]+)/.exec(option) ?? [];
  return long.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The value of an option or of an environment variable, which is text. */
export function parsedOption(
  { type }: Pick<ConfigurationField, "type">,
  text: string,
  before: unknown,
): unknown {
  switch (type) {
    case "number":
      return Number(text);
    case "flag":
      return text === "" || text === "true";
    case "texts":
      return [
        ...((before ?? []) as readonly string[]),
        ...text.split(/[\s,]+/).filter((part) => part !== ""),
      ];
    case "text":
    case "path":
      return text;
    default:
      return type satisfies never;
  }
}
