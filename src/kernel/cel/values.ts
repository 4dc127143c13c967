// What expressions compute with. Integers are by far the most common numbers of documents, so an
// int is a plain number while that is exact, and a bigint beyond; doubles and uints, which are
// rare, are boxed. Errors are values, too: CEL's && and || may absorb them, and nothing throws.

import { tick } from "../inline-time.ts";
import { bytesType, dynType, nullType, typeType } from "./types.ts";
import { boolType, doubleType, durationType, intType, listType, mapType } from "./types.ts";
import { errorType, optionalType, stringType, timestampType, uintType } from "./types.ts";
import type { CelType } from "./types.ts";

export interface CelDouble {
  readonly kind: "double";
  readonly value: number;
}

export interface CelUint {
  readonly kind: "uint";
  readonly value: bigint;
}

export interface CelBytes {
  readonly kind: "bytes";
  readonly bytes: Uint8Array;
}

export interface CelTimestamp {
  readonly kind: "timestamp";
  /** Since 1970, rounded down; within the years 1 to 9999. */
  readonly seconds: number;
  /** From 0 to 999 999 999. */
  readonly nanos: number;
  /** East of UTC, as it was written; only the text of a timestamp shows it. */
  readonly zoneMinutes?: number;
}

export interface CelDuration {
  readonly kind: "duration";
  /** Within 64 bits. */
  readonly nanos: bigint;
}

export interface CelList {
  readonly kind: "list";
  readonly size: number;
  /** The index is within the list. */
  readonly at: (index: number) => CelValue;
  /** Lists that are sets or maps by their schema compare and add in their own way. */
  readonly sameAs?: (other: CelList) => boolean;
  readonly plus?: (other: CelList) => CelList;
}

export interface CelMap {
  readonly kind: "map";
  readonly size: number;
  readonly get: (key: CelValue) => CelValue | undefined;
  readonly keys: () => readonly CelValue[];
  /** Objects hold fields that no expression can see but that count when objects are compared. */
  readonly hidesDifference?: (other: CelMap) => boolean;
}

export interface CelTypeValue {
  readonly kind: "type";
  /** The name that type() shows, as in "google.protobuf.Timestamp". */
  readonly name: string;
}

export interface CelOptional {
  readonly kind: "optional";
  readonly value: CelValue | undefined;
}

/** A value of a library: opaque to the language, known to the library's functions. */
export interface CelOpaque {
  readonly kind: "opaque";
  readonly type: CelType;
  readonly content: unknown;
  readonly sameAs: (other: CelOpaque) => boolean;
  /** What it counts for when costs go by size. */
  readonly size?: number;
}

export interface CelError {
  readonly kind: "error";
  readonly message: string;
}

export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | CelDouble
  | CelUint
  | CelBytes
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelTypeValue
  | CelOptional
  | CelOpaque
  | CelError;

export const minInt = -(2n ** 63n);
export const maxInt = 2n ** 63n - 1n;
export const maxUint = 2n ** 64n - 1n;

export const noSuchOverload: CelError = error("no such overload");
export const noneOptional: CelOptional = { kind: "optional", value: undefined };

export function error(message: string): CelError {
  return { kind: "error", message };
}

export function isError(value: CelValue): value is CelError {
  return typeof value === "object" && value !== null && value.kind === "error";
}

/** An int of 64 bits in its one representation. The caller knows that it is in range. */
export function int(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** For functions whose argument was matched to be a text before. */
export function textOf(value: CelValue): string {
  return typeof value === "string" ? value : "";
}

export function isInt(value: CelValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function double(value: number): CelDouble {
  return { kind: "double", value };
}

export function uint(value: bigint): CelUint {
  return { kind: "uint", value };
}

export function bytes(value: Uint8Array): CelBytes {
  return { kind: "bytes", bytes: value };
}

export function list(values: readonly CelValue[]): CelList {
  return { kind: "list", size: values.length, at: (index) => values[index] ?? null };
}

export function items(from: CelList): readonly CelValue[] {
  tick(from.size);
  return Array.from({ length: from.size }, (_, index) => from.at(index));
}

export function optionalOf(value: CelValue): CelOptional {
  return { kind: "optional", value };
}

/** Ties the content of library values to their type, so that only the library unwraps them. */
export function opaqueValues<T>(
  type: CelType,
  same: (a: T, b: T) => boolean,
  size?: (content: T) => number,
): OpaqueValues<T> {
  const has = (value: CelValue): value is CelOpaque => isOpaque(value) && value.type === type;
  const unwrap = (value: CelValue): T => {
    if (!has(value)) throw new TypeError(`not a ${type.name}`);
    // Only wrap() below makes values of this type.
    return value.content as T;
  };
  const wrap = (content: T): CelOpaque => ({
    kind: "opaque",
    type,
    content,
    sameAs: (other) => has(other) && same(content, unwrap(other)),
    ...(size === undefined ? {} : { size: size(content) }),
  });
  return { has, wrap, unwrap };
}

export interface OpaqueValues<T> {
  readonly has: (value: CelValue) => boolean;
  readonly wrap: (content: T) => CelOpaque;
  /** Functions get values of the types that they declare, so this does not fail in them. */
  readonly unwrap: (value: CelValue) => T;
}

function isOpaque(value: CelValue): value is CelOpaque {
  return typeof value === "object" && value !== null && value.kind === "opaque";
}

const dynList = listType(dynType);
const dynMap = mapType(dynType, dynType);
const dynOptional = optionalType(dynType);

/** The type that a value has while running: items and entries may be anything. */
export function typeOf(value: CelValue): CelType {
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "number":
    case "bigint":
      return intType;
    case "string":
      return stringType;
    default:
      return value === null ? nullType : typeOfObject(value);
  }
}

function typeOfObject(value: Extract<CelValue, object>): CelType {
  switch (value.kind) {
    case "double":
      return doubleType;
    case "uint":
      return uintType;
    case "bytes":
      return bytesType;
    case "timestamp":
      return timestampType;
    case "duration":
      return durationType;
    case "list":
      return dynList;
    case "map":
      return dynMap;
    case "type":
      return typeType;
    case "optional":
      return dynOptional;
    case "opaque":
      return value.type;
    default:
      return errorType;
  }
}

const namesAtRunTime: Readonly<Record<string, string>> = {
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
};

/** The name that type() shows: "list" for every list. */
export function typeName(type: CelType): string {
  return namesAtRunTime[type.kind] ?? type.name;
}
