// What stays when a document is imported again. A binding records what an import proposed for each
// of its parts, as a short digest; a part that is no longer as proposed was changed by a person and
// stays as it is. Of the fields, those stay that a person classed otherwise than was proposed, and
// they are marked as overrides.

import { createHash } from "node:crypto";
import type { Binding, FieldClass, FieldEntry } from "../binding.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { getOwn, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";

export const proposedAnnotation = "connect.setpoint.dev/proposed";

/**
 * The RestKind of a kind, with what it was proposed as, and with what a person changed in
 * `previous`.
 */
export function restKindOf(id: string, binding: Binding, previous?: JsonObject): JsonObject {
  const proposed = binding as unknown as JsonObject;
  const record = recordOf(proposed);
  const spec = previous === undefined ? proposed : merged(previous, proposed);
  const labels = objectAt(previous, "metadata", "labels");
  const others = objectAt(previous, "metadata", "annotations");
  return {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "RestKind",
    metadata: {
      name: id,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      annotations: { ...others, [proposedAnnotation]: JSON.stringify(record) },
    },
    spec,
  };
}

/** What persons said of fields: marked so, or changed since they were proposed. */
export function overridesIn(restKind: JsonObject): readonly FieldEntry[] {
  const proposed = objectAt(recordIn(restKind), "fields");
  return objectsAt(restKind, "spec", "fields").flatMap((entry) => {
    const path = textAt(entry, "path");
    const was = getOwn(proposed, path);
    const isOurs = textAt(entry, "from") !== "override" && was === codeOf(entry);
    if (isOurs || path === "") return [];
    // A person who removes the line `isSecret: true` says that it is not.
    const isShown =
      typeof was === "string" && was.endsWith("+secret") && !isTrueAt(entry, "isSecret");
    const given = {
      ...(entry as unknown as FieldEntry),
      ...(isShown ? { isSecret: false } : {}),
      from: "override" as const,
    };
    // What told the class before does not tell the one that it was changed to.
    const isMarked = textAt(entry, "from") === "override";
    return [isMarked ? given : { ...given, why: "changed in the RestKind", confidence: 1 }];
  });
}

/** Parts that a person changed stay; the others are as proposed now. */
function merged(previous: JsonObject, proposed: JsonObject): JsonObject {
  const before = objectAt(previous, "spec");
  const record = recordIn(previous);
  const result: MutableJsonObject = {};
  const keys = new Set([...Object.keys(proposed), ...Object.keys(before)]);
  for (const key of keys) {
    const [was, now] = [getOwn(before, key), getOwn(proposed, key)];
    const value =
      key === "operations"
        ? mergedOperations(objectAt(before, key), objectAt(now), objectAt(record, key))
        : key === "fields"
          ? now
          : kept(was, now, getOwn(record, key));
    if (value !== undefined) setOwn(result, key, value);
  }
  return result;
}

function mergedOperations(was: JsonObject, now: JsonObject, record: JsonObject): JsonObject {
  const result: MutableJsonObject = {};
  for (const key of new Set([...Object.keys(now), ...Object.keys(was)])) {
    const value = kept(getOwn(was, key), getOwn(now, key), getOwn(record, key));
    if (value !== undefined) setOwn(result, key, value);
  }
  return result;
}

function kept(
  was: Json | undefined,
  now: Json | undefined,
  recorded: Json | undefined,
): Json | undefined {
  const isAsProposed = was === undefined ? recorded === undefined : digestOf(was) === recorded;
  return isAsProposed ? now : was;
}

function recordIn(restKind: JsonObject): JsonObject {
  const text = textAt(restKind, "metadata", "annotations", proposedAnnotation);
  try {
    const value: unknown = parseExact(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // Somebody wrote it by hand: then all of it is theirs.
    return {};
  }
}

function recordOf(proposed: JsonObject): JsonObject {
  const record: MutableJsonObject = {};
  for (const [key, value] of Object.entries(proposed)) {
    if (key === "fields") continue;
    setOwn(record, key, key === "operations" ? digests(objectAt(value)) : digestOf(value));
  }
  const fields: MutableJsonObject = {};
  for (const entry of objectsAt(proposed, "fields")) {
    if (textAt(entry, "from") !== "override") setOwn(fields, textAt(entry, "path"), codeOf(entry));
  }
  setOwn(record, "fields", fields);
  return record;
}

function digests(object: JsonObject): JsonObject {
  const found: MutableJsonObject = {};
  for (const [key, value] of Object.entries(object)) setOwn(found, key, digestOf(value));
  return found;
}

function digestOf(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 12);
}

/** What matters of an entry: "ro", "co+secret". */
function codeOf(entry: JsonObject): string {
  const short: Readonly<Record<FieldClass, string>> = {
    writable: "rw",
    "read-only": "ro",
    "create-only": "co",
    "update-only": "uo",
    "write-only": "wo",
  };
  const code = short[textAt(entry, "class") as FieldClass] ?? "?";
  return getOwn(entry, "isSecret") === true ? `${code}+secret` : code;
}
