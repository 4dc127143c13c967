// Discovery as one document per group and version, for clients that cannot read the aggregated
// form. Fields stand in the order in which kube-apiserver writes them, and what it leaves out is
// left out here.

import type { JsonObject } from "../../../kernel/json.ts";
import { apiVersionOf } from "../../../kernel/kind.ts";
import type { ServedGroup, ServedResource, ServedVersion } from "./served-groups.ts";

/** GET /api. The address is where clients without a better one may reach the server. */
export function apiVersions(groups: readonly ServedGroup[], serverAddress: string): JsonObject {
  const core = groups.find((group) => group.name === "");
  return {
    kind: "APIVersions",
    versions: (core?.versions ?? []).map((version) => version.name),
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** GET /apis. */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  const named = groups.filter((group) => group.name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupFields) };
}

/** GET /apis/GROUP. */
export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: "APIGroup", apiVersion: "v1", ...groupFields(group) };
}

/** GET /api/VERSION or /apis/GROUP/VERSION. */
export function apiResourceList(version: ServedVersion): JsonObject {
  const groupVersion = apiVersionOf(version, version.name);
  return {
    kind: "APIResourceList",
    // The core group's list is older than the rule that each document names its apiVersion.
    ...(version.group === "" ? {} : { apiVersion: "v1" }),
    groupVersion,
    resources: version.resources.flatMap(resourceFields),
  };
}

function groupFields(group: ServedGroup): JsonObject {
  const versions = group.versions.map(({ name }) => ({
    groupVersion: `${group.name}/${name}`,
    version: name,
  }));
  return { name: group.name, versions, preferredVersion: versions[0] ?? {} };
}

function resourceFields(resource: ServedResource): readonly JsonObject[] {
  const { kind, version, verbs, storageVersionHash, subresources } = resource;
  const { plural, singular, shortNames, categories } = kind.names;
  const namespaced = kind.scope === "Namespaced";
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.names.kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
  const others = subresources.map((sub) => {
    const isOwn = sub.group === kind.group && sub.version === version.name;
    const named = { name: `${plural}/${sub.name}`, singularName: "", namespaced };
    const typed = isOwn ? {} : { group: sub.group, version: sub.version };
    return Object.assign(named, typed, { kind: sub.kind, verbs: sub.verbs });
  });
  return [main, ...others];
}
