// The resources that a resource owns. There is no index of owners in the API, so the kinds that the
// user may list are searched, in the namespace of the owner.

import { kinds } from "../api/kinds.ts";
import type { KindInfo } from "../api/kinds.ts";
import { kube } from "../api/kube.ts";
import { mayOn } from "../api/rights.ts";
import type { Resource } from "../api/types.ts";
import { insight } from "../api/insight.ts";

interface Owner {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const mostOfKind = 500;
const atOnce = 4;

/** A resource with what it owns, on all levels. */
export interface OwnedNode {
  readonly resource: Resource;
  readonly owned: readonly OwnedNode[];
}

export async function childrenOf(owner: Owner, signal?: AbortSignal): Promise<readonly Resource[]> {
  return (await ownedOf(owner, signal)).map(({ resource }) => resource);
}

export async function ownedOf(owner: Owner, signal?: AbortSignal): Promise<readonly OwnedNode[]> {
  return ownedTree(owner.uid, await resourcesWithOwners(owner.namespace, signal));
}

/** Each resource once, so that resources that own each other end. */
export function ownedTree(uid: string, all: readonly Resource[]): readonly OwnedNode[] {
  const byOwner = new Map<string, Resource[]>();
  for (const resource of all) {
    for (const owner of resource.metadata.ownerReferences ?? []) {
      byOwner.set(owner.uid, [...(byOwner.get(owner.uid) ?? []), resource]);
    }
  }
  const seen = new Set([uid]);
  const below = (owner: string): readonly OwnedNode[] =>
    (byOwner.get(owner) ?? []).flatMap((resource) => {
      const { uid: own = "" } = resource.metadata;
      if (seen.has(own)) return [];
      seen.add(own);
      return [{ resource, owned: below(own) }];
    });
  return below(uid);
}

async function resourcesWithOwners(
  namespace: string,
  signal?: AbortSignal,
): Promise<readonly Resource[]> {
  const scope = namespace === "" ? {} : { namespace };
  const { kinds: counts } = await insight.counts({ ...scope, builtIn: true }, signal);
  const searched = counts.flatMap(({ kind, total }) => {
    const served = kinds.peek()?.find(({ id }) => id === kind);
    const isUseful = served !== undefined && total > 0 && kind !== "events";
    return isUseful && mayOn(served, { namespace, verb: "list" }) !== false ? [served] : [];
  });
  const found: Resource[] = [];
  for (let at = 0; at < searched.length; at += atOnce) {
    const lists = await Promise.all(
      searched.slice(at, at + atOnce).map(async (kind) => {
        const { items } = await kube.list(kind, namespace, { limit: mostOfKind }, signal);
        return items
          .filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0)
          .map(withKindOf(kind));
      }),
    );
    found.push(...lists.flat());
  }
  return found;
}

/** Items of a list have no kind of their own. */
function withKindOf(kind: KindInfo): (item: Resource) => Resource {
  const apiVersion = versionOf(kind);
  return ({ metadata, status }) =>
    status === undefined
      ? { apiVersion, kind: kind.kind, metadata }
      : { apiVersion, kind: kind.kind, metadata, status };
}

function versionOf({ group, version }: KindInfo): string {
  return group === "" ? version : `${group}/${version}`;
}
