// The names under which repositories are known: the GitSource, the cache, and the host. Pure.

import { createHash } from "node:crypto";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

/** The fields of a GitSource by which deployments share it. */
export interface SourceFields {
  readonly repoURL: string;
  readonly targetRevision: string;
  readonly credential: string;
}

export function sourceFields(deployment: Resource, credential: string): SourceFields {
  const repoURL = textAt(deployment, "spec", "source", "repoURL");
  const given = textAt(deployment, "spec", "source", "targetRevision");
  return { repoURL, targetRevision: given === "HEAD" ? "" : given, credential };
}

export function sourceName({ repoURL, targetRevision, credential }: SourceFields): string {
  return `git-${digest(comparableUrl(repoURL), targetRevision, credential).slice(0, 40)}`;
}

/** The cache belongs to the tenant, the URL, and this state of the credential. */
export function cacheKey(namespaceUid: string, repoURL: string, credentialDigest: string): string {
  return digest(namespaceUid, comparableUrl(repoURL), credentialDigest);
}

/** Two URLs of one repository are equal in this form: only the host is compared in lower case. */
export function comparableUrl(url: string): string {
  // A local repository is a folder, whose name is what it is.
  if (isLocal(url)) return url;
  const text = withoutTrailing(url, "/").replace(/\.git$/, "");
  const [, before, host, after] =
    /^([a-z]+:\/\/(?:[^/@]*@)?|[^/:@]+@)([^/:]+)(.*)$/is.exec(text) ?? [];
  if (before === undefined || host === undefined || after === undefined) return text;
  return `${before}${host.toLowerCase()}${after}`;
}

export function isLocal(url: string): boolean {
  return url.startsWith("local://");
}

/** Empty for a URL without a host. A name that no host has stands for all local repositories. */
export function hostOf(url: string): string {
  if (isLocal(url)) return "local:";
  const [, host = ""] = /^(?:[a-z]+:\/\/(?:[^/@]*@)?|[^/:@]+@)(\[[^\]]*\]|[^/:]+)/i.exec(url) ?? [];
  return host.toLowerCase();
}

/**
 * The same for all forms in which a host names a repository: host and path, without a scheme, a
 * user and a port, which differ between https and SSH.
 */
export function repositoryPlace(url: string): string {
  const [, path = ""] =
    /^(?:[a-z]+:\/\/[^/]*\/+|[^/:@]+@[^/:]+:\/*)(.*)$/i.exec(comparableUrl(url)) ?? [];
  return `${hostOf(url)}/${path}`;
}

export function digest(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}
