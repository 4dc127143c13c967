// What an error of a service says besides its message: which field is wrong, and why. Values that
// the service repeats are left out, because they may be anything; the caller hides and bounds the
// rest.

import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";

const detailKeys = [
  "details",
  "detail",
  "errors",
  "fields",
  "fieldErrors",
  "field_errors",
  "violations",
  "validationErrors",
  "validation_errors",
  "invalidParams",
  "invalid-params",
  "invalid_params",
  "causes",
  "issues",
  "innererror",
  "context",
  "hint",
];
const placeKeys = [
  "field",
  "path",
  "loc",
  "param",
  "parameter",
  "property",
  "pointer",
  "instancePath",
  "dataPath",
  "location",
  "target",
  "name",
];
const textKeys = ["message", "msg", "description", "detail", "reason", "error", "title", "code"];
const mostDetails = 5;

/** In a few words, without what the message already says; empty where there is nothing more. */
export function errorDetails(json: Json | undefined, message: string): string {
  if (json === undefined || !isJsonObject(json)) return "";
  const inner = getOwn(json, "error");
  const objects = [inner, json].filter((each) => each !== undefined && isJsonObject(each));
  const found = objects.flatMap((object) =>
    detailKeys.flatMap((key) => textsIn(getOwn(object, key), 0)),
  );
  const fresh = [...new Set(found)].filter((text) => !message.includes(text));
  return fresh.slice(0, mostDetails).join("; ");
}

function textsIn(value: Json | undefined, depth: number): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value.replaceAll(/\s+/g, " ")];
  if (value === undefined || depth > 3) return [];
  if (isJsonArray(value)) return value.slice(0, 20).flatMap((item) => textsIn(item, depth + 1));
  if (!isJsonObject(value)) return [];
  return partText(value) ?? byField(value, depth);
}

/** As {"field": "name", "message": "is taken"}. */
function partText(object: JsonObject): readonly string[] | undefined {
  const place = placeKeys.map((key) => placeText(getOwn(object, key))).find((text) => text !== "");
  const text = textKeys.map((key) => getOwn(object, key)).find((each) => isText(each));
  if (typeof text !== "string") return undefined;
  const inner = detailKeys.flatMap((key) => {
    const below = getOwn(object, key);
    return typeof below === "string" ? [] : textsIn(below, 2);
  });
  const said = place === undefined || place === text ? text : `${place}: ${text}`;
  return [said, ...inner];
}

/** As {"name": ["is taken"]}. */
function byField(object: JsonObject, depth: number): readonly string[] {
  return Object.entries(object).flatMap(([key, value]) =>
    textsIn(value, depth + 1).map((text) => `${key}: ${text}`),
  );
}

function placeText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (value === undefined || !isJsonArray(value)) return "";
  return value.filter((each) => typeof each === "string" || typeof each === "number").join(".");
}

function isText(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "";
}
