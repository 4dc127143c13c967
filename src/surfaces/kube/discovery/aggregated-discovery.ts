// Discovery of everything in one document (apidiscovery.k8s.io), which spares clients one request
// per group and version. The two versions of the form differ in nothing but their name.

import type { JsonObject } from "../../../kernel/json.ts";
import type { ServedGroup, ServedResource } from "./served-groups.ts";

export type AggregatedVersion = "v2" | "v2beta1";

/** The media type of the form; answers name it exactly, or clients fall back to plain discovery. */
export function aggregatedType(version: AggregatedVersion): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

export function aggregatedDiscovery(
  groups: readonly ServedGroup[],
  version: AggregatedVersion,
): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(groupItem),
  };
}

function groupItem(group: ServedGroup): JsonObject {
  return {
    metadata: group.name === "" ? {} : { name: group.name },
    versions: group.versions.map((version) => ({
      version: version.name,
      resources: version.resources.map(resourceItem),
      freshness: "Current",
    })),
  };
}

function resourceItem(resource: ServedResource): JsonObject {
  const { kind, version, verbs, subresources } = resource;
  const { plural, singular, shortNames, categories } = kind.names;
  const own = { group: kind.group, version: version.name, kind: kind.names.kind };
  // Built-in kinds leave the group and version to the place where they stand.
  const shown = (full: typeof own): JsonObject => {
    const isOwn = full.group === own.group && full.version === own.version;
    if (kind.origin === "definition" || !isOwn) return full;
    return { group: "", version: "", kind: full.kind };
  };
  const inner = subresources.map((sub) => ({
    subresource: sub.name,
    responseKind: shown({ group: sub.group, version: sub.version, kind: sub.kind }),
    verbs: sub.verbs,
  }));
  return {
    resource: plural,
    responseKind: shown(own),
    scope: kind.scope,
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(inner.length === 0 ? {} : { subresources: inner }),
  };
}
