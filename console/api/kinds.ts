// The kinds that the server serves, from its discovery documents. Kinds that are added later are
// found when a definition changes.

import { computed, signal } from "@preact/signals";
import { request } from "./client.ts";
import type { KindId } from "../paths.ts";

export interface KindInfo {
  /** Plural and group, such as databases.shop.example. */
  readonly id: KindId;
  readonly group: string;
  readonly version: string;
  /** "Database" */
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  /** Whether the status is written apart from the rest. */
  readonly hasStatus: boolean;
}

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly DiscoveredResource[];
    }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Undefined until the first answer. */
export const kinds = signal<readonly KindInfo[] | undefined>(undefined);

const byId = computed(() => new Map((kinds.value ?? []).map((kind) => [kind.id, kind])));
const byName = computed(
  () => new Map((kinds.value ?? []).map((kind) => [`${kind.group}/${kind.kind}`, kind])),
);

export function kindNamed(id: KindId): KindInfo | undefined {
  return byId.value.get(id);
}

/** The kind of a document or a reference: "apps/v1" and "Deployment". */
export function kindOf(apiVersion: string | undefined, kind: string): KindInfo | undefined {
  const group = apiVersion?.includes("/") === true ? (apiVersion.split("/")[0] ?? "") : "";
  if (apiVersion !== undefined) return byName.value.get(`${group}/${kind}`);
  return kinds.value?.find((each) => each.kind === kind);
}

/** The kind that a person wrote: its plural, its name, a short name, or its id. */
export function findKind(word: string): KindInfo | undefined {
  const wanted = word.toLowerCase();
  return kinds.value?.find(
    ({ id, plural, singular, kind, shortNames }) =>
      [id, plural, singular, kind.toLowerCase()].includes(wanted) || shortNames.includes(wanted),
  );
}

export async function loadKinds(): Promise<void> {
  const [core, groups] = await Promise.all(
    ["/api", "/apis"].map(async (path) => await request<Discovery>(path, { accept })),
  );
  kinds.value = kindsFrom([...(core?.items ?? []), ...(groups?.items ?? [])]);
}

/** The preferred version of each group comes first. Kinds that cannot be listed are left out. */
export function kindsFrom(groups: Discovery["items"]): readonly KindInfo[] {
  const found = new Map<KindId, KindInfo>();
  for (const { metadata, versions } of groups) {
    const group = metadata.name ?? "";
    for (const { version, resources } of versions) {
      for (const resource of resources) {
        const kind = kindFrom(group, version, resource);
        if (kind.verbs.has("list") && !found.has(kind.id)) found.set(kind.id, kind);
      }
    }
  }
  // Events are in two groups; one of them is enough.
  if (found.has("events")) found.delete("events.events.k8s.io");
  return [...found.values()].sort((one, other) => one.id.localeCompare(other.id));
}

function kindFrom(group: string, version: string, resource: DiscoveredResource): KindInfo {
  const { resource: plural, responseKind, scope, singularResource, shortNames, verbs } = resource;
  return {
    id: group === "" ? plural : `${plural}.${group}`,
    group,
    version,
    kind: responseKind.kind,
    plural,
    singular: singularResource ?? responseKind.kind.toLowerCase(),
    shortNames: shortNames ?? [],
    isNamespaced: scope === "Namespaced",
    verbs: new Set(verbs),
    hasStatus: resource.subresources?.some(({ subresource }) => subresource === "status") === true,
  };
}

export function apiVersionOf({ group, version }: KindInfo): string {
  return group === "" ? version : `${group}/${version}`;
}
