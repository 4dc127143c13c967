/**
 * What a process was asked to be, checked once at the start. Options come from the command line,
 * from the environment, or from a file; the first of them that names one counts. Each mistake is
 * told with the name of the option and what to write instead; nothing is opened before everything
 * is right.
 */
import { join, resolve } from "node:path";
import { SetpointError } from "../kernel/errors.ts";
import { levels } from "../telemetry/log.ts";
import type { Level } from "../telemetry/log.ts";
import type { ConfigFile } from "./config-file.ts";
import { consoleConfig } from "./console/console-config.ts";
import type { ConsoleConfig, ConsoleOptions } from "./console/console-config.ts";
import { checkedSections } from "./config-sections.ts";
import type { Sections } from "./config-sections.ts";
import { sectionsOf } from "./declared-parts.ts";
import { engineConfig } from "./engine-config.ts";
import type { EngineConfig, EngineOptions } from "./engine-config.ts";
import { builtInModules } from "./modules.ts";
import type { OidcFileConfig } from "./oidc-file.ts";
import { durationMs, given, listenAddress } from "./option-values.ts";
import { privateFolder } from "./private-folder.ts";
import type { CertificateFiles } from "./tls/served-certificate.ts";
import { tracingConfig } from "./tracing-config.ts";
import type { TracingConfig, TracingOptions } from "./tracing-config.ts";

export interface StoreOptions {
  /** Folder of the embedded store and of the keys. */
  readonly data?: string;
  /** sqlite:PATH or postgres://...; the embedded store inside the data folder when left out. */
  readonly store?: string;
  readonly keys?: string;
}

export interface ServeOptions extends StoreOptions, EngineOptions, TracingOptions, ConsoleOptions {
  readonly listen?: string;
  /** More names and addresses under which clients reach the server. */
  readonly hosts?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  /** How long superseded states are kept, as in "7d"; "forever" keeps all. */
  readonly history?: string;
  /** How long the secrets of deleted resources are kept in the history, as in "1h". */
  readonly secretRetention?: string;
  /** Text: it may come from the environment. */
  readonly logLevel?: string;
  readonly auditPolicy?: string;
  readonly auditLog?: string;
  readonly requestLog?: string;
}

export type StoreLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

export interface StoreConfig {
  readonly dataFolder: string;
  /** Absent unless the data is in a private subfolder of the given folder. */
  readonly givenFolder?: string;
  readonly store: StoreLocation;
  readonly keyFile: string;
}

export interface ServeConfig extends StoreConfig {
  readonly listen: { readonly host: string; readonly port: number };
  readonly hosts: readonly string[];
  /** Undefined: the server has a certificate of its local authority. */
  readonly certificate: CertificateFiles | undefined;
  /** Undefined: everything is kept. */
  readonly historyMs: number | undefined;
  /** Undefined: as long as the history. */
  readonly secretRetentionMs: number | undefined;
  /** Whether requests without credentials are let in as system:anonymous, to what roles allow. */
  readonly isAnonymousAllowed: boolean;
  readonly tokenFile: string | undefined;
  readonly oidc: readonly OidcFileConfig[];
  readonly audit: { readonly policyFile: string; readonly logFile: string } | undefined;
  readonly requestLogFile: string | undefined;
  /** Undefined: the default of the command. */
  readonly logLevel: Level | undefined;
  readonly engine: EngineConfig;
  readonly console: ConsoleConfig;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingConfig | undefined;
  /** The configuration of built-in modules, by the keys of their sections. */
  readonly sections: Sections;
}

export const defaultListen = "127.0.0.1:7443";
export const defaultDataFolder = "setpoint-data";
export const defaultHistory = "7d";
export const defaultSecretRetention = "1h";

/** An empty text, as from an empty environment variable, counts as left out. */
export function storeConfig(options: StoreOptions, file: ConfigFile = {}): StoreConfig {
  const givenFolder = resolve(given(options.data) ?? file.data ?? defaultDataFolder);
  const dataFolder = privateFolder(givenFolder);
  const named = given(options.store) ?? file.store;
  const keyFile = given(options.keys) ?? file.keys ?? join(dataFolder, "keys.json");
  return {
    dataFolder,
    ...(dataFolder === givenFolder ? {} : { givenFolder }),
    keyFile: resolve(keyFile),
    store:
      named === undefined
        ? { kind: "sqlite", path: join(dataFolder, "setpoint.db") }
        : storeLocation(named),
  };
}

