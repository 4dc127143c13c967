// The objects of a deployment as a tree: a group for each kind, those with problems first. Pure.

import type { SeenObject } from "../../api/gitops.ts";
import { plural } from "../../format/number.ts";
import type { Look } from "../../states/states.ts";
import { objectLook, rankOf, worstOf } from "./looks.ts";

export interface TreeObject {
  readonly key: string;
  readonly object: SeenObject;
  readonly look: Look;
}

export interface TreeGroup {
  readonly key: string;
  readonly kind: string;
  readonly group: string;
  readonly look: Look;
  readonly objects: readonly TreeObject[];
  /** "9, all Synced" or "2 of 9 Degraded" */
  readonly text: string;
}

const fewObjects = 4;

export function treeOf(objects: readonly SeenObject[]): readonly TreeGroup[] {
  const byKind = new Map<string, TreeObject[]>();
  for (const object of objects) {
    const name = `${object.group ?? ""}/${object.kind ?? ""}`;
    const entry = { key: keyOf(object), object, look: objectLook(object) };
    byKind.set(name, [...(byKind.get(name) ?? []), entry]);
  }
  const groups = [...byKind].map(([key, members]) => groupOf(key, members));
  return groups.sort(
    (one, other) => rankOf(one.look) - rankOf(other.look) || one.kind.localeCompare(other.kind),
  );
}

function groupOf(key: string, members: readonly TreeObject[]): TreeGroup {
  const objects = members.toSorted(
    (one, other) =>
      rankOf(one.look) - rankOf(other.look) ||
      (one.object.name ?? "").localeCompare(other.object.name ?? ""),
  );
  const look = worstOf(objects.map((each) => each.look));
  const same = objects.filter((each) => each.look.word === look.word).length;
  const all = objects.length;
  const text = same === all ? `${all}, all ${look.word}` : `${same} of ${all} ${look.word}`;
  const { kind = "", group = "" } = objects[0]?.object ?? {};
  return { key, kind, group, look, objects, text: all === 1 ? look.word : text };
}

export function keyOf({ group = "", kind = "", namespace = "", name = "" }: SeenObject): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

/** At first: groups with problems, and small ones. */
export function isOpenAtFirst({ look, objects }: TreeGroup): boolean {
  return look.tone !== "ready" || objects.length <= fewObjects;
}

export function treeNote(shown: number, omitted: number): string {
  return omitted === 0
    ? plural(shown, "object")
    : `${plural(shown, "object")}, and ${omitted} more that are not listed`;
}
