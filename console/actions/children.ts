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

export async function childrenOf(owner: Owner, signal?: AbortSignal): Promise<readonly Resource[]> {
  const { namespace, uid } = owner;
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
          .filter(({ metadata }) => metadata.ownerReferences?.some((each) => each.uid === uid))
          .map(({ metadata }) => ({ metadata, kind: kind.kind, apiVersion: versionOf(kind) }));
      }),
    );
    found.push(...lists.flat());
  }
  return found;
}

function versionOf({ group, version }: KindInfo): string {
  return group === "" ? version : `${group}/${version}`;
}
