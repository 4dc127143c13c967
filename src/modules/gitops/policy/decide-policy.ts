// What policies together allow a namespace: see effective-policy.ts. Pure: the caller reads them.

import { isNamespaceAllowed } from "../../../kernel/allowed-namespaces.ts";
import { isAddressAllowed } from "../../../kernel/allowed-places.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { presentObjectAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { EffectivePolicy, SyncWindow } from "./effective-policy.ts";
import { forNamespace, matchesText, matchesUrl, urlPlace } from "./patterns.ts";

/** In the order of their names, so that a refusal has the same text each time. */
export function decidePolicy(policies: readonly Resource[], namespace: Resource): EffectivePolicy {
  const { name } = namespace.metadata;
  const held = policies
    .filter((policy) => isNamespaceAllowed(objectAt(policy, "spec", "namespaces"), namespace))
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const any = (...path: readonly string[]): boolean =>
    held.some((policy) => isTrueAt(policy, "spec", ...path));
  const all = (...path: readonly string[]): readonly string[] =>
    held.flatMap((policy) => textsAt(policy, "spec", ...path));
  const places = {
    cidrs: all("repositories", "allowPrivate", "cidrs"),
    hosts: all("repositories", "allowPrivate", "hosts").map((host) => host.toLowerCase()),
  };
  const namespaces = forNamespace(all("destinations", "namespaces"), name);
  const local = forNamespace(all("repositories", "allowLocal"), name);
  const mayWriteCluster = any("destinations", "clusterScoped");
  return {
    repositoryRefusal: (url) =>
      localRefusal(local, url) ??
      urlRefusal(held, name, url, "repositories.allow") ??
      deniedUrl(held, name, url),
    serverRefusal: (url) => urlRefusal(held, name, url, "destinations.servers"),
    addressRefusal: (address, host) =>
      isAddressAllowed(places, address, host)
        ? undefined
        : `the host ${host} has a private or special address: an administrator can allow it ` +
          "with spec.repositories.allowPrivate of a GitOpsPolicy",
    objectRefusal: (at, isNamespaced) => {
      if (!isNamespaced && mayWriteCluster) return undefined;
      if (isNamespaced && at.namespace === name) return undefined;
      if (isNamespaced && namespaces.some((each) => matchesText(each, at.namespace))) {
        return undefined;
      }
      const what = isNamespaced
        ? `the namespace ${at.namespace}: an administrator can allow it with ` +
          "spec.destinations.namespaces"
        : "objects without a namespace: an administrator can allow them with " +
          "spec.destinations.clusterScoped";
      const who = `deployments of the namespace ${name} may not write`;
      return `${who} ${what} of a GitOpsPolicy`;
    },
    clusterRefusal: (cluster) =>
      clustersNamed(held, cluster).length > 0
        ? undefined
        : `deployments of the namespace ${name} may not use the data-plane cluster ${cluster}: ` +
          "an administrator can allow it with spec.destinations.clusters of a GitOpsPolicy",
    clusterObjectRefusal: (cluster, at, isNamespaced) => {
      const grants = clustersNamed(held, cluster);
      const isAllowed = isNamespaced
        ? grants.some((grant) => mayWriteIn(grant, name, at.namespace))
        : grants.some((grant) => isTrueAt(grant, "clusterScoped"));
      if (isAllowed) return undefined;
      const what = isNamespaced ? `the namespace ${at.namespace}` : "objects without a namespace";
      return (
        `deployments of the namespace ${name} may not write ${what} of the ` +
        `data-plane cluster ${cluster}: see spec.destinations.clusters of the GitOpsPolicies`
      );
    },
    kindRefusal: (group, kind) => kindRefusal(held, group, kind),
    requiresSignature: any("repositories", "requireSignature"),
    remoteBases: any("render", "remoteBases"),
    helm: held.every((policy) => valueAt(policy, "spec", "render", "helm") !== false),
    windows: held
      .map((policy) => objectsAt(policy, "spec", "windows").map(windowOf))
      .filter((windows) => windows.length > 0),
    maxDeployments: least(held),
  };
}

function clustersNamed(held: readonly Resource[], cluster: string): readonly JsonObject[] {
  return held
    .flatMap((policy) => objectsAt(policy, "spec", "destinations", "clusters"))
    .filter((grant) => matchesText(textAt(grant, "name"), cluster));
}

