// How much work a schema causes, counted without doing it: the objects that it consists of, the
// characters of its rules in CEL, and the instructions of its patterns.

import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json } from "../json.ts";
import { limits } from "../limits.ts";
import { regexSize } from "../regex-size.ts";

export interface SchemaSize {
  readonly objects: number;
  readonly ruleChars: number;
  readonly regexSize: number;
}

/** Of everything in the value; keys are counted wherever they are, so it is never too small. */
export function schemaSize(schema: Json | undefined): SchemaSize {
  const size = { objects: 0, ruleChars: 0, regexSize: 0 };
  const visit = (value: Json): void => {
    if (isJsonArray(value)) for (const item of value) visit(item);
    if (!isJsonObject(value)) return;
    size.objects += 1;
    for (const key of Object.keys(value)) {
      const inner = value[key] ?? null;
      if (typeof inner === "object") visit(inner);
      else if (typeof inner !== "string") continue;
      else if (ruleKeys.has(key)) size.ruleChars += inner.length;
      else if (key === "pattern") size.regexSize += regexSize(inner, limits.maxRegexSize);
    }
  };
  if (schema !== undefined) visit(schema);
  return size;
}

/**
 * Whether checking or compiling the schema takes long. It stops counting when that is known, so it
 * takes little time itself.
 */
export function isHeavySchema(schema: Json | undefined): boolean {
  let values = 0;
  let weight = 0;
  const left: Json[] = schema === undefined ? [] : [schema];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (typeof at !== "object" || at === null) continue;
    const keys = isJsonArray(at) ? undefined : Object.keys(at);
    values += keys?.length ?? (isJsonArray(at) ? at.length : 0);
    if (values > limits.minHeavySchemaValues || weight > limits.minHeavySchemaWeight) return true;
    if (isJsonArray(at)) for (const item of at) left.push(item);
    else if (isJsonObject(at)) {
      for (const key of keys ?? []) {
        const inner = at[key] ?? null;
        if (typeof inner === "object") left.push(inner);
        else if (typeof inner !== "string") continue;
        else if (ruleKeys.has(key)) weight += inner.length;
        else if (key === "pattern") weight += regexSize(inner, limits.maxRegexSize);
      }
    }
  }
  return weight > limits.minHeavySchemaWeight;
}

const ruleKeys = new Set(["rule", "expression", "messageExpression", "valueExpression"]);
