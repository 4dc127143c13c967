// The bytes of a body: JSON, or a form for services that take nothing else. In a form what lies in
// an object is named with brackets, a[b]=1, elements of a list one after the other, and what is to
// be removed is sent empty; this is how most services that take forms read them.

import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";

export function bodyBytes(body: Json, mediaType = "application/json"): Buffer {
  return Buffer.from(isForm(mediaType) ? formText(body) : JSON.stringify(body));
}

export function isForm(mediaType: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(mediaType);
}

function formText(body: Json): string {
  const form = new URLSearchParams();
  if (isJsonObject(body)) {
    for (const [key, value] of Object.entries(body)) addTo(form, key, value);
  }
  return form.toString();
}

function addTo(form: URLSearchParams, name: string, value: Json): void {
  if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) {
      const isPlain = item === null || typeof item !== "object";
      addTo(form, isPlain ? `${name}[]` : `${name}[${index}]`, item);
    }
    if (value.length === 0) form.append(name, "");
  } else if (isJsonObject(value)) {
    const entries = Object.entries(value);
    for (const [key, item] of entries) addTo(form, `${name}[${key}]`, item);
    if (entries.length === 0) form.append(name, "");
  } else form.append(name, value === null ? "" : String(value));
}
