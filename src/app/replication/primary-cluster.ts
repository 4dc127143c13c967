/** The clusters that a server can be a secondary of, by the names that operators give them. */
import { SetpointError } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { ConfigFile } from "../config-file.ts";
import { readObject, text, wrong } from "../file-fields.ts";
import type { Reader } from "../file-fields.ts";

export interface PrimaryCluster {
  /** Of a user of one of its servers. */
  readonly kubeconfig: string;
  /** Its address for clients; that of the kubeconfig when left out. */
  readonly address?: string;
}

/** The key `primaryClusters` of the configuration file: a map by name. */
export function primaryClusters(path: Reader): Reader {
  return (value, field) => {
    if (!isJsonObject(value)) throw wrong(`${field} must be a map`, field);
    const entries = Object.entries(value).map(([name, inner]) => {
      const at = `${field}.${name}`;
      const cluster = readObject(inner, at, { kubeconfig: path, address: text });
      if (cluster["kubeconfig"] === undefined) throw wrong(`${at}.kubeconfig is missing`, at);
      return [name, cluster] as const;
    });
    return Object.fromEntries(entries);
  };
}

export function primaryCluster(
  { primaryClusters: known = {} }: Pick<ConfigFile, "primaryClusters">,
  name: string,
): PrimaryCluster {
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(known);
  throw new SetpointError("config.invalid", `no primary cluster has the name ${name}`, {
    details: { option: "primary-cluster-name", known: names },
    suggestion:
      names.length === 0
        ? "add it to primaryClusters in the configuration file, with its kubeconfig"
        : `use one of primaryClusters in the configuration file: ${names.join(", ")}`,
  });
}