export function serveConfig(
  options: ServeOptions,
  file: ConfigFile = {},
  sections = sectionsOf(builtInModules),
): ServeConfig {
  const stored = storeConfig(options, file);
  const { hosts = file.hosts ?? [] } = options;
  return {
    ...stored,
    listen: listenAddress("listen", given(options.listen) ?? file.listen ?? defaultListen),
    hosts,
    certificate: certificateFiles(options, file),
    historyMs: durationMs("history", given(options.history) ?? file.history ?? defaultHistory),
    secretRetentionMs: durationMs(
      "secret-retention",
      given(options.secretRetention) ?? file.secretRetention ?? defaultSecretRetention,
    ),
    isAnonymousAllowed: file.anonymous ?? true,
    tokenFile: filePath(file.tokenFile),
    oidc: file.oidc ?? [],
    audit: auditConfig(
      given(options.auditPolicy) ?? file.audit?.policy,
      given(options.auditLog) ?? file.audit?.log,
    ),
    requestLogFile: filePath(given(options.requestLog) ?? file.requestLog),
    logLevel: levelOf(given(options.logLevel) ?? file.logLevel),
    engine: engineConfig(options, file),
    console: consoleConfig(options, file.console),
    tracing: tracingConfig(options, file.tracing),
    sections: checkedSections(sections, file.sections ?? {}, { ...options }),
  };
}

function filePath(text: string | undefined): string | undefined {
  return text === undefined ? undefined : resolve(text);
}

function certificateFiles(options: ServeOptions, file: ConfigFile): CertificateFiles | undefined {
  const certFile = given(options.tlsCert) ?? file.tls?.cert;
  const keyFile = given(options.tlsKey) ?? file.tls?.key;
  const caFile = given(options.tlsCa) ?? file.tls?.ca;
  if (certFile !== undefined && keyFile !== undefined) {
    const ca = caFile === undefined ? {} : { caFile: resolve(caFile) };
    return { certFile: resolve(certFile), keyFile: resolve(keyFile), ...ca };
  }
  if (certFile === undefined && keyFile === undefined && caFile === undefined) return undefined;
  const missing = certFile === undefined ? "tls-cert" : "tls-key";
  throw new SetpointError("config.invalid", `--${missing} is missing`, {
    details: { option: missing },
    suggestion: "give both --tls-cert and --tls-key, or neither and no --tls-ca",
  });
}

/** The sections of modules, for commands that start no server. */
export function sectionsIn(_options: unknown, file: ConfigFile = {}): Sections {
  return checkedSections(sectionsOf(builtInModules), file.sections ?? {}, {});
}

function levelOf(text: string | undefined): Level | undefined {
  const level = levels.find((each) => each === text);
  if (level !== undefined || text === undefined) return level;
  throw new SetpointError("config.invalid", `--log-level ${text} is not a level`, {
    details: { option: "log-level", value: text },
    suggestion: `write one of ${levels.join(", ")}`,
  });
}

/** For logs and messages: where the store is, without its password. */
export function storeLabel(store: StoreLocation): string {
  if (store.kind === "sqlite") return `sqlite:${store.path}`;
  const url = new URL(store.url);
  if (url.password !== "") url.password = "***";
  url.searchParams.delete("password");
  return url.href;
}

function storeLocation(text: string): StoreLocation {
  if (text.startsWith("sqlite:") && text.length > "sqlite:".length) {
    return { kind: "sqlite", path: resolve(text.slice("sqlite:".length)) };
  }
  if (/^postgres(ql)?:\/\//.test(text)) {
    checkEncoded(text);
    if (URL.canParse(text)) return { kind: "postgres", url: text };
  }
  // The text is not repeated: it may be a mistyped address with a password in it.
  throw new SetpointError("config.invalid", "--store is neither sqlite:PATH nor postgres://...", {
    details: { option: "store" },
    suggestion:
      "write for example sqlite:./setpoint.db or postgres://user@host:5432/setpoint; in a " +
      "password, %40 for @, %23 for #, %2F for /, %3F for ? and %25 for %",
  });
}

/**
 * A password with one of these characters would end early, and its rest would be taken for the name
 * of the host, or of the database, and be told in messages.
 */
function checkEncoded(url: string): void {
  const [, authority = "", path = ""] = /^\w+:\/\/([^/?#]*)([^?#]*)/.exec(url) ?? [];
  const isTorn = path.includes("@") || (url.includes("@") && !authority.includes("@"));
  if (!isTorn && !url.includes("#") && authority.split("@").length <= 2) return;
  const message = "--store has a character in the user or password that must be percent-encoded";
  throw new SetpointError("config.invalid", message, {
    details: { option: "store" },
    suggestion:
      "write %40 for @, %23 for #, %2F for /, %3F for ? and %25 for %, as in " +
      "postgres://user:p%40ss@host:5432/setpoint",
  });
}

function auditConfig(policy: string | undefined, log: string | undefined): ServeConfig["audit"] {
  if (policy === undefined && log === undefined) return undefined;
  if (policy === undefined || log === undefined) {
    const missing = policy === undefined ? "audit-policy" : "audit-log";
    throw new SetpointError("config.invalid", `--${missing} is missing`, {
      details: { option: missing },
      suggestion: "an audit log needs both --audit-policy FILE and --audit-log FILE",
    });
  }
  return { policyFile: resolve(policy), logFile: resolve(log) };
}
