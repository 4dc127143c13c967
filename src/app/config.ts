/**
 * What a process was asked to be, checked once at the start. Each mistake is told with the name of
 * the option and what to write instead; nothing is opened before everything is right.
 */
import { join, resolve } from "node:path";
import { SetpointError } from "../kernel/errors.ts";

export interface StoreOptions {
  /** Folder of the embedded store and of the keys. */
  readonly data?: string;
  /** sqlite:PATH or postgres://...; the embedded store inside the data folder when left out. */
  readonly store?: string;
  readonly keys?: string;
}

export interface ServeOptions extends StoreOptions {
  readonly listen?: string;
}

export type StoreLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

export interface StoreConfig {
  readonly dataFolder: string;
  readonly store: StoreLocation;
  readonly keyFile: string;
}

export interface ServeConfig extends StoreConfig {
  readonly listen: { readonly host: string; readonly port: number };
}

export const defaultListen = "127.0.0.1:7443";
export const defaultDataFolder = "setpoint-data";

/** An empty text, as from an empty environment variable, counts as left out. */
export function storeConfig(options: StoreOptions): StoreConfig {
  const dataFolder = resolve(given(options.data) ?? defaultDataFolder);
  const named = given(options.store);
  const keyFile = given(options.keys) ?? join(dataFolder, "keys.json");
  return {
    dataFolder,
    keyFile: resolve(keyFile),
    store:
      named === undefined
        ? { kind: "sqlite", path: join(dataFolder, "setpoint.db") }
        : storeLocation(named),
  };
}

export function serveConfig(options: ServeOptions): ServeConfig {
  return { ...storeConfig(options), listen: listenAddress(given(options.listen) ?? defaultListen) };
}

function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
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
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) {
    return { kind: "postgres", url: text };
  }
  // The text is not repeated: it may be a mistyped address with a password in it.
  throw new SetpointError("config.invalid", "--store is neither sqlite:PATH nor postgres://...", {
    details: { option: "store" },
    suggestion: "write for example sqlite:./setpoint.db or postgres://user@host:5432/setpoint",
  });
}

function listenAddress(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535) {
    const message = `--listen ${text} is not HOST:PORT with a port up to 65535`;
    throw new SetpointError("config.invalid", message, {
      details: { option: "listen", value: text },
      suggestion: "write for example 127.0.0.1:7443, or port 0 for any free port",
    });
  }
  return { host, port };
}
