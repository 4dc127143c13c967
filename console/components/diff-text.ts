// A JSON Pointer and a value as a person writes them.

import type { JsonValue } from "../api/types.ts";

/** "/spec/containers/0/image" as "spec.containers[0].image" */
export function shownPath(pointer: string): string {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return parts.reduce((text, part) => {
    if (/^\d+$/.test(part)) return `${text}[${part}]`;
    const isPlain = /^[A-Za-z_][\w-]*$/.test(part);
    if (!isPlain) return `${text}[${JSON.stringify(part)}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

export function shownValue(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}
