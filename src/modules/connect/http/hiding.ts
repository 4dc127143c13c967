// Takes out of texts what must not be shown: credentials and the values of secret fields, also in
// the ways of writing them that addresses, forms and JSON have. Services like to repeat what they
// were sent, above all when they refuse it.

import type { Hide } from "../../../kernel/hider.ts";
import { isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";

/** In every text of a document, and in the names of its fields. */
export function hideIn(value: Json, hide: Hide): Json {
  if (typeof value === "string") return hide(value);
  if (isJsonArray(value)) return value.map((item) => hideIn(item, hide));
  if (!isJsonObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    setOwn(copy, freeName(copy, hide(key)), hideIn(item, hide));
  }
  return copy;
}

/** Several names may look the same once they are hidden. */
function freeName(taken: JsonObject, name: string): string {
  let free = name;
  for (let count = 2; Object.hasOwn(taken, free); count += 1) free = `${name} ${count}`;
  return free;
}

/** An address without the parameters of its query that prove who asks. */
export function withoutProof(target: string, names: readonly string[]): string {
  const [path = "", ...rest] = target.split("?");
  if (rest.length === 0 || names.length === 0) return target;
  const isProof = (part: string): boolean => {
    const [name = ""] = new URLSearchParams(part).keys();
    return names.includes(name);
  };
  const query = rest.join("?").split("&");
  const kept = query.filter((part) => !isProof(part)).join("&");
  return kept === "" ? path : `${path}?${kept}`;
}
