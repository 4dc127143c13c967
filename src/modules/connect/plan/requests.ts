// Addresses and bodies of requests, made of a binding and of documents. A value in a path is
// encoded, so that none can reach another object than the one it names; "." and ".." are refused,
// because clients and proxies take them for steps.

import { SetpointError } from "../../../kernel/errors.ts";
import { isNumber } from "../../../kernel/int64.ts";
import { isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";

export interface RestRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL; encoded, without the query. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string };
  readonly mediaType?: string;
  readonly body?: Json;
  readonly ifMatch?: string;
}

export type Parameters = { readonly [name: string]: string };

/** The names in a template, in their order. */
export function templateNames(template: string): readonly string[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
}

export function expandPath(template: string, parameters: Parameters): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_whole, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined || value === "") throw missing(template, name);
    if (value === "." || value === "..") throw dots(name, value);
    return encodeURIComponent(value.toWellFormed());
  });
}

export function expandQuery(
  query: { readonly [name: string]: string } | undefined,
  parameters: Parameters,
): { readonly [name: string]: string } | undefined {
  if (query === undefined) return undefined;
  const expanded = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    value.replaceAll(/\{([^{}]*)\}/g, (whole, key: string) =>
      Object.hasOwn(parameters, key) ? (parameters[key] ?? whole) : whole,
    ),
  ]);
  return Object.fromEntries(expanded);
}

/** The text of a value in a path; undefined for what cannot stand in one. */
export function pathText(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return isNumber(value) || typeof value === "boolean" ? String(value) : undefined;
}

/** The parameters that a path has in the places of the template; undefined when it does not fit. */
export function parametersIn(template: string, path: string): Parameters | undefined {
  const [patterns, parts] = [template.split("/"), path.split("/")];
  if (patterns.length !== parts.length) return undefined;
  const found: { [name: string]: string } = {};
  for (const [index, pattern] of patterns.entries()) {
    const values = segmentValues(pattern, parts[index] ?? "");
    if (values === undefined) return undefined;
    for (const [name, value] of values) found[name] = value;
  }
  return found;
}

/**
 * Whether a path is one that the template gives, with these values where they are fixed. What was
 * stored as the path of an object can be written by others than the loop, so it is judged before
 * anything is asked, or deleted, there.
 */
export function isPathOf(template: string, path: string, fixed: Parameters): boolean {
  const found = parametersIn(template, path);
  if (found === undefined) return false;
  const isFixed = ([name, value]: readonly [string, string]): boolean =>
    !Object.hasOwn(found, name) || found[name] === value;
  if (!Object.entries(fixed).every(isFixed)) return false;
  try {
    return expandPath(template, found) === path;
  } catch {
    return false;
  }
}

/** The values in one segment, such as "{id}" or "{id}.json". */
function segmentValues(
  pattern: string,
  part: string,
): readonly (readonly [string, string])[] | undefined {
  const [first = "", ...rest] = pattern.split(/\{([^{}]*)\}/);
  if (rest.length === 0) return first === part ? [] : undefined;
  if (!part.startsWith(first)) return undefined;
  const values: (readonly [string, string])[] = [];
  let at = first.length;
  for (let index = 0; index < rest.length; index += 2) {
    const [name = "", literal = ""] = [rest[index], rest[index + 1]];
    const isLast = index + 2 >= rest.length;
    const end = isLast ? part.length - literal.length : part.indexOf(literal, at);
    if (end < at || !part.startsWith(literal, end)) return undefined;
    const value = decoded(part.slice(at, end));
    if (value === undefined) return undefined;
    values.push([name, value]);
    at = end + literal.length;
  }
  return values;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A merge patch without its nulls, for services that do not take one for a removal. */
export function withoutRemovals(patch: Json): Json {
  if (!isJsonObject(patch)) return isJsonArray(patch) ? patch : patch;
  const kept: MutableJsonObject = {};
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null) setOwn(kept, key, withoutRemovals(value));
  }
  return kept;
}

export function asObject(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function missing(template: string, name: string): SetpointError {
  const message = `the path ${template} needs a value for {${name}}`;
  return new SetpointError("resource.invalid", message, {
    suggestion: `set connect.parameters.${name}, or define the parameter in the RestKind`,
  });
}

function dots(name: string, value: string): SetpointError {
  return new SetpointError("resource.invalid", `{${name}} cannot be ${JSON.stringify(value)}`);
}
