// What the commands have in common: paths of the REST API, parameters and durations as typed.

import { readFileSync } from "node:fs";
import type { CommandCall, ServerClient } from "../../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { parseExact } from "../../../kernel/int64.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";

export interface Session {
  readonly server: ServerClient;
  readonly namespace: string;
  /** The path of a route with the namespace of the command. */
  readonly path: (route: string, query?: Readonly<Record<string, string>>) => string;
}

export function sessionOf(call: CommandCall): Session {
  const server = call.server();
  const namespace = call.namespace ?? server.namespace;
  const path: Session["path"] = (route, query = {}) => {
    const search = new URLSearchParams({ namespace, ...query });
    return `/api/v1/${route}?${search.toString()}`;
  };
  return { server, namespace, path };
}

/** A name as one part of a path: it cannot lead to another route. */
export function inPath(name: string): string {
  if (name === "" || name === "." || name === "..") {
    throw new SetpointError("config.invalid", `${JSON.stringify(name)} is not a name`, {
      suggestion: "state the name of an existing resource, such as one that a list shows",
    });
  }
  return encodeURIComponent(name);
}

/** The document of a route, now and after each change of the resource behind it. */
export async function* statesOf(
  { server, path, namespace }: Session,
  { kind, route, id }: { readonly kind: string; readonly route: string; readonly id: string },
): AsyncGenerator<Json, void, undefined> {
  const query = new URLSearchParams({ namespace, kind, name: id });
  let isFirst = true;
  for await (const change of server.lines(`/api/v1/changes?${query.toString()}`)) {
    const isNews = isFirst || textAt(change, "type") !== "bookmark";
    isFirst = false;
    if (isNews) yield await server.get(path(`${route}/${inPath(id)}`));
  }
}

/** NAME=VALUE texts; `read` turns a value into JSON. */
export function namedValues(
  option: string,
  given: unknown,
  read: (value: string, name: string) => Json,
): JsonObject {
  const texts = Array.isArray(given) ? given.map(String) : [];
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf("=");
      const name = text.slice(0, at);
      if (at > 0) return [name, read(text.slice(at + 1), name)];
      throw new SetpointError("config.invalid", `${option} ${text} is not NAME=VALUE`, {
        suggestion: `write a name, an equals sign and a value, such as ${option} size=3`,
      });
    }),
  );
}

/** Numbers, booleans, lists and objects are JSON; everything else is a text. */
export function jsonOrText(text: string): Json {
  try {
    return parseExact(text) as Json;
  } catch {
    return text;
  }
}

/** "@FILE" is the content of a file and "-" standard input, without the last line break. */
export function secretValue(text: string): Json {
  if (text !== "-" && !text.startsWith("@")) return text;
  const file = text.slice(1);
  try {
    return readFileSync(text === "-" ? 0 : file, "utf8").replace(/\n$/, "");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    const name = text === "-" ? "standard input" : `the file ${file}`;
    throw new SetpointError("config.invalid", `--set-secret: ${name} cannot be read (${code})`, {
      suggestion: "write NAME=@FILE with the path of a file that you can read",
    });
  }
}

/**
 * Both kinds of parameters, as the options --set and --set-secret have them. The value of a
 * parameter that the Templates declare as a text is a text, such as the version 1.10.
 */
export async function parametersOf(
  { options }: CommandCall,
  session: Session,
  templates: readonly string[],
): Promise<JsonObject> {
  const hasValues = Array.isArray(options["set"]) && options["set"].length > 0;
  const texts = hasValues ? await textParameters(session, templates) : new Set<string>();
  const parameters = namedValues("--set", options["set"], (value, name) => {
    const read = jsonOrText(value);
    return texts.has(name) && typeof read !== "string" ? value : read;
  });
  const secrets = namedValues("--set-secret", options["setSecret"], secretValue);
  return {
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(Object.keys(secrets).length === 0 ? {} : { secretParameters: secrets }),
  };
}

/** Parameters of the type string. The server reports a Template that does not exist. */
async function textParameters(
  { server, path }: Session,
  templates: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const template of templates) {
    try {
      const found = await server.get(path(`templates/${inPath(template)}`));
      const declared = objectAt(found, "spec", "parameters");
      for (const name of Object.keys(declared)) {
        if (textAt(declared, name, "type") === "string") names.add(name);
      }
    } catch (error) {
      if (!isSetpointError(error)) throw error;
    }
  }
  return names;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** "90m", "8h" or "2d". */
export function secondsOf(option: string, text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new SetpointError("config.invalid", `${option} ${text} is not a duration`, {
    suggestion: "write a number and a unit, such as 90m, 8h or 2d",
  });
}
