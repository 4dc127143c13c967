// What proves who is who: the server's certificate, the administrator's token, the key that signs
// tokens of service accounts. Made on the first start and found again at the next.

import { join } from "node:path";
import { createTokenSigner, tokenIssuer } from "../intents/auth/service-account-token.ts";
import type {
  StoredObject,
  TokenLookup,
  TokenSigner,
} from "../intents/auth/service-account-token.ts";
import { sharedSigningKey } from "../intents/auth/shared-signing-key.ts";
import type { Intents } from "../intents/request.ts";
import type { Clock } from "../kernel/clock.ts";
import { decodeDocument } from "../kernel/document.ts";
import { openAdminToken } from "./tls/admin-token.ts";
import { openAuthority } from "./tls/authority.ts";
import type { Authority } from "./tls/authority.ts";
import { writeDurably } from "./durable-file.ts";
import { kubeconfig } from "./tls/kubeconfig.ts";
import { readCertificate } from "./tls/served-certificate.ts";
import type { CertificateFiles } from "./tls/served-certificate.ts";

export interface Credentials {
  readonly tls: { readonly key: string; readonly cert: string; readonly ca: string };
  readonly adminToken: string;
  /** The certificate that clients check the server by; undefined for a public authority. */
  readonly authorityFile: string | undefined;
  readonly signer: TokenSigner;
  readonly lookup: TokenLookup;
  /** Whom tokens for this API are meant for. */
  readonly apiAudiences: readonly string[];
  /** Writes the file that kubectl needs, and returns where it is. */
  writeKubeconfig(url: string): string;
}

export interface CredentialsInput {
  readonly folder: string;
  /** Names and addresses at which clients may reach the server. */
  readonly hosts: readonly string[];
  readonly intents: Intents;
  /** The certificate of the operator, in place of one of the local authority. */
  readonly own?: CertificateFiles | undefined;
}

export async function openCredentials(input: CredentialsInput): Promise<Credentials> {
  const { folder, hosts, intents, own } = input;
  const { clock, random, ids } = intents;
  const authority = openAuthority({ folder, clock, random });
  const { cert, key, serverAuthority } = servedBy(authority, hosts, own, clock);
  const adminToken = openAdminToken(folder, random);
  const signer = createTokenSigner({
    issuer: tokenIssuer,
    keys: [await sharedSigningKey(intents)],
    ids,
  });
  const ca = authority.certificatePem;
  return {
    tls: { key, cert, ca },
    adminToken,
    authorityFile: own === undefined ? join(folder, "ca.crt") : own.caFile,
    signer,
    lookup: tokenLookup(intents),
    apiAudiences: [tokenIssuer],
    writeKubeconfig: (server) => {
      const path = kubeconfigPath(folder);
      const credentials = { kind: "token", token: adminToken } as const;
      const text = kubeconfig({
        server,
        authorityPem: serverAuthority,
        user: "admin",
        credentials,
      });
      writeDurably(path, text, { existing: "replace", mode: 0o600 });
      return path;
    },
  };
}

interface Served {
  readonly cert: string;
  readonly key: string;
  /** Undefined: a public one. */
  readonly serverAuthority: string | undefined;
}

function servedBy(
  local: Authority,
  hosts: readonly string[],
  own: CertificateFiles | undefined,
  clock: Clock,
): Served {
  if (own === undefined) {
    const { certificatePem: cert, keyPem: key } = local.serverCertificate(hosts);
    return { cert, key, serverAuthority: local.certificatePem };
  }
  const { cert, key, authority: serverAuthority } = readCertificate(own, clock);
  return { cert, key, serverAuthority };
}

export function kubeconfigPath(folder: string): string {
  return join(folder, "kubeconfig");
}

/** Where tokens are checked against what they are bound to. */
function tokenLookup({ store }: Intents): TokenLookup {
  const find = async (
    kind: string,
    namespace: string,
    name: string,
  ): Promise<StoredObject | undefined> => {
    const record = await store.get({ kind, namespace, name });
    if (record === undefined) return undefined;
    const { deletionTimestamp } = decodeDocument(record.body, record.revision).metadata;
    const deletedAtMs = deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp);
    return { uid: record.uid, deletedAtMs };
  };
  return {
    serviceAccount: (namespace, name) => find("serviceaccounts", namespace, name),
    secret: (namespace, name) => find("secrets", namespace, name),
  };
}