function mayWriteIn(grant: JsonObject, tenant: string, namespace: string): boolean {
  const stated = grant["namespaces"] === undefined ? ["{namespace}"] : textsAt(grant, "namespaces");
  return forNamespace(stated, tenant).some((pattern) => matchesText(pattern, namespace));
}

/** For a namespace that does not exist, or no longer. */
export function nothingAllowed(namespace: string): EffectivePolicy {
  const refusal = (): string => `the namespace ${namespace} does not exist`;
  return {
    repositoryRefusal: refusal,
    addressRefusal: refusal,
    serverRefusal: refusal,
    clusterRefusal: refusal,
    clusterObjectRefusal: refusal,
    objectRefusal: refusal,
    kindRefusal: refusal,
    requiresSignature: true,
    remoteBases: false,
    helm: false,
    windows: [],
    maxDeployments: 0,
  };
}

/** Repositories of this machine can be of any tenant, so a policy has to grant each. */
function localRefusal(allowed: readonly string[], url: string): string | undefined {
  const scheme = "local://";
  if (!url.startsWith(scheme)) return undefined;
  const path = url.slice(scheme.length);
  if (allowed.some((pattern) => matchesText(pattern, path))) return undefined;
  return (
    `the local repository ${JSON.stringify(path)} is not allowed: an administrator can allow it ` +
    "with spec.repositories.allowLocal of a GitOpsPolicy"
  );
}

/** Every policy that has the list needs a match in it. */
function urlRefusal(
  held: readonly Resource[],
  namespace: string,
  url: string,
  field: "repositories.allow" | "destinations.servers",
): string | undefined {
  const place = urlPlace(url);
  if (place === undefined) return `${JSON.stringify(url)} is not a URL that can be checked`;
  const path = field.split(".");
  for (const policy of held) {
    if (valueAt(policy, "spec", ...path) === undefined) continue;
    const patterns = forNamespace(textsAt(policy, "spec", ...path), namespace);
    if (patterns.some((pattern) => matchesUrl(pattern, place, "exact"))) continue;
    return `the GitOpsPolicy ${policy.metadata.name} does not allow it: see spec.${field}`;
  }
  return undefined;
}

function deniedUrl(held: readonly Resource[], namespace: string, url: string): string | undefined {
  const place = urlPlace(url);
  if (place === undefined) return undefined;
  for (const policy of held) {
    const denied = forNamespace(textsAt(policy, "spec", "repositories", "deny"), namespace);
    if (!denied.some((pattern) => matchesUrl(pattern, place, "any"))) continue;
    return `the GitOpsPolicy ${policy.metadata.name} denies it: see spec.repositories.deny`;
  }
  return undefined;
}

function kindRefusal(held: readonly Resource[], group: string, kind: string): string | undefined {
  const text = group === "" ? kind : `${kind}.${group}`;
  const isIn = (list: readonly JsonObject[]): boolean =>
    list.some((each) => {
      // Without a group, an entry is about the kinds of all groups.
      const wanted = each["group"] === undefined ? "*" : textAt(each, "group");
      return matchesText(wanted, group) && matchesText(textAt(each, "kind"), kind);
    });
  for (const policy of held) {
    const { name } = policy.metadata;
    if (isIn(objectsAt(policy, "spec", "kinds", "deny"))) {
      return `the GitOpsPolicy ${name} denies the kind ${text}: see spec.kinds.deny`;
    }
    const kinds = presentObjectAt(policy, "spec", "kinds");
    if (kinds?.["allow"] === undefined || isIn(objectsAt(kinds, "allow"))) continue;
    return `the GitOpsPolicy ${name} does not allow the kind ${text}: see spec.kinds.allow`;
  }
  return undefined;
}

export function windowOf(window: JsonObject): SyncWindow {
  return {
    kind: textAt(window, "kind") === "deny" ? "deny" : "allow",
    schedule: textAt(window, "schedule"),
    durationSeconds: numberAt(window, "durationSeconds") ?? 0,
    timeZone: textAt(window, "timeZone") || "UTC",
    manualSync: isTrueAt(window, "manualSync"),
  };
}

function least(held: readonly Resource[]): number | undefined {
  const stated = held.flatMap((policy) => numberAt(policy, "spec", "maxDeployments") ?? []);
  return stated.length === 0 ? undefined : Math.min(...stated);
}
