// Where the broker is and how to log in. Files and Secrets are read for every connection, so that
// a rotated password or certificate is used by the next one.

import { readFile } from "node:fs/promises";
import type { BrokerAddress, ReadAddress } from "../../adapters/amqp/port.ts";
import type { ReadPorts } from "../../contract/ports.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { secretData } from "../../kernel/secret-data.ts";
import type { BusConfiguration } from "./configuration.ts";

type Login = NonNullable<BrokerAddress["login"]>;

/** Where credentials come from when neither a file nor a Secret is configured. */
export type ReadLogin = () => Promise<Login | undefined>;

export function addressReader(
  url: string,
  configuration: BusConfiguration,
  { store }: Pick<ReadPorts, "store">,
): ReadAddress {
  const { tlsAuthorities, tlsCertificate, tlsKey, serverName } = configuration;
  const readLogin = loginReader(configuration, store);
  return async () => {
    const [login, authorities, certificate, key] = await Promise.all([
      readLogin(),
      pem("tlsAuthorities", tlsAuthorities),
      pem("tlsCertificate", tlsCertificate),
      pem("tlsKey", tlsKey),
    ]);
    return { url, login, tls: { authorities, certificate, key, serverName } };
  };
}

function loginReader(
  { credentialsFile, credentialsSecret, tlsCertificate }: BusConfiguration,
  store: ReadPorts["store"],
): ReadLogin {
  if (credentialsFile !== undefined) return () => fromFile(credentialsFile);
  if (credentialsSecret !== undefined) return () => fromSecret(credentialsSecret, store);
  if (tlsCertificate !== undefined) return async () => undefined;
  return async () => ({ user: "guest", password: "guest" });
}

async function fromFile(path: string): Promise<Login> {
  const [user = "", password = ""] = (await text("credentialsFile", path)).split(/\r?\n/);
  if (user !== "" && password !== "") return { user, password };
  throw unusable("bus.credentialsFile", "must have the user in line 1 and the password in line 2");
}

async function fromSecret(name: string, store: ReadPorts["store"]): Promise<Login> {
  const [namespace = "", secret = ""] = name.split("/");
  const record = await store.get({ kind: "secrets", namespace, name: secret });
  const data = record && secretData(decodeDocument(record.body, record.revision));
  const [user, password] = [data?.["username"]?.trim(), data?.["password"]?.trim()];
  if (user !== undefined && user !== "" && password !== undefined) return { user, password };
  throw unusable(
    "bus.credentialsSecret",
    `the Secret ${name} needs the keys username and password`,
  );
}

async function pem(field: string, path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : await text(field, path);
}

async function text(field: string, path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    const message = `bus.${field}: the file ${path} cannot be read (${code})`;
    throw new SetpointError("broker.unavailable", message, { cause });
  }
}

function unusable(field: string, why: string): SetpointError {
  return new SetpointError("broker.unavailable", `${field}: ${why}`, { details: { field } });
}
