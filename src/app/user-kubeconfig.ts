/**
 * A kubeconfig for one more person: a client certificate of the local authority, whose name and
 * groups roles can be bound to. Works on the data folder alone, beside a running server.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import { systemRandom } from "../kernel/random.ts";
import { parseYaml } from "../kernel/yaml.ts";
import { whyNotReadable } from "../store/file-rights.ts";
import { openAuthority } from "./tls/authority.ts";
import { kubeconfig } from "./tls/kubeconfig.ts";

export interface UserKubeconfigOptions {
  readonly folder: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly days: number;
  /** Where the server is reached; as in the administrator's kubeconfig when left out. */
  readonly server?: string | undefined;
}

const maxDays = 3_650;

export function userKubeconfig(options: UserKubeconfigOptions): string {
  const { folder, user, groups, days } = options;
  const refusal = whyNotReadable(join(folder, "ca.key"));
  if (refusal !== undefined) throw refusal;
  if (!existsSync(join(folder, "ca.key"))) {
    throw new SetpointError("config.invalid", `there is no certificate authority in ${folder}`, {
      details: { option: "data", path: folder },
      suggestion: "start the server once, or name its data folder with --data",
    });
  }
  if (!Number.isInteger(days) || days < 1 || days > maxDays) {
    throw new SetpointError("config.invalid", `--days must be from 1 to ${maxDays}`, {
      details: { option: "days" },
    });
  }
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { certificatePem, keyPem } = authority.issueClientCertificate({ name: user, groups, days });
  return kubeconfig({
    server: options.server ?? knownServer(folder),
    authorityPem: knownAuthority(folder, authority.certificatePem),
    user,
    credentials: { kind: "certificate", certificatePem, keyPem },
  });
}

/** The address that the server wrote down when it last started. */
function knownServer(folder: string): string {
  const server = knownCluster(folder)?.server;
  if (server !== undefined) return server;
  throw new SetpointError("config.invalid", "the address of the server is not known", {
    details: { option: "server" },
    suggestion: "name it with --server https://HOST:PORT",
  });
}

/** A server with a certificate of its operator is not checked by the local authority. */
function knownAuthority(folder: string, local: string): string | undefined {
  const known = knownCluster(folder);
  if (known === undefined) return local;
  const data = known["certificate-authority-data"];
  return data === undefined ? undefined : Buffer.from(data, "base64").toString();
}

/** What the server wrote when it last started. */
function knownCluster(folder: string): Cluster["cluster"] {
  const path = join(folder, "kubeconfig");
  if (!existsSync(path)) return undefined;
  const { value } = parseYaml(readFileSync(path, "utf8"));
  const { clusters } = value as { readonly clusters?: readonly Cluster[] };
  return clusters?.[0]?.cluster;
}

interface Cluster {
  readonly cluster?: {
    readonly server?: string;
    readonly "certificate-authority-data"?: string;
  };
}
