// From one type to another: int("5"), string(1.5), timestamp("2020-01-01T00:00:00Z"), type(x).
// Nothing is rounded or cut silently: what does not fit into the target is an error.

import { fixed, textConversion } from "./costs.ts";
import { declare, declareGeneric, global } from "./functions.ts";
import type { FunctionDeclaration, Overload } from "./functions.ts";
import { formatDouble } from "./text.ts";
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "./time.ts";
import { timestamp } from "./time.ts";
import { boolType, bytesType, doubleType, durationType, intType, paramType } from "./types.ts";
import { stringType, timestampType, typeOfType, uintType } from "./types.ts";
import type { CelType } from "./types.ts";
import type { CelError, CelValue } from "./values.ts";
import { bytes, double, error, int, maxInt, maxUint, minInt, noSuchOverload } from "./values.ts";
import { typeName, typeOf, uint } from "./values.ts";

/** How an error names a conversion that failed. */
function conversionError(from: CelValue, to: CelType): CelError {
  return error(`type conversion error from '${typeName(typeOf(from))}' to '${typeName(to)}'`);
}

function conversion(
  id: string,
  from: CelType,
  to: CelType,
  run: (value: CelValue) => CelValue,
): Overload {
  return global(id, [from], to, run);
}

const same = (value: CelValue): CelValue => value;

function parsed(to: CelType, parse: (text: string) => CelValue | undefined) {
  return (value: CelValue): CelValue => {
    if (typeof value !== "string") return noSuchOverload;
    return parse(value) ?? conversionError(value, to);
  };
}

const intOverflow = error("integer overflow");
const uintOverflow = error("unsigned integer overflow");

const toInt: readonly Overload[] = [
  conversion("int64_to_int64", intType, intType, same),
  conversion("double_to_int64", doubleType, intType, (value) => {
    const number = asDouble(value);
    if (!Number.isFinite(number) || number <= -(2 ** 63) || number >= 2 ** 63) return intOverflow;
    return int(BigInt(Math.trunc(number)));
  }),
  conversion("duration_to_int64", durationType, intType, (value) =>
    typeof value === "object" && value?.kind === "duration" ? int(value.nanos) : noSuchOverload,
  ),
  conversion("string_to_int64", stringType, intType, parsed(intType, parseInt64)),
  conversion("timestamp_to_int64", timestampType, intType, (value) =>
    typeof value === "object" && value?.kind === "timestamp" ? value.seconds : noSuchOverload,
  ),
  conversion("uint64_to_int64", uintType, intType, (value) => {
    const number = asUint(value);
    return number > maxInt ? intOverflow : int(number);
  }),
];

const toUint: readonly Overload[] = [
  conversion("uint64_to_uint64", uintType, uintType, same),
  conversion("double_to_uint64", doubleType, uintType, (value) => {
    const number = asDouble(value);
    if (!(number >= 0) || number >= 2 ** 64) return uintOverflow;
    return uint(BigInt(Math.trunc(number)));
  }),
  conversion("int64_to_uint64", intType, uintType, (value) => {
    const number = typeof value === "number" || typeof value === "bigint" ? BigInt(value) : 0n;
    return number < 0n ? uintOverflow : uint(number);
  }),
  conversion("string_to_uint64", stringType, uintType, parsed(uintType, parseUint64)),
];

const toDouble: readonly Overload[] = [
  conversion("double_to_double", doubleType, doubleType, same),
  conversion("int64_to_double", intType, doubleType, (value) =>
    typeof value === "number" || typeof value === "bigint" ? double(Number(value)) : noSuchOverload,
  ),
  conversion("string_to_double", stringType, doubleType, parsed(doubleType, parseFloat64)),
  conversion("uint64_to_double", uintType, doubleType, (value) => double(Number(asUint(value)))),
];

const toString: readonly Overload[] = [
  conversion("string_to_string", stringType, stringType, same),
  conversion("bool_to_string", boolType, stringType, String),
  conversion("bytes_to_string", bytesType, stringType, (value) => {
    if (typeof value !== "object" || value?.kind !== "bytes") return noSuchOverload;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value.bytes);
    } catch {
      // The decoder throws on what is not UTF-8.
      return error("invalid UTF-8 in bytes, cannot convert to string");
    }
  }),
  conversion("double_to_string", doubleType, stringType, (value) => formatDouble(asDouble(value))),
  conversion("duration_to_string", durationType, stringType, (value) =>
    typeof value === "object" && value?.kind === "duration"
      ? formatDuration(value)
      : noSuchOverload,
  ),
  conversion("int64_to_string", intType, stringType, String),
  conversion("timestamp_to_string", timestampType, stringType, (value) =>
    typeof value === "object" && value?.kind === "timestamp"
      ? formatTimestamp(value)
      : noSuchOverload,
  ),
  conversion("uint64_to_string", uintType, stringType, (value) => String(asUint(value))),
];

const toOthers: readonly FunctionDeclaration[] = [
  declare("bool", [
    conversion("bool_to_bool", boolType, boolType, same),
    conversion("string_to_bool", stringType, boolType, parsed(boolType, parseBool)),
  ]),
  declare(
    "bytes",
    [
      conversion("bytes_to_bytes", bytesType, bytesType, same),
      conversion("string_to_bytes", stringType, bytesType, (value) =>
        typeof value === "string" ? bytes(new Uint8Array(Buffer.from(value))) : noSuchOverload,
      ),
    ],
    textConversion,
  ),
  declare("duration", [
    conversion("duration_to_duration", durationType, durationType, same),
    conversion("int64_to_duration", intType, durationType, (value) =>
      conversionError(value, durationType),
    ),
    conversion("string_to_duration", stringType, durationType, parsed(durationType, parseDuration)),
  ]),
  declare("timestamp", [
    conversion("timestamp_to_timestamp", timestampType, timestampType, same),
    conversion("int64_to_timestamp", intType, timestampType, (value) =>
      timestamp(Number(value), 0),
    ),
    conversion(
      "string_to_timestamp",
      stringType,
      timestampType,
      parsed(timestampType, parseTimestamp),
    ),
  ]),
  declareGeneric(
    "type",
    [
      {
        id: "type",
        isMember: false,
        args: [paramType("A")],
        result: typeOfType(paramType("A")),
      },
    ],
    (value) => ({ kind: "type", name: typeName(typeOf(value)) }),
    fixed(1),
  ),
];

export const conversionFunctions: readonly FunctionDeclaration[] = [
  declare("int", toInt),
  declare("uint", toUint),
  declare("double", toDouble),
  declare("string", toString, textConversion),
  ...toOthers,
];

/** Functions that are evaluated once, at planning, when their argument is a constant. */
export const foldable: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

function asDouble(value: CelValue): number {
  return typeof value === "object" && value?.kind === "double" ? value.value : Number.NaN;
}

function asUint(value: CelValue): bigint {
  return typeof value === "object" && value?.kind === "uint" ? value.value : 0n;
}

function parseInt64(text: string): number | bigint | undefined {
  // A number with more digits is out of range, and takes long to convert.
  if (!/^[+-]?0*\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return value < minInt || value > maxInt ? undefined : int(value);
}

function parseUint64(text: string): CelValue | undefined {
  if (!/^0*\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value > maxUint ? undefined : uint(value);
}

function parseFloat64(text: string): CelValue | undefined {
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (named !== null) {
    if (named[2]?.toLowerCase() === "nan") return double(Number.NaN);
    return double(named[1] === "-" ? -Infinity : Infinity);
  }
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? double(value) : undefined;
}

function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  return undefined;
}
