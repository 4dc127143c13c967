// The options of `setpoint agent`, checked, and the files that they name. Files with credentials
// are read again for each request, so that a rotated token is used at once.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { SetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { readKubeconfig } from "../../../kernel/kubeconfig.ts";
import type { KubeAccess } from "../../../kernel/kubeconfig.ts";
import { dnsLabelProblems } from "../../../kernel/names.ts";
import { parseYaml } from "../../../kernel/yaml.ts";
import type { DaemonLog } from "../../../contract/command.ts";
import { clusterNamespace } from "../names.ts";

export interface AgentConfig {
  readonly controlPlane: URL;
  readonly cluster: string;
  /** How to authenticate at the control plane; called for each request. */
  readonly access: () => Promise<Pick<KubeAccess, "token" | "authority" | "certificate">>;
  readonly isInsecure: boolean;
  readonly target: AgentTarget;
  /** For the objects of all instances; undefined: each has its own. */
  readonly namespace: string | undefined;
  /** What the agent reports about operators and capacity; read again for each report. */
  readonly status: () => Promise<JsonObject>;
  readonly log: DaemonLog;
}

export type AgentTarget =
  | { readonly kind: "kubernetes"; readonly access: () => KubeAccess }
  | { readonly kind: "simulator"; readonly settings: JsonObject };

type Options = Readonly<Record<string, unknown>>;

export function agentConfig(options: Options): AgentConfig {
  const kubeconfig = textOf(options, "kubeconfig");
  const tokenFile = textOf(options, "tokenFile");
  if ((kubeconfig === undefined) === (tokenFile === undefined)) {
    throw wrong("name the credential with one of --token-file and --kubeconfig");
  }
  const ca = textOf(options, "ca");
  const cluster = textOf(options, "cluster") ?? "";
  if (dnsLabelProblems(clusterNamespace(cluster)).length > 0) {
    throw wrong(`--cluster: ${JSON.stringify(cluster)} is not the name of a cluster`);
  }
  return {
    controlPlane: controlPlaneUrl(textOf(options, "controlPlane") ?? ""),
    cluster,
    access: accessOf({ kubeconfig, tokenFile, ca }),
    isInsecure: kubeconfig !== undefined && kubeAccess(kubeconfig).isInsecure,
    target: targetOf(options),
    namespace: textOf(options, "namespace"),
    status: statusSource(textOf(options, "statusFile")),
    log: {
      level: choiceOf(options, "logLevel", ["info", "debug", "warn", "error"]),
      form: choiceOf(options, "logFormat", ["json", "text"]),
    },
  };
}

function controlPlaneUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "") return url;
  throw wrong(`--control-plane: ${JSON.stringify(text)} is not an http or https URL`);
}

interface CredentialFiles {
  readonly kubeconfig: string | undefined;
  readonly tokenFile: string | undefined;
  readonly ca: string | undefined;
}

function accessOf({ kubeconfig, tokenFile, ca }: CredentialFiles): AgentConfig["access"] {
  const authority = ca === undefined ? undefined : readText(ca);
  if (kubeconfig !== undefined) {
    kubeAccess(kubeconfig);
    return async () => {
      const access = kubeAccess(kubeconfig);
      return authority === undefined ? access : { ...access, authority };
    };
  }
  const file = tokenFile ?? "";
  if (readText(file).trim() === "") throw wrong(`--token-file: ${file} is empty`);
  return async () => {
    const token = (await readFile(file, "utf8")).trim();
    return { token, authority, certificate: undefined };
  };
}

function targetOf(options: Options): AgentTarget {
  const applyTo = textOf(options, "applyTo");
  const isSimulated = options["simulate"] === true;
  if ((applyTo === undefined) === !isSimulated) {
    throw wrong("name the data plane with one of --apply-to and --simulate");
  }
  if (applyTo === undefined) {
    const file = textOf(options, "simulateSettings");
    return { kind: "simulator", settings: file === undefined ? {} : objectIn(file) };
  }
  const access = applyTo === "in-cluster" ? inCluster : () => kubeAccess(applyTo);
  access();
  return { kind: "kubernetes", access };
}

const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The account of the pod that the agent runs in. */
function inCluster(): KubeAccess {
  return {
    server: "https://kubernetes.default.svc",
    authority: readText(`${accountFolder}/ca.crt`),
    isInsecure: false,
    serverName: undefined,
    token: readText(`${accountFolder}/token`).trim(),
    certificate: undefined,
    namespace: "default",
    source: accountFolder,
  };
}

function kubeAccess(file: string): KubeAccess {
  const path = resolve(file);
  return readKubeconfig([{ path, content: objectIn(path) }], {
    readText: (named, from) => readText(resolve(dirname(from), named)),
  });
}

function statusSource(file: string | undefined): AgentConfig["status"] {
  if (file === undefined) return async () => ({});
  objectIn(file);
  return async () => objectIn(file);
}

function objectIn(file: string): JsonObject {
  const text = readText(file);
  let value: unknown;
  try {
    ({ value } = parseYaml(text));
  } catch (cause) {
    throw new SetpointError("config.invalid", `${file} cannot be parsed`, { cause });
  }
  if (isJsonObject(value)) return value;
  throw wrong(`${file} does not contain an object`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new SetpointError("config.invalid", `${file} cannot be read`, { cause });
  }
}

function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function choiceOf<T extends string>(options: Options, name: string, all: readonly [T, ...T[]]): T {
  const value = textOf(options, name) ?? all[0];
  const found = all.find((one) => one === value);
  if (found !== undefined) return found;
  const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw wrong(`--${flag}: ${JSON.stringify(value)} is none of ${all.join(", ")}`);
}

function wrong(message: string): SetpointError {
  return new SetpointError("config.invalid", message, {
    suggestion: "see setpoint agent --help",
  });
}
