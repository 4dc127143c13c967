// Resource groups: their links, and the dependencies between them. A group that depends on another
// begins after every resource of it. Pure.

import type { FieldError } from "../../../kernel/field-error.ts";
import { duplicateField, invalidField } from "../../../kernel/field-error.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Suggest } from "../../../kernel/nearest-name.ts";
import { cycleIn } from "./graph.ts";

/** The keys that an entry depends on because of the groups that it is in. */
export interface GroupDependencies {
  readonly of: (key: string, group: string) => readonly string[];
}

export function groupDependencies(spec: JsonObject): GroupDependencies {
  const members = membersOf(spec);
  const groups = objectsAt(spec, "resourceGroups");
  const groupsOf = new Map<string, Set<string>>();
  for (const [group, keys] of members) {
    for (const key of keys) groupsOf.set(key, (groupsOf.get(key) ?? new Set()).add(group));
  }
  const needed = new Map(groups.map((each) => [textAt(each, "id"), textsAt(each, "dependsOn")]));
  return {
    of: (key, group) => {
      const own = new Set([...(groupsOf.get(key) ?? []), ...(group === "" ? [] : [group])]);
      const others = [...own].flatMap((each) => needed.get(each) ?? []);
      return [...new Set(others)].flatMap((each) => Array.from(members.get(each) ?? []));
    },
  };
}

/** The keys of each group, by the links of the group and by `group` of the entries. */
export function membersOf(spec: JsonObject): ReadonlyMap<string, ReadonlySet<string>> {
  const members = new Map<string, Set<string>>();
  const add = (group: string, key: string): void => {
    members.set(group, (members.get(group) ?? new Set()).add(key));
  };
  for (const group of objectsAt(spec, "resourceGroups")) {
    const id = textAt(group, "id");
    members.set(id, members.get(id) ?? new Set());
    for (const link of objectsAt(group, "resources")) add(id, textAt(link, "id"));
  }
  for (const entry of objectsAt(spec, "resources")) {
    const group = textAt(entry, "group");
    if (group !== "") add(group, textAt(entry, "key"));
  }
  return members;
}

export function groupErrors(
  spec: JsonObject,
  keys: ReadonlySet<string>,
  suggest: Suggest,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const groups = objectsAt(spec, "resourceGroups");
  const ids = groups.map((group) => textAt(group, "id"));
  const known = new Set(ids);
  groups.forEach((group, at) => {
    const path = `spec.resourceGroups[${at}]`;
    const id = ids[at] ?? "";
    if (ids.indexOf(id) < at) errors.push(duplicateField(`${path}.id`, id));
    objectsAt(group, "resources").forEach((link, index) => {
      const key = textAt(link, "id");
      if (keys.has(key)) return;
      const detail = `the template has no resource ${key}${suggest(key, keys)}`;
      errors.push(invalidField(`${path}.resources[${index}].id`, key, detail));
    });
    textsAt(group, "dependsOn").forEach((other, index) => {
      if (known.has(other)) return;
      const detail = `the template has no group ${other}${suggest(other, ids)}`;
      errors.push(invalidField(`${path}.dependsOn[${index}]`, other, detail));
    });
  });
  objectsAt(spec, "resources").forEach((entry, at) => {
    const group = textAt(entry, "group");
    if (group === "" || known.has(group)) return;
    const detail = `the template has no group ${group}${suggest(group, ids)}`;
    errors.push(invalidField(`spec.resources[${at}].group`, group, detail));
  });
  if (errors.length > 0) return errors;
  const graph = new Map(groups.map((group) => [textAt(group, "id"), textsAt(group, "dependsOn")]));
  const cycle = cycleIn(graph);
  if (cycle === undefined) return [];
  const detail = `the groups have a cycle: ${cycle.join(" -> ")}`;
  return [invalidField("spec.resourceGroups", cycle[0] ?? "", detail)];
}
