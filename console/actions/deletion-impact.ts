// What a deletion takes along: the resources that name it as an owner, and for a namespace or a
// definition everything in it. The server counts.

import { insight } from "../api/insight.ts";
import { kinds } from "../api/kinds.ts";
import { plural } from "../format/number.ts";
import { titleOf } from "./action.ts";
import type { Impact, Subject } from "./action.ts";
import { ownedOf } from "./children.ts";
import type { OwnedNode } from "./children.ts";

/** Kinds whose resources only hold data: a click is enough to delete them. */
const trifles = new Set(["configmaps", "events"]);

export async function deletionImpact(subjects: readonly Subject[]): Promise<Impact> {
  const [first] = subjects;
  if (first === undefined) return { title: "Delete nothing?", consequences: [] };
  const isOne = subjects.length === 1;
  const title = isOne
    ? `Delete ${titleOf(first)}?`
    : `Delete ${plural(subjects.length, first.kind.kind)}?`;
  const inside = isOne ? await contentOf(first) : [];
  const owned = isOne ? await ownedBy(first) : [];
  const isTrifle = trifles.has(first.kind.id) && owned.length === 0;
  const consequences = [
    ...inside,
    ...(owned.length === 0 ? [] : [`This also deletes ${owned.join(", ")}.`]),
    ...(inside.length + owned.length === 0 && isOne ? ["Nothing else is deleted."] : []),
    ...(isOne ? [] : ["What these resources own is deleted as well."]),
    ...(first.isPaused === true ? ["It is paused: the deletion begins when it is resumed."] : []),
  ];
  const typed = isOne ? first.name : String(subjects.length);
  return { title, consequences, ...(isTrifle ? {} : { typed }) };
}

async function ownedBy({ kind, namespace, name, uid }: Subject): Promise<readonly string[]> {
  if (uid === undefined) return [];
  const byKind = new Map<string, number>();
  const count = (nodes: readonly OwnedNode[]): void => {
    for (const { resource, owned } of nodes) {
      byKind.set(resource.kind, (byKind.get(resource.kind) ?? 0) + 1);
      count(owned);
    }
  };
  count(await ownedOf({ kind, namespace, name, uid }));
  return [...byKind].map(([word, many]) => plural(many, word));
}

async function contentOf({ kind, name }: Subject): Promise<readonly string[]> {
  if (kind.id === "namespaces") {
    const { kinds: counts } = await insight.counts({ namespace: name, builtIn: true });
    const total = counts.reduce((sum, each) => sum + each.total, 0);
    return [`This deletes ${plural(total, "resource")} in the namespace.`];
  }
  if (kind.id !== "customresourcedefinitions.apiextensions.k8s.io") return [];
  const served = kinds.peek()?.find(({ id }) => id === name);
  if (served === undefined) return [];
  const { kinds: counts } = await insight.counts({ kind: served.id });
  const total = counts.reduce((sum, each) => sum + each.total, 0);
  return [`This deletes the kind and ${plural(total, "resource")} of it.`];
}
