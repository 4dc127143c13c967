/**
 * The configuration file: YAML, the same names as the options of the command line and a few more.
 * A name that is not known is refused, so that a typing mistake does not go unnoticed.
 */
import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { ConfigurationSection } from "../contract/configuration.ts";
import { SetpointError } from "../kernel/errors.ts";
import { isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { parseYaml, yamlPlace } from "../kernel/yaml.ts";
import type { Sections } from "./config-sections.ts";
import { sectionsOf } from "./declared-parts.ts";
import { builtInModules } from "./modules.ts";
import type { TracingFileConfig } from "./tracing-config.ts";

export interface OidcFileConfig {
  readonly issuer: string;
  readonly clientIds: readonly string[];
  readonly usernameClaim?: string;
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  /** The authority of the provider's certificate, where it is not a public one. */
  readonly caFile?: string;
}

export interface ConfigFile {
  readonly listen?: string;
  readonly data?: string;
  readonly store?: string;
  readonly keys?: string;
  readonly hosts?: readonly string[];
  readonly history?: string;
  readonly secretRetention?: string;
  readonly anonymous?: boolean;
  readonly tokenFile?: string;
  readonly oidc?: readonly OidcFileConfig[];
  readonly logLevel?: string;
  readonly audit?: { readonly policy: string; readonly log: string };
  readonly modules?: readonly string[];
  readonly roles?: readonly string[];
  readonly engine?: EngineFileConfig;
  readonly tracing?: TracingFileConfig;
  /** The sections of built-in modules. */
  readonly sections?: Sections;
}

export interface EngineFileConfig {
  readonly slots?: number;
  readonly perNamespace?: number;
  readonly lease?: string;
  readonly grace?: string;
  readonly isolate?: boolean;
  readonly moduleBlocked?: string;
}

type Reader = (value: Json, field: string) => unknown;

export function readConfigFile(path: string, declared = sectionsOf(builtInModules)): ConfigFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw wrong(`${path} cannot be read`, "config", cause);
  }
  let value: Json;
  try {
    ({ value } = parseYaml(text));
  } catch (cause) {
    throw wrong(`${path} is not YAML${yamlPlace(cause)}`, "config", cause);
  }
  if (value === null) return {};
  const place = pathIn(dirname(path));
  const fields = { ...fieldsOf(place), ...sectionReaders(declared, place) };
  const read = readObject(value, "", fields);
  return withSections(read, declared);
}

/** The sections of modules are beside the other keys in the file, and apart from them here. */
function withSections(
  read: Readonly<Record<string, unknown>>,
  declared: readonly ConfigurationSection[],
): ConfigFile {
  const keys = new Set(declared.map(({ key }) => key));
  const entries = Object.entries(read);
  const given = entries.filter(([key]) => keys.has(key));
  const others = Object.fromEntries(entries.filter(([key]) => !keys.has(key)));
  return given.length === 0
    ? others
    : { ...others, sections: Object.fromEntries(given) as Sections };
}

function sectionReaders(
  declared: readonly ConfigurationSection[],
  path: Reader,
): Readonly<Record<string, Reader>> {
  const readers = { text, texts, number, flag, path };
  const sections = declared.map(({ key, fields }) => {
    const inner = Object.entries(fields).map(([name, { type }]) => [name, readers[type]] as const);
    const reader: Reader = (value, field) => readObject(value, field, Object.fromEntries(inner));
    return [key, reader] as const;
  });
  return Object.fromEntries(sections);
}

/** Paths in the file are relative to the file. */
function pathIn(folder: string): Reader {
  return (value, field) => {
    const given = text(value, field) as string;
    return isAbsolute(given) ? given : join(folder, given);
  };
}

function fieldsOf(path: Reader): Readonly<Record<string, Reader>> {
  const provider: Readonly<Record<string, Reader>> = {
    issuer: text,
    clientIds: texts,
    usernameClaim: text,
    usernamePrefix: text,
    groupsClaim: text,
    groupsPrefix: text,
    caFile: path,
  };
  return {
    listen: text,
    data: path,
    store: text,
    keys: path,
    hosts: texts,
    history: text,
    secretRetention: text,
    anonymous: flag,
    tokenFile: path,
    oidc: (value, field) =>
      listOf(value, field).map((item, index) => {
        const at = `${field}[${index}]`;
        const read = readObject(item, at, provider) as Partial<OidcFileConfig>;
        if (read.issuer === undefined) throw wrong(`${at}.issuer is missing`, at);
        if (read.clientIds === undefined) throw wrong(`${at}.clientIds is missing`, at);
        return read;
      }),
    logLevel: text,
    audit: (value, field) => readObject(value, field, { policy: path, log: path }),
    modules: (value, field) =>
      listOf(value, field).map((item, index) => path(item, `${field}[${index}]`)),
    roles: texts,
    tracing: (value, field) =>
      readObject(value, field, { endpoint: text, ratio: number, propagate: flag }),
    engine: (value, field) =>
      readObject(value, field, {
        slots: number,
        perNamespace: number,
        lease: text,
        grace: text,
        isolate: flag,
        moduleBlocked: text,
      }),
  };
}

function readObject(
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

const text: Reader = (value, field) => {
  if (typeof value === "string" && value !== "") return value;
  throw wrong(`${field} must be a string`, field);
};

const number: Reader = (value, field) => {
  if (typeof value === "number") return value;
  throw wrong(`${field} must be a number`, field);
};

const flag: Reader = (value, field) => {
  if (typeof value === "boolean") return value;
  throw wrong(`${field} must be true or false`, field);
};

const texts: Reader = (value, field) =>
  listOf(value, field).map((item, index) => text(item, `${field}[${index}]`));

function listOf(value: Json, field: string): readonly Json[] {
  if (isJsonArray(value)) return value;
  throw wrong(`${field} must be a list`, field);
}

function wrong(message: string, option: string, cause?: unknown): SetpointError {
  return new SetpointError("config.invalid", `configuration file: ${message}`, {
    cause,
    details: { option },
    suggestion: "see docs/reference/configuration.md",
  });
}
