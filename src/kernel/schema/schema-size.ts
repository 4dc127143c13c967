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

const ruleKeys = new Set(["rule", "expression", "messageExpression", "valueExpression"]);
