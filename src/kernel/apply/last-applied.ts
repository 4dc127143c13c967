// The annotation in which client-side `kubectl apply` keeps what it applied last. Server-side apply
// by the manager "kubectl" honours it twice: fields that it and the live object agree on may be
// taken without a conflict, and it is brought up to date, so both ways of applying can be mixed.

import { parseExact } from "../int64.ts";
import { isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import { difference } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import type { Versioned } from "./ownership.ts";
import { compareValues } from "./typed-compare.ts";
import { appliedFields } from "./typed-fields.ts";
import { misfits } from "./typed-validate.ts";
import { withoutKey } from "../without-key.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The fields that client-side apply set and that still are as it set them. */
export function lastAppliedFields({ object, apiVersion, type }: Versioned): FieldSet | undefined {
  const text = annotationsOf(object)?.[lastAppliedAnnotation];
  if (typeof text !== "string" || text === "") return undefined;
  const last = parsedObject(text);
  if (last === undefined || last["apiVersion"] !== apiVersion) return undefined;
  if (misfits(last, type).length > 0) return undefined;
  const { added, modified, removed } = compareValues(last, object, type);
  const fields = appliedFields(last, type);
  return difference(difference(difference(fields, modified), added), removed);
}

/** The object with the annotation saying what was applied, if it has the annotation at all. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  const last = annotations?.[lastAppliedAnnotation];
  if (annotations === undefined || typeof last !== "string" || last === "") return object;
  const text = appliedText(config);
  if (text === last) return object;
  const updated: MutableJsonObject = { ...annotations, [lastAppliedAnnotation]: text };
  if (sizeOf(updated) > limits.maxAnnotationsBytes) delete updated[lastAppliedAnnotation];
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { ...metadata, annotations: updated } };
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = object["metadata"];
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  return isJsonObject(annotations) ? annotations : undefined;
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseExact(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One line of JSON with sorted keys, safe to embed in HTML, as kubectl itself writes it. */
function appliedText(config: JsonObject): string {
  const text = JSON.stringify(sorted(withoutAnnotation(config)));
  return `${text.replaceAll(/[<>&\u2028\u2029]/g, escaped)}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const annotations = annotationsOf(config);
  if (annotations === undefined) return config;
  const metadata = isJsonObject(config["metadata"]) ? config["metadata"] : {};
  const others = withoutKey(annotations, lastAppliedAnnotation);
  return { ...config, metadata: { ...metadata, annotations: others } };
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(out, key, sorted(value[key] ?? null));
  return out;
}

function sizeOf(annotations: JsonObject): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + (typeof value === "string" ? Buffer.byteLength(value) : 0);
  }
  return bytes;
}
