/** What differs between a live object and the object as it would be, for a plan and its readers. */
import { diff } from "../../../kernel/diff.ts";
import type { Change } from "../../../kernel/diff.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { parsePointer } from "../../../kernel/pointer.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { ObjectReference } from "../object-reference.ts";
import type { PlannedChange } from "./plan.ts";

const serverFields = [
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];
const maxChanges = 50;
const maxValueChars = 200;

/** Without what the server writes. */
export function comparable(object: JsonObject): JsonObject {
  const rest = withoutKey(object, "status");
  const metadata = without(objectAt(object, "metadata"), serverFields);
  return { ...rest, metadata: withoutEmpty(metadata) };
}

/** The same for a manifest, before it is applied. */
export function withoutServerFields(object: JsonObject): JsonObject {
  const rest = withoutKey(object, "status");
  return { ...rest, metadata: without(objectAt(object, "metadata"), serverFields) };
}

export function changesBetween(
  at: ObjectReference,
  live: JsonObject,
  predicted: JsonObject,
): readonly PlannedChange[] {
  return diff(comparable(live), comparable(predicted))
    .slice(0, maxChanges)
    .map((change) => plannedChange(at, change));
}

function plannedChange(at: ObjectReference, change: Change): PlannedChange {
  const path = pathText(change.path);
  const kinds = { add: "added", replace: "changed", remove: "removed" } as const;
  const kind = kinds[change.kind];
  if (isSecret(at, change.path)) return { path, kind };
  return {
    path,
    kind,
    ...(change.kind === "add" ? {} : { from: valueText(change.old) }),
    ...(change.kind === "remove" ? {} : { to: valueText(change.new) }),
  };
}

/** All of a Secret besides its metadata; annotations of it can repeat its data. */
function isSecret({ group, kind }: ObjectReference, path: string): boolean {
  return group === "" && kind === "Secret" && !path.startsWith("/metadata/labels");
}

function pathText(path: string): string {
  return parsePointer(path)
    .map((token, index) => {
      if (/^(?:\d+|-)$/.test(token)) return `[${token}]`;
      if (!/^[\w-]+$/.test(token)) return `[${JSON.stringify(token)}]`;
      return index === 0 ? token : `.${token}`;
    })
    .join("");
}

function valueText(value: Json): string {
  return shortText(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "bigint" ? String(inner) : inner,
    ),
    maxValueChars,
  );
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key)));
}

function withoutEmpty(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(
      ([key, value]) =>
        !["labels", "annotations"].includes(key) || Object.keys(objectAt(value)).length > 0,
    ),
  );
}
