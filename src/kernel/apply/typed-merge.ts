// Merging an applied configuration into a live value: nothing is removed, the configuration wins
// where both have a value, and merged lists keep the order of the configuration for its own items
// and their neighbours for the others. A null configures an empty container and removes nothing.

import { getOwn, isJsonArray, isJsonObject, setOwn } from "../json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../json.ts";
import { itemElements } from "./list-items.ts";
import { deducedType, keyType } from "./type-schema.ts";
import type { ListType, MapType, TypeNode } from "./type-schema.ts";

export function mergeValues(live: Json, config: Json, type: TypeNode): Json {
  const { map, list, scalar } = type;
  if (isJsonArray(config) && list !== undefined) return mergedList(live, config, list);
  if (isJsonObject(config) && map !== undefined) return mergedMap(live, config, map);
  if (config !== null) return config;
  if (map !== undefined) return !map.isAtomic && isFullMap(live) ? live : null;
  if (scalar !== undefined || list === undefined || list.kind === "atomic") return null;
  return isJsonArray(live) && live.length > 0 ? live : null;
}

function isFullMap(live: Json): boolean {
  return isJsonObject(live) && Object.keys(live).length > 0;
}

function mergedMap(live: Json, config: JsonObject, map: MapType): Json {
  if (map.isAtomic || !isJsonObject(live)) return config;
  if (Object.keys(live).length === 0 && Object.keys(config).length === 0) return config;
  const out: MutableJsonObject = {};
  for (const key of Object.keys(live)) setOwn(out, key, live[key] ?? null);
  for (const key of Object.keys(config)) {
    const value = config[key] ?? null;
    const before = getOwn(live, key);
    const type = keyType(map, key) ?? deducedType;
    setOwn(out, key, before === undefined ? value : mergeValues(before, value, type));
  }
  return out;
}

function mergedList(live: Json, config: readonly Json[], list: ListType): Json {
  if (list.kind === "atomic" || !isJsonArray(live) || live.length === 0) return config;
  const liveElements = itemElements(list, live);
  const configElements = itemElements(list, config);
  if (liveElements === undefined || configElements === undefined) return config;
  return mergedItems(
    { items: live, elements: liveElements },
    { items: config, elements: configElements },
    list,
  );
}

interface Side {
  readonly items: readonly Json[];
  readonly elements: readonly string[];
}

/** Walks both lists at once: shared items are taken in the order of the configuration. */
function mergedItems(live: Side, config: Side, list: ListType): readonly Json[] {
  const liveItems = indexed(live);
  const configItems = indexed(config);
  const shared = config.elements.filter((element) => liveItems.has(element));
  const taken = new Set<string>();
  const out: Json[] = [];
  let nextShared = 0;
  let l = 0;
  let r = 0;
  const takeConfig = (element: string): void => {
    const value = configItems.get(element) ?? null;
    const before = liveItems.get(element);
    taken.add(element);
    out.push(before === undefined ? value : mergeValues(before, value, list.item));
    if (shared[nextShared] === element) nextShared++;
    r++;
  };
  while (l < live.elements.length || r < config.elements.length) {
    const left = live.elements[l];
    const right = config.elements[r];
    if (left !== undefined && right !== undefined) {
      if (left === right) {
        takeConfig(right);
        l++;
        continue;
      }
      const awaited = shared[nextShared];
      if (configItems.has(left) && awaited !== undefined && awaited !== left) {
        l++;
        continue;
      }
    }
    if (left !== undefined) {
      if (!configItems.has(left)) {
        out.push(live.items[l] ?? null);
        l++;
        continue;
      }
      if (taken.has(left)) l++;
    }
    if (right !== undefined) takeConfig(right);
  }
  return out;
}

/** Items by element; those that share one are not merged, as if the live side had null there. */
function indexed({ items, elements }: Side): ReadonlyMap<string, Json> {
  const index = new Map<string, Json>();
  for (const [position, element] of elements.entries()) {
    index.set(element, index.has(element) ? null : (items[position] ?? null));
  }
  return index;
}
