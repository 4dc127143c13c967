/**
 * Finds out which server to talk to and as whom, from the same files as kubectl. What the files say
 * is read by kernel/kubeconfig.ts.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { privateFolder } from "../../app/private-folder.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { readKubeconfig } from "../../kernel/kubeconfig.ts";
import type { KubeAccess, KubeconfigDocument } from "../../kernel/kubeconfig.ts";
import { parseYaml } from "../../kernel/yaml.ts";

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
): KubeAccess {
  const paths = pathsFor(choice, environment);
  const files = paths.filter((path) => existsSync(path)).map(readFile);
  if (files.length === 0) {
    throw new SetpointError("config.invalid", `there is no kubeconfig at ${paths.join(", ")}`, {
      details: { option: "kubeconfig" },
      suggestion: "name one with --kubeconfig or KUBECONFIG, or the server's folder with --data",
    });
  }
  return readKubeconfig(files, {
    context: choice.context,
    readText: (file, from) => readText(resolve(dirname(from), file)),
  });
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

function readFile(path: string): KubeconfigDocument {
  try {
    const { value } = parseYaml(readFileSync(path, "utf8"));
    if (isJsonObject(value)) return { path, content: value };
  } catch (cause) {
    throw new SetpointError("config.invalid", `${path} cannot be read as a kubeconfig`, { cause });
  }
  throw new SetpointError("config.invalid", `${path} is not a kubeconfig`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new SetpointError("config.invalid", `${path} cannot be read`, { cause });
  }
}
