/**
 * The configuration file: YAML, the same names as the options of the command line and a few more.
 * A name that is not known is refused, so that a typing mistake does not go unnoticed.
 */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { ConfigurationSection } from "../contract/configuration.ts";
import type { Json } from "../kernel/json.ts";
import { parseYaml, yamlPlace } from "../kernel/yaml.ts";
import type { Sections } from "./config-sections.ts";
import type { ConsoleFileConfig } from "./console/console-config.ts";
import { sectionsOf } from "./declared-parts.ts";
import { flag, listOf, number, pathIn, readObject, text, texts, wrong } from "./file-fields.ts";
import type { Reader } from "./file-fields.ts";
import { builtInModules } from "./modules.ts";
import { readOidc } from "./oidc-file.ts";
import type { OidcFileConfig } from "./oidc-file.ts";
import { primaryClusters } from "./replication/primary-cluster.ts";
import type { PrimaryCluster } from "./replication/primary-cluster.ts";
import type { TracingFileConfig } from "./tracing-config.ts";

export interface ConfigFile {
  readonly listen?: string;
  readonly data?: string;
  readonly store?: string;
  readonly keys?: string;
  readonly hosts?: readonly string[];
  readonly tls?: { readonly cert?: string; readonly key?: string; readonly ca?: string };
  readonly history?: string;
  readonly secretRetention?: string;
  readonly anonymous?: boolean;
  readonly tokenFile?: string;
  readonly oidc?: readonly OidcFileConfig[];
  readonly logLevel?: string;
  readonly requestLog?: string;
  readonly audit?: { readonly policy: string; readonly log: string };
  readonly modules?: readonly string[];
  readonly roles?: readonly string[];
  readonly engine?: EngineFileConfig;
  readonly console?: ConsoleFileConfig;
  readonly tracing?: TracingFileConfig;
  /** By name, for servers of a secondary cluster. */
  readonly primaryClusters?: Readonly<Record<string, PrimaryCluster>>;
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

export function readConfigFile(path: string, declared = sectionsOf(builtInModules)): ConfigFile {
  let contents: string;
  try {
    contents = readFileSync(path, "utf8");
  } catch (cause) {
    throw wrong(`${path} cannot be read`, "config", cause);
  }
  let value: Json;
  try {
    ({ value } = parseYaml(contents));
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

function fieldsOf(path: Reader): Readonly<Record<string, Reader>> {
  return {
    listen: text,
    data: path,
    store: text,
    keys: path,
    hosts: texts,
    tls: (value, field) => readObject(value, field, { cert: path, key: path, ca: path }),
    history: text,
    secretRetention: text,
    anonymous: flag,
    tokenFile: path,
    oidc: (value, field) =>
      listOf(value, field).map((item, index) => readOidc(item, `${field}[${index}]`, path)),
    logLevel: text,
    requestLog: path,
    audit: (value, field) => readObject(value, field, { policy: path, log: path }),
    modules: (value, field) =>
      listOf(value, field).map((item, index) => path(item, `${field}[${index}]`)),
    roles: texts,
    primaryClusters: primaryClusters(path),
    console: (value, field) =>
      readObject(value, field, {
        enabled: flag,
        listen: text,
        name: text,
        idle: text,
        lifetime: text,
      }),
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
