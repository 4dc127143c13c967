// Reaching into values: fields, keys and indexes, plain and optional. Reaching into what is
// absent is an error; reaching into an optional yields an optional, and never fails for absence.

import { show } from "./text.ts";
import type { CelError, CelOptional, CelValue } from "./values.ts";
import { error, isError, noneOptional, optionalOf, typeName, typeOf } from "./values.ts";

export function selectField(value: CelValue, field: string): CelValue {
  if (typeof value === "object" && value !== null) {
    if (value.kind === "map") return value.get(field) ?? absent(value.get(field), field);
    if (value.kind === "optional") return optionalSelect(value, field);
  }
  return noSuchKey(field);
}

export function hasField(value: CelValue, field: string): CelValue {
  if (typeof value !== "object" || value === null) return false;
  if (value.kind === "map") return value.get(field) !== undefined;
  if (value.kind === "optional") {
    return value.value === undefined ? false : hasField(value.value, field);
  }
  return value.kind === "error" ? value : false;
}

export function indexInto(value: CelValue, key: CelValue): CelValue {
  if (typeof value === "object" && value !== null) {
    if (value.kind === "optional") return optionalIndex(value, key);
    if (value.kind === "list") {
      const index = listIndex(key);
      if (typeof index !== "number") return index;
      if (index >= 0 && index < value.size) return value.at(index);
      return error(`index out of bounds: ${show(key)}`);
    }
    if (value.kind === "map") return value.get(key) ?? absent(value.get(key), key);
  }
  return noSuchKey(key);
}

export function optionalSelect(value: CelValue, field: string): CelOptional | CelError {
  if (typeof value !== "object" || value === null) return noSuchKey(field);
  if (value.kind === "error") return value;
  if (value.kind === "optional") {
    return value.value === undefined ? noneOptional : optionalSelect(value.value, field);
  }
  if (value.kind !== "map") return noSuchKey(field);
  return wrap(value.get(field));
}

export function optionalIndex(value: CelValue, key: CelValue): CelOptional | CelError {
  if (typeof value !== "object" || value === null) return noSuchKey(key);
  if (value.kind === "optional") {
    return value.value === undefined ? noneOptional : optionalIndex(value.value, key);
  }
  if (value.kind === "list") {
    const index = listIndex(key);
    if (typeof index !== "number") return index;
    return index >= 0 && index < value.size ? wrap(value.at(index)) : noneOptional;
  }
  return value.kind === "map" ? wrap(value.get(key)) : noSuchKey(key);
}

function wrap(value: CelValue | undefined): CelOptional | CelError {
  if (value === undefined) return noneOptional;
  return isError(value) ? value : optionalOf(value);
}

/** Null is a value; only undefined is absent. */
function absent(value: CelValue | undefined, key: CelValue): CelValue {
  return value === undefined ? noSuchKey(key) : value;
}

function noSuchKey(key: CelValue): CelError {
  return error(`no such key: ${show(key)}`);
}

function listIndex(key: CelValue): number | CelError {
  if (typeof key === "number") return key;
  if (typeof key === "bigint") return -1;
  if (typeof key === "object" && key !== null) {
    if (key.kind === "uint") return Number(key.value);
    if (key.kind === "double") {
      if (Number.isInteger(key.value)) return key.value;
      return error(`unsupported index value ${show(key)} in list`);
    }
  }
  return error(`unsupported index type '${typeName(typeOf(key))}' in list`);
}
