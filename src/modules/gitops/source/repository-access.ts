// How a namespace reaches a repository: its credential, as it is now, and what its policy allows.
// The resources are read as references, so a change of any of them wakes the reader.

import type { GitRepository } from "../../../adapters/git/port.ts";
import type { ReadPorts } from "../../../contract/ports.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { credentialsKind } from "../names.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import { credentialOf } from "./credential-secret.ts";
import { cacheKey, comparableUrl, digest } from "./repository-name.ts";
import type { SourceProblem, SourceProblemReason } from "./source-trees.ts";

export interface AccessPorts {
  readonly ports: Pick<ReadPorts, "store" | "live">;
  readonly policies: PolicyReader;
}

export interface Access {
  readonly kind: "access";
  readonly repository: GitRepository;
  /** Changes with the Secret and with the credential. It is no digest of their values. */
  readonly credentialDigest: string;
}

/** `credential` is empty for none. */
export async function accessTo(
  { ports, policies }: AccessPorts,
  namespace: string,
  repoURL: string,
  credential: string,
  context: Context,
): Promise<Access | SourceProblem> {
  const policy = policies.policyOf(namespace);
  const refusal = policy.repositoryRefusal(repoURL);
  if (refusal !== undefined) return finalProblem("PolicyDenied", refusal);
  const tenant = namespaceUid(ports, namespace);
  const base = { url: repoURL, tenant, refuseAddress: policy.addressRefusal };
  if (credential === "") {
    const repository = { ...base, cache: cacheKey(tenant, repoURL, ""), credential: undefined };
    return { kind: "access", repository, credentialDigest: "" };
  }
  const resource = await context.references.get({ kind: credentialsKind, name: credential });
  if (resource === undefined) {
    return finalProblem("CredentialNotFound", `the credential ${credential} does not exist`);
  }
  if (comparableUrl(textAt(resource, "spec", "repository")) !== comparableUrl(repoURL)) {
    const why = `the credential ${credential} is for another repository`;
    return finalProblem("CredentialInvalid", why);
  }
  return await accessWith(resource, base, context);
}

/** With a credential, whatever repository it is for. */
export async function accessWith(
  resource: Resource,
  base: Omit<GitRepository, "cache" | "credential">,
  context: Context,
): Promise<Access | SourceProblem> {
  const name = textAt(resource, "spec", "secret");
  const secret = name === "" ? undefined : await context.references.get({ kind: "secrets", name });
  const found = credentialOf(resource, secret);
  if (found.kind === "fault") return finalProblem("CredentialInvalid", found.message);
  const caBundle = textAt(resource, "spec", "caBundle");
  const credentialDigest = digest(...versionOf(resource), ...versionOf(secret));
  const repository: GitRepository = {
    ...base,
    cache: cacheKey(base.tenant, base.url, credentialDigest),
    credential: found.credential,
    ...(caBundle === "" ? {} : { caBundle }),
  };
  return { kind: "access", repository, credentialDigest };
}

/** The name of the credential of a deployment; empty: none. */
export async function credentialName(
  { ports: { store } }: AccessPorts,
  deployment: Resource,
): Promise<string> {
  const given = textAt(deployment, "spec", "source", "credential");
  if (given !== "") return given;
  const { namespace = "" } = deployment.metadata;
  const url = comparableUrl(textAt(deployment, "spec", "source", "repoURL"));
  const names: string[] = [];
  let page = await store.list({ kind: credentialsKind, namespace });
  for (;;) {
    for (const { body, revision } of page.records) {
      const resource = decodeDocument(body, revision);
      const isForUrl = comparableUrl(textAt(resource, "spec", "repository")) === url;
      if (isForUrl) names.push(resource.metadata.name);
    }
    if (page.next === undefined) break;
    page = await store.list({ kind: credentialsKind, namespace, from: page.next });
  }
  // The same one in every process.
  return names.toSorted()[0] ?? "";
}

export function namespaceUid({ live }: Pick<ReadPorts, "live">, name: string): string {
  return live.get({ kind: "namespaces", namespace: "", name })?.resource.metadata.uid ?? "";
}

export function finalProblem(reason: SourceProblemReason, message: string): SourceProblem {
  return { kind: "problem", reason, message, isFinal: true };
}

/** The generation of a resource whose spec counts; the revision of a Secret, which has none. */
function versionOf(resource: Resource | undefined): readonly string[] {
  const { uid = "", generation, resourceVersion = "" } = resource?.metadata ?? {};
  return [uid, generation === undefined ? resourceVersion : String(generation)];
}
