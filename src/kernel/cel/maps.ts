// Maps that expressions make. Keys are strings, bools and numbers; a number finds its entry
// whatever kind of number it is, as 1 == 1u == 1.0.

import type { CelMap, CelValue } from "./values.ts";
import { maxInt } from "./values.ts";

export interface MapBuilder {
  readonly has: (key: CelValue) => boolean;
  /** False when the value cannot be a key. */
  readonly set: (key: CelValue, value: CelValue) => boolean;
  /** A view of what was built; the builder is not used afterwards. */
  readonly build: () => CelMap;
}

export function mapBuilder(): MapBuilder {
  const entries = new Map<string, readonly [CelValue, CelValue]>();
  const find = (key: CelValue): readonly [CelValue, CelValue] | undefined => {
    for (const name of lookups(key)) {
      const entry = entries.get(name);
      if (entry !== undefined) return entry;
    }
    return undefined;
  };
  return {
    has: (key) => find(key) !== undefined,
    set: (key, value) => {
      const [name] = lookups(key);
      if (name === undefined) return false;
      entries.set(name, [key, value]);
      return true;
    },
    build: () => ({
      kind: "map",
      size: entries.size,
      get: (key) => find(key)?.[1],
      keys: () => [...entries.values()].map(([key]) => key),
    }),
  };
}

/** The names under which an equal key may be stored, its own kind first. */
function lookups(key: CelValue): readonly string[] {
  switch (typeof key) {
    case "string":
      return [`s${key}`];
    case "boolean":
      return [`b${key}`];
    case "number":
    case "bigint":
      return [`i${key}`, `u${key}`];
    default:
      break;
  }
  if (typeof key !== "object" || key === null) return [];
  if (key.kind === "uint") {
    return [`u${key.value}`, ...(key.value <= maxInt ? [`i${key.value}`] : [])];
  }
  if (key.kind !== "double") return [];
  if (!Number.isInteger(key.value)) return [`d${key.value}`];
  return [`d${key.value}`, `i${BigInt(key.value)}`, `u${BigInt(key.value)}`];
}
