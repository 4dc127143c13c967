// How to reach a server and as whom, from kubeconfig documents: what Setpoint writes itself, and
// the common forms of other programs (tokens, client certificates, authorities inline or as files).
// What needs another program, such as exec plugins, is refused by name. Pure: the caller reads the
// files.

import { SetpointError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import { isTrueAt, objectAt, objectsAt, textAt } from "./json-read.ts";
import { withoutTrailing } from "./trailing.ts";

export interface KubeAccess {
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

export interface KubeconfigDocument {
  /** A path or another name, for messages and for files that the document names. */
  readonly path: string;
  readonly content: JsonObject;
}

export interface KubeconfigOptions {
  /** Instead of the current context. */
  readonly context?: string | undefined;
  /** Reads a file that the document at `from` names. Absent: documents must name no files. */
  readonly readText?: (file: string, from: string) => string;
}

/** Of several documents the first that says something counts. */
export function readKubeconfig(
  files: readonly KubeconfigDocument[],
  { context: wanted, readText }: KubeconfigOptions = {},
): KubeAccess {
  const source = files.map(({ path }) => path).join(", ");
  const read = (file: string, from: string): string => {
    if (readText !== undefined) return readText(file, from);
    throw wrong(source, `names the file ${file}`, "put the content of the file into it");
  };
  const entry = (list: string, kind: string, name: string): Entry => {
    for (const { path, content } of files) {
      const found = objectsAt(content, list).find((item) => textAt(item, "name") === name);
      if (found === undefined) continue;
      return { value: objectAt(found, kind), read: (file) => read(file, path) };
    }
    throw wrong(source, `has no ${kind} ${JSON.stringify(name)}`);
  };
  const current = files.map(({ content }) => textAt(content, "current-context")).find(Boolean);
  const context = wanted ?? current;
  if (context === undefined) throw wrong(source, "has no current context");
  const { value } = entry("contexts", "context", context);
  const cluster = entry("clusters", "cluster", textAt(value, "cluster"));
  const userName = textAt(value, "user");
  const user = userName === "" ? { value: {}, read: () => "" } : entry("users", "user", userName);
  const namespace = textAt(value, "namespace");
  return {
    ...serverOf(cluster, source),
    ...credentialsOf(user, source),
    namespace: namespace === "" ? "default" : namespace,
    source,
  };
}

interface Entry {
  readonly value: JsonObject;
  /** The text of a file that the entry names. */
  readonly read: (file: string) => string;
}

function serverOf(
  { value, read }: Entry,
  source: string,
): Pick<KubeAccess, "server" | "authority" | "isInsecure" | "serverName"> {
  const server = withoutTrailing(textAt(value, "server"), "/");
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw wrong(source, `has no usable server address: ${JSON.stringify(server)}`);
  }
  const serverName = textAt(value, "tls-server-name");
  return {
    server,
    authority: pemOf({ value, read }, "certificate-authority"),
    isInsecure: isTrueAt(value, "insecure-skip-tls-verify"),
    serverName: serverName === "" ? undefined : serverName,
  };
}

function credentialsOf(
  { value, read }: Entry,
  source: string,
): Pick<KubeAccess, "token" | "certificate"> {
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
  const token = file === "" ? textAt(value, "token") : read(file).trim();
  const certificate = pemOf({ value, read }, "client-certificate");
  const key = pemOf({ value, read }, "client-key");
  return {
    token: token === "" ? undefined : token,
    certificate: certificate === undefined || key === undefined ? undefined : { certificate, key },
  };
}

/** A PEM that is given as it is, in base64, or as the name of a file. */
function pemOf({ value, read }: Entry, name: string): string | undefined {
  const data = textAt(value, `${name}-data`);
  if (data !== "") return Buffer.from(data, "base64").toString("utf8");
  const file = textAt(value, name);
  return file === "" ? undefined : read(file);
}

function wrong(source: string, why: string, suggestion?: string): SetpointError {
  return new SetpointError("config.invalid", `the kubeconfig ${source} ${why}`, { suggestion });
}
