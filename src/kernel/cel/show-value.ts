// Values as tests write them: with their types, so that 1, 1u and 1.0 are told apart.

import { formatDouble } from "./text.ts";
import { formatDuration, formatTimestamp } from "./time.ts";
import type { CelValue } from "./values.ts";
import { items, typeName, typeOf } from "./values.ts";

export function showValue(value: CelValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  const name = typeName(typeOf(value));
  switch (value.kind) {
    case "double":
      return `double(${formatDouble(value.value)})`;
    case "uint":
      return `${value.value}u`;
    case "bytes":
      return `b'${Buffer.from(value.bytes).toString("hex")}'`;
    case "timestamp":
      return `${name}(${formatTimestamp(value)})`;
    case "duration":
      return `${name}(${formatDuration(value)})`;
    case "type":
      return `type(${value.name})`;
    case "optional":
      return value.value === undefined
        ? "optional.none()"
        : `optional.of(${showValue(value.value)})`;
    case "list":
      return `[${items(value).map(showValue).join(", ")}]`;
    case "map": {
      const entries = value
        .keys()
        .map((key) => `${showValue(key)}: ${showValue(value.get(key) ?? null)}`);
      return `{${entries.sort().join(", ")}}`;
    }
    default:
      return name;
  }
}
