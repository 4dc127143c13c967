// Values as text: in messages, in string() and in format(). Doubles are written as Go's %g does.

import { compareText } from "./compare.ts";
import { formatDuration, formatTimestamp, plainDecimal } from "./time.ts";
import type { CelValue } from "./values.ts";
import { items, typeName, typeOf } from "./values.ts";

/** "1e+06", "0.1", "+Inf": the shortest digits, with an exponent for large and small numbers. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return plainDecimal(value);
  const sign = power < 0 ? "-" : "+";
  return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** How messages show a key or an index. */
export function show(value: CelValue): string {
  switch (typeof value) {
    case "string":
      return value;
    case "object":
      return value === null ? "null" : showObject(value);
    default:
      return String(value);
  }
}

function showObject(value: Extract<CelValue, object>): string {
  switch (value.kind) {
    case "double":
      return formatDouble(value.value);
    case "uint":
      return String(value.value);
    case "bytes":
      return Buffer.from(value.bytes).toString("utf8");
    case "timestamp":
      return formatTimestamp(value);
    case "duration":
      return formatDuration(value);
    case "type":
      return value.name;
    case "list":
      return `[${items(value).map(show).join(", ")}]`;
    case "map": {
      const keys = [...value.keys()].sort((a, b) => compareText(show(a), show(b)));
      return `{${keys.map((key) => `${show(key)}: ${show(value.get(key) ?? null)}`).join(", ")}}`;
    }
    case "error":
      return value.message;
    default:
      return typeName(typeOf(value));
  }
}
