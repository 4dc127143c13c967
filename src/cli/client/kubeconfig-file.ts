/**
 * Finds out which server to talk to and as whom, from the same files as kubectl: what Setpoint
 * writes itself, and the common forms of others (tokens, client certificates, authorities inline or
 * as files). What would need another program, such as exec plugins, is refused by name.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { privateFolder } from "../../app/private-folder.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { parseYaml } from "../../kernel/yaml.ts";

export interface ClientConfig {
  /** As in "https://127.0.0.1:7443", without a slash at its end. */
  readonly server: string;
  /** PEM of the authority that signed the server's certificate; undefined: a public one. */
  readonly authority: string | undefined;
  readonly isInsecure: boolean;
  readonly serverName: string | undefined;
  readonly token: string | undefined;
  readonly certificate: { readonly certificate: string; readonly key: string } | undefined;
  /** Of the context; "default" when it has none. */
  readonly namespace: string;
  /** Where all this was read, for messages. */
  readonly source: string;
}

export interface KubeconfigChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The data folder of a server on this machine, whose kubeconfig is used when none is named. */
  readonly data: string;
}

/** What a program has around it; tests give their own. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export const systemEnvironment: Environment = {
  get variables() {
    return process.env;
  },
  get home() {
    return homedir();
  },
};

export function clientConfig(
  choice: KubeconfigChoice,
  environment: Environment = systemEnvironment,
): ClientConfig {
  const paths = pathsFor(choice, environment);
  const files = paths.filter((path) => existsSync(path)).map(readFile);
  if (files.length === 0) {
    throw new SetpointError("config.invalid", `there is no kubeconfig at ${paths.join(", ")}`, {
      details: { option: "kubeconfig" },
      suggestion: "name one with --kubeconfig or KUBECONFIG, or the server's folder with --data",
    });
  }
  return merged(files, choice.context);
}

/** The first that is said at all, as kubectl has it, but our own folder before the home. */
function pathsFor(
  { kubeconfig, data }: KubeconfigChoice,
  { variables, home }: Environment,
): readonly string[] {
  if (kubeconfig !== undefined && kubeconfig !== "") return [resolve(kubeconfig)];
  const listed = (variables["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) return listed.map((path) => resolve(path));
  const own = join(privateFolder(resolve(data)), "kubeconfig");
  return existsSync(own) ? [own] : [own, join(home, ".kube", "config")];
}

interface File {
  readonly path: string;
  readonly content: JsonObject;
}

function readFile(path: string): File {
  try {
    const { value } = parseYaml(readFileSync(path, "utf8"));
    if (isJsonObject(value)) return { path, content: value };
  } catch (cause) {
    throw new SetpointError("config.invalid", `${path} cannot be read as a kubeconfig`, { cause });
  }
  throw new SetpointError("config.invalid", `${path} is not a kubeconfig`);
}

interface Entry {
  readonly value: JsonObject;
  /** Paths in it are relative to the folder of its file. */
  readonly folder: string;
}

/** Of several files the first that says something counts. */
function merged(files: readonly File[], wanted: string | undefined): ClientConfig {
  const source = files.map(({ path }) => path).join(", ");
  const entry = (list: string, kind: string, name: string): Entry => {
    for (const { path, content } of files) {
      const found = objectsAt(content, list).find((item) => textAt(item, "name") === name);
      if (found !== undefined) return { value: objectAt(found, kind), folder: dirname(path) };
    }
    throw wrong(source, `has no ${kind} ${JSON.stringify(name)}`);
  };
  const current = files.map(({ content }) => textAt(content, "current-context")).find(Boolean);
  const context = wanted ?? current;
  if (context === undefined) throw wrong(source, "has no current context");
  const { value } = entry("contexts", "context", context);
  const cluster = entry("clusters", "cluster", textAt(value, "cluster"));
  const userName = textAt(value, "user");
  const user = userName === "" ? { value: {}, folder: "" } : entry("users", "user", userName);
  const namespace = textAt(value, "namespace");
  return {
    ...serverOf(cluster, source),
    ...credentialsOf(user, source),
    namespace: namespace === "" ? "default" : namespace,
    source,
  };
}

function serverOf(
  { value, folder }: Entry,
  source: string,
): Pick<ClientConfig, "server" | "authority" | "isInsecure" | "serverName"> {
  const server = textAt(value, "server").replace(/\/+$/, "");
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw wrong(source, `has no usable server address: ${JSON.stringify(server)}`);
  }
  const serverName = textAt(value, "tls-server-name");
  return {
    server,
    authority: pemOf(value, folder, "certificate-authority"),
    isInsecure: isTrueAt(value, "insecure-skip-tls-verify"),
    serverName: serverName === "" ? undefined : serverName,
  };
}

function credentialsOf(
  { value, folder }: Entry,
  source: string,
): Pick<ClientConfig, "token" | "certificate"> {
  for (const unusable of ["exec", "auth-provider"]) {
    if (value[unusable] === undefined) continue;
    const message = `authenticates with ${unusable}, which needs another program`;
    throw wrong(
      source,
      message,
      "use a token or a client certificate, such as `setpoint kubeconfig` creates",
    );
  }
  const file = textAt(value, "tokenFile");
  const token = file === "" ? textAt(value, "token") : readText(resolve(folder, file)).trim();
  const certificate = pemOf(value, folder, "client-certificate");
  const key = pemOf(value, folder, "client-key");
  return {
    token: token === "" ? undefined : token,
    certificate: certificate === undefined || key === undefined ? undefined : { certificate, key },
  };
}

/** A PEM that is given as it is, in base64, or as the name of a file. */
function pemOf(value: JsonObject, folder: string, name: string): string | undefined {
  const data = textAt(value, `${name}-data`);
  if (data !== "") return Buffer.from(data, "base64").toString("utf8");
  const file = textAt(value, name);
  return file === "" ? undefined : readText(resolve(folder, file));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new SetpointError("config.invalid", `${path} cannot be read`, { cause });
  }
}

function wrong(source: string, why: string, suggestion?: string): SetpointError {
  return new SetpointError("config.invalid", `the kubeconfig ${source} ${why}`, { suggestion });
}
