// What is served, ordered as clients expect it: groups by priority, versions by version priority,
// resources by name, each with its verbs and subresources. Discovery and OpenAPI are both written
// from this one model, so that they cannot disagree.

import { createHash } from "node:crypto";
import type { ExtraSubresource } from "../../../intents/builtin/builtin-kinds.ts";
import { kindId, storageVersion } from "../../../kernel/kind.ts";
import type { Kind, KindVersion } from "../../../kernel/kind.ts";
import { compareVersions } from "../../../kernel/version-priority.ts";
import { compareGroups } from "./group-priority.ts";

export interface ServedInput {
  /** Kinds with all verbs. */
  readonly kinds: readonly Kind[];
  /** Kinds that can be created only, and are answered instead of stored. */
  readonly reviews?: readonly Kind[];
  /** Subresources besides status and scale. */
  readonly subresources?: readonly ExtraSubresource[];
  /** Ids of kinds whose definition is being deleted: nothing new may be written. */
  readonly terminating?: ReadonlySet<string>;
}

export interface ServedGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly group: string;
  readonly name: string;
  readonly resources: readonly ServedResource[];
}

export interface ServedResource {
  readonly kind: Kind;
  readonly version: KindVersion;
  readonly verbs: readonly string[];
  /** Undefined for what is never stored. */
  readonly storageVersionHash: string | undefined;
  readonly subresources: readonly ServedSubresource[];
}

export interface ServedSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export function servedGroups(input: ServedInput): readonly ServedGroup[] {
  const byGroup = new Map<string, Map<string, ServedResource[]>>();
  const all = [
    ...input.kinds.map((kind) => ({ kind, isReview: false })),
    ...(input.reviews ?? []).map((kind) => ({ kind, isReview: true })),
  ];
  for (const { kind, isReview } of all) {
    const versions = entry(byGroup, kind.group, () => new Map<string, ServedResource[]>());
    for (const version of kind.versions.filter((one) => one.served)) {
      const resources = entry(versions, version.name, (): ServedResource[] => []);
      resources.push(servedResource(input, kind, version, isReview));
    }
  }
  return [...byGroup]
    .filter(([, versions]) => versions.size > 0)
    .toSorted(([a], [b]) => compareGroups(a, b))
    .map(([name, versions]) => ({ name, versions: servedVersions(name, versions) }));
}

function servedVersions(
  group: string,
  versions: ReadonlyMap<string, readonly ServedResource[]>,
): readonly ServedVersion[] {
  return [...versions]
    .toSorted(([a], [b]) => compareVersions(a, b))
    .map(([name, resources]) => ({ group, name, resources: resources.toSorted(byPlural) }));
}

function byPlural(a: ServedResource, b: ServedResource): number {
  const left = a.kind.names.plural;
  const right = b.kind.names.plural;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const builtInVerbs = "create delete deletecollection get list patch update watch".split(" ");
const definedVerbs = "delete deletecollection get list patch create update watch".split(" ");
const terminatingVerbs = "delete deletecollection get list watch".split(" ");
const subresourceVerbs = ["get", "patch", "update"];

function servedResource(
  input: ServedInput,
  kind: Kind,
  version: KindVersion,
  isReview: boolean,
): ServedResource {
  const isTerminating = input.terminating?.has(kindId(kind)) ?? false;
  return {
    kind,
    version,
    verbs: isReview ? ["create"] : verbsOf(kind, isTerminating),
    storageVersionHash: isReview ? undefined : storageVersionHash(kind),
    subresources: subresourcesOf(kind, version, input.subresources ?? []),
  };
}

function verbsOf(kind: Kind, isTerminating: boolean): readonly string[] {
  if (kind.origin === "definition") return isTerminating ? terminatingVerbs : definedVerbs;
  // All namespaces are never deleted at once.
  if (kindId(kind) !== "namespaces") return builtInVerbs;
  return builtInVerbs.filter((verb) => verb !== "deletecollection");
}

function subresourcesOf(
  kind: Kind,
  version: KindVersion,
  extras: readonly ExtraSubresource[],
): readonly ServedSubresource[] {
  const own = { group: kind.group, version: version.name, kind: kind.names.kind };
  const found: ServedSubresource[] = [];
  const { status, scale } = version.subresources;
  if (status) found.push({ name: "status", ...own, verbs: subresourceVerbs });
  if (scale !== undefined) {
    const scaled = { group: "autoscaling", version: "v1", kind: "Scale" };
    found.push({ name: "scale", ...scaled, verbs: subresourceVerbs });
  }
  for (const { parent, ...extra } of extras) if (parent === kindId(kind)) found.push(extra);
  if (kind.origin === "definition") return found;
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Changes when the version that documents are stored in does; clients compare it only. */
function storageVersionHash(kind: Kind): string {
  // Events of both groups are one store, kept in the core group's form.
  const group = kindId(kind) === "events.events.k8s.io" ? "" : kind.group;
  const text = `${group}/${storageVersion(kind).name}/${kind.names.kind}`;
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
