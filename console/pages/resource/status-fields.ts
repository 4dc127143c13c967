// The fields of a document, one line each.

import type { JsonValue } from "../../api/types.ts";

export interface Leaf {
  readonly path: string;
  readonly text: string;
}

const mostLeaves = 400;

export function leavesOf(value: JsonValue | undefined, path = ""): readonly Leaf[] {
  return collected(value, path).slice(0, mostLeaves);
}

function collected(value: JsonValue | undefined, path: string): readonly Leaf[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [{ path, text: String(value) }];
  const entries = Array.isArray(value)
    ? value.map((each, at) => [`${path}[${at}]`, each] as const)
    : Object.entries(value).map(([name, each]) => [nameAt(path, name), each] as const);
  if (entries.length === 0) {
    return path === "" ? [] : [{ path, text: Array.isArray(value) ? "[]" : "{}" }];
  }
  return entries.flatMap(([at, each]) => collected(each as JsonValue, at));
}

function nameAt(path: string, name: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}
