// A Connection as the client uses it: where the service is, how to prove who asks, and how much it
// may be asked. Read from the resource and from the Secrets that it names; a part that cannot be
// used is told by its field, never by its value.

import { certificatesProblem } from "../../../kernel/certificates.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { SecretData } from "../../../kernel/secret-data.ts";
import { keyProblem } from "./tls-material.ts";

export interface ConnectionSettings {
  readonly name: string;
  readonly base: BaseAddress;
  readonly auth: Auth;
  readonly tls: TlsSettings;
  /** Sent with every request. */
  readonly headers: { readonly [name: string]: string };
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly rate: { readonly perSecond: number; readonly burst: number } | undefined;
}

export type BaseAddress =
  | { readonly kind: "url"; readonly url: URL }
  /** A socket of this machine; the prefix goes before every path. */
  | { readonly kind: "socket"; readonly socketPath: string; readonly prefix: string };

export type Auth =
  | { readonly kind: "none" }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "bearer"; readonly token: string }
  | {
      readonly kind: "apiKey";
      readonly in: "header" | "query";
      readonly name: string;
      readonly value: string;
    }
  | {
      readonly kind: "oauth";
      readonly tokenUrl: URL;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string;
      readonly audience: string;
    };

export interface TlsSettings {
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly serverName?: string;
}

/** Undefined for a Secret that does not exist. */
export type SecretsByName = ReadonlyMap<string, SecretData | undefined>;

export class ConnectionProblem extends Error {
  /** What is missing may come by itself; what is wrong has to be changed. */
  readonly missingSecret: string | undefined;

  constructor(message: string, missingSecret?: string) {
    super(message);
    this.name = "ConnectionProblem";
    this.missingSecret = missingSecret;
  }
}

const defaultTimeoutSeconds = 30;
const defaultMaxAnswerBytes = 8 * 1_024 * 1_024;

/** The names of the Secrets that it takes values from. */
export function secretNamesOf(spec: JsonObject): readonly string[] {
  const names = [
    textAt(spec, "auth", "secret"),
    textAt(spec, "tls", "secret"),
    textAt(spec, "tls", "caSecret"),
  ];
  return [...new Set(names.filter((name) => name !== ""))];
}

export function connectionSettings(
  name: string,
  spec: JsonObject,
  secrets: SecretsByName,
): ConnectionSettings {
  const rate = presentObjectAt(spec, "rate");
  const perSecond = numberAt(rate, "perSecond");
  return {
    name,
    base: baseAddress(textAt(spec, "baseUrl")),
    auth: authOf(objectAt(spec, "auth"), secrets),
    tls: tlsOf(objectAt(spec, "tls"), secrets),
    headers: textsOf(objectAt(spec, "headers")),
    timeoutMs: (numberAt(spec, "timeoutSeconds") ?? defaultTimeoutSeconds) * 1_000,
    maxAnswerBytes: numberAt(spec, "maxAnswerBytes") ?? defaultMaxAnswerBytes,
    rate:
      perSecond === undefined
        ? undefined
        : { perSecond, burst: numberAt(rate, "burst") ?? Math.max(1, Math.ceil(perSecond)) },
  };
}

/** "https://host/prefix", or "unix:/path/of/socket" with ":/prefix" behind it. */
export function baseAddress(text: string): BaseAddress {
  if (text.startsWith("unix:")) {
    const [socketPath = "", prefix = ""] = text.slice("unix:".length).split(":", 2);
    if (!socketPath.startsWith("/")) throw new ConnectionProblem("baseUrl does not name a socket");
    return { kind: "socket", socketPath, prefix: withoutSlash(prefix) };
  }
  if (!URL.canParse(text)) throw new ConnectionProblem("baseUrl is not a valid URL");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConnectionProblem("baseUrl must start with https://, http:// or unix:/");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConnectionProblem("baseUrl must not contain a password: name a Secret in auth");
  }
  if (url.search !== "" || url.hash !== "") {
    throw new ConnectionProblem("baseUrl must not have a query or a fragment");
  }
  return { kind: "url", url };
}

