/**
 * Readers for the fields of the configuration file. Each checks the type of a value; an error names
 * the field and what it must be.
 */
import { isAbsolute, join } from "node:path";
import { SetpointError } from "../kernel/errors.ts";
import { isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";

export type Reader = (value: Json, field: string) => unknown;

export function readObject(
  value: Json,
  field: string,
  fields: Readonly<Record<string, Reader>>,
): Record<string, unknown> {
  if (!isJsonObject(value)) throw wrong(`${field || "the file"} must be a map`, field);
  const read = Object.entries(value satisfies JsonObject).map(([name, inner]) => {
    const reader = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const at = field === "" ? name : `${field}.${name}`;
    if (reader === undefined) {
      throw wrong(`${at} is not a known key; known keys: ${Object.keys(fields).join(", ")}`, at);
    }
    return [name, reader(inner, at)] as const;
  });
  return Object.fromEntries(read);
}

export const text: Reader = (value, field) => {
  if (typeof value === "string" && value !== "") return value;
  throw wrong(`${field} must be a string`, field);
};

export const number: Reader = (value, field) => {
  if (typeof value === "number") return value;
  throw wrong(`${field} must be a number`, field);
};

export const flag: Reader = (value, field) => {
  if (typeof value === "boolean") return value;
  throw wrong(`${field} must be true or false`, field);
};

export const texts: Reader = (value, field) =>
  listOf(value, field).map((item, index) => text(item, `${field}[${index}]`));

/** Paths in the file are relative to the file. */
export function pathIn(folder: string): Reader {
  return (value, field) => {
    const given = text(value, field) as string;
    return isAbsolute(given) ? given : join(folder, given);
  };
}

export function listOf(value: Json, field: string): readonly Json[] {
  if (isJsonArray(value)) return value;
  throw wrong(`${field} must be a list`, field);
}

export function wrong(message: string, option: string, cause?: unknown): SetpointError {
  return new SetpointError("config.invalid", `configuration file: ${message}`, {
    cause,
    details: { option },
    suggestion: "see docs/reference/configuration.md",
  });
}
