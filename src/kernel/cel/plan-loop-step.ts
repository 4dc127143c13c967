// Steps of loops that collect: they add to the accumulator in place, where copying it in each
// turn would make a loop over n elements cost n² time. The bill is that of the copying version.

import { charge } from "./code.ts";
import type { Code, Frame } from "./code.ts";
import { mapBuilder } from "./maps.ts";
import type { MapBuilder } from "./maps.ts";
import { show } from "./text.ts";
import type { CelList, CelMap, CelValue } from "./values.ts";
import { error, isError, noSuchOverload } from "./values.ts";

/** Grows while the loop runs; afterwards nobody changes it. */
export interface GrowingList extends CelList {
  readonly push: (value: CelValue) => void;
}

export function growingList(): GrowingList {
  const grown: CelValue[] = [];
  return {
    kind: "list",
    get size() {
      return grown.length;
    },
    at: (index) => grown[index] ?? null,
    push: (value) => grown.push(value),
  };
}

/** Knows its builder while the loop runs. */
export interface GrowingMap extends CelMap {
  readonly builder: MapBuilder;
}

export function growingMap(): GrowingMap {
  const builder = mapBuilder();
  const view = builder.build();
  return {
    kind: "map",
    get size() {
      return view.keys().length;
    },
    get: view.get,
    keys: view.keys,
    builder,
  };
}

/** `accumulator + added`. */
export function planAppend(slot: number, added: Code): Code {
  return (frame) => {
    charge(frame, 1);
    const more = added(frame);
    charge(frame, 1);
    const accumulator = current(frame, slot);
    if (isError(accumulator)) return accumulator;
    if (isError(more)) return more;
    if (!isGrowingList(accumulator) || !isList(more)) return noSuchOverload;
    for (let i = 0; i < more.size; i++) accumulator.push(more.at(i));
    return accumulator;
  };
}

/** Inserts a key with its value, or the entries of a map; no key may be there already. */
export function planInsert(slot: number, keyOrMap: Code, value: Code | undefined): Code {
  return (frame) => {
    charge(frame, 1);
    const first = keyOrMap(frame);
    const second = value?.(frame);
    charge(frame, 1);
    const accumulator = current(frame, slot);
    if (isError(accumulator)) return accumulator;
    if (isError(first)) return first;
    if (second !== undefined && isError(second)) return second;
    if (!isGrowingMap(accumulator)) return noSuchOverload;
    if (second !== undefined) return insert(accumulator, first, second);
    return isMap(first) ? insertAll(accumulator, first) : noSuchOverload;
  };
}

function insertAll(into: GrowingMap, from: CelMap): CelValue {
  for (const key of from.keys()) {
    const result = insert(into, key, from.get(key) ?? null);
    if (isError(result)) return result;
  }
  return into;
}

function insert(into: GrowingMap, key: CelValue, value: CelValue): CelValue {
  if (into.builder.has(key)) return error(`insert failed: key ${show(key)} already exists`);
  into.builder.set(key, value);
  return into;
}

function current(frame: Frame, slot: number): CelValue {
  return frame.slots[slot] ?? null;
}

function isList(value: CelValue): value is CelList {
  return typeof value === "object" && value?.kind === "list";
}

function isMap(value: CelValue): value is CelMap {
  return typeof value === "object" && value?.kind === "map";
}

function isGrowingList(value: CelValue): value is GrowingList {
  return isList(value) && "push" in value;
}

function isGrowingMap(value: CelValue): value is GrowingMap {
  return isMap(value) && "builder" in value;
}