function authOf(auth: JsonObject, secrets: SecretsByName): Auth {
  const secretName = textAt(auth, "secret");
  const kind = textAt(auth, "kind");
  const named = textAt(auth, "key");
  const keys = keysOfAuth(kind, named);
  const get = (key: string): string => valueIn(secrets, secretName, key, keys);
  switch (kind) {
    case "basic":
      return { kind: "basic", username: get("username"), password: get("password") };
    case "bearer":
      return { kind: "bearer", token: get(named || "token").trim() };
    case "apiKey":
      return {
        kind: "apiKey",
        in: textAt(auth, "in") === "query" ? "query" : "header",
        name: textAt(auth, "name") || "X-API-Key",
        value: get(named || "key").trim(),
      };
    case "oauth": {
      const tokenUrl = textAt(auth, "tokenUrl");
      if (!URL.canParse(tokenUrl)) throw new ConnectionProblem("auth.tokenUrl is not a valid URL");
      return {
        kind: "oauth",
        tokenUrl: new URL(tokenUrl),
        clientId: get("client-id").trim(),
        clientSecret: get("client-secret").trim(),
        scope: textAt(auth, "scope"),
        audience: textAt(auth, "audience"),
      };
    }
    default:
      return { kind: "none" };
  }
}

/** The keys of a Secret that are needed to prove who asks. */
export function keysOfAuth(kind: string, named: string): readonly string[] {
  switch (kind) {
    case "basic":
      return ["username", "password"];
    case "oauth":
      return ["client-id", "client-secret"];
    default:
      return [named || (kind === "bearer" ? "token" : "key")];
  }
}

function tlsOf(tls: JsonObject, secrets: SecretsByName): TlsSettings {
  const [inline, caSecret, own] = [
    textAt(tls, "ca"),
    textAt(tls, "caSecret"),
    textAt(tls, "secret"),
  ];
  const ca = inline !== "" || caSecret === "" ? inline : valueIn(secrets, caSecret, "ca.crt");
  const isOwnCa = inline !== "" || caSecret === "";
  const wrongCa = ca === "" ? undefined : certificatesProblem(ca);
  if (wrongCa !== undefined) {
    throw isOwnCa
      ? new ConnectionProblem(`tls.ca ${wrongCa}`)
      : new ConnectionProblem(`ca.crt of the Secret ${caSecret} ${wrongCa}`, caSecret);
  }
  const serverName = textAt(tls, "serverName");
  return {
    ...(ca === "" ? {} : { ca }),
    ...(own === "" ? {} : ownCertificate(own, secrets)),
    ...(serverName === "" ? {} : { serverName }),
  };
}

function ownCertificate(
  name: string,
  secrets: SecretsByName,
): { readonly certificate: string; readonly key: string } {
  const keys = ["tls.crt", "tls.key"];
  const [certificate = "", key = ""] = keys.map((each) => valueIn(secrets, name, each, keys));
  const wrong = certificatesProblem(certificate);
  if (wrong !== undefined) {
    throw new ConnectionProblem(`tls.crt of the Secret ${name} ${wrong}`, name);
  }
  const wrongKey = keyProblem(key, certificate);
  if (wrongKey !== undefined) {
    throw new ConnectionProblem(`tls.key of the Secret ${name} ${wrongKey}`, name);
  }
  return { certificate, key };
}

/** `keys` are all that are taken from it, for who has to make it again. */
function valueIn(
  secrets: SecretsByName,
  name: string,
  key: string,
  keys: readonly string[] = [key],
): string {
  if (name === "") throw new ConnectionProblem("auth.secret must name a Secret");
  const data = secrets.get(name);
  if (data === undefined) {
    const which = `${keys.length === 1 ? "key" : "keys"} ${keys.join(" and ")}`;
    throw new ConnectionProblem(`the Secret ${name} with the ${which} does not exist`, name);
  }
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined && value !== "") return value;
  throw new ConnectionProblem(`the Secret ${name} has no key ${key}`, name);
}

function textsOf(object: JsonObject): { readonly [name: string]: string } {
  const texts = Object.entries(object).filter((entry): entry is [string, string] => {
    return typeof entry[1] === "string";
  });
  return Object.fromEntries(texts);
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** All texts that must never be shown. */
export function secretTextsOf({ auth, tls }: Pick<ConnectionSettings, "auth" | "tls">): string[] {
  const key = tls.key === undefined ? [] : [tls.key];
  switch (auth.kind) {
    case "basic": {
      const pair = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
      return [...key, auth.password, pair];
    }
    case "bearer":
      return [...key, auth.token];
    case "apiKey":
      return [...key, auth.value];
    case "oauth": {
      const pair = [auth.clientId, auth.clientSecret].map(encodeURIComponent).join(":");
      return [...key, auth.clientSecret, Buffer.from(pair).toString("base64")];
    }
    default:
      return key;
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value);
}
