// What differs between two documents, in the form of the server (GET /api/v1/diff). Used for a
// document that is not stored yet: the server compares revisions only.

import type { FieldChange, JsonValue } from "../../api/types.ts";

/** The server sets these with every write. */
const written = new Set([
  "/metadata/managedFields",
  "/metadata/resourceVersion",
  "/metadata/generation",
  "/status",
]);

export function documentDiff(before: unknown, after: unknown): readonly FieldChange[] {
  return differences(before as JsonValue, after as JsonValue, "").filter(
    ({ path }) => !written.has(path) && !path.startsWith("/status/"),
  );
}

function differences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
): readonly FieldChange[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [{ kind: "add", path, new: after as JsonValue }];
  if (after === undefined) return [{ kind: "remove", path, old: before }];
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      written.has(`${path}/${name}`)
        ? []
        : differences(before[name], after[name], `${path}/${escaped(name)}`),
    );
  }
  if (isList(before) && isList(after) && before.length === after.length) {
    return before.flatMap((each, at) => differences(each, after[at], `${path}/${at}`));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ kind: "replace", path, old: before, new: after }];
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

function isRecord(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
