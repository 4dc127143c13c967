// The types of CEL as the checker sees them, and their names in messages. Types are plain data;
// two types are the same when they are written the same way, so names are also their identity.

export type TypeKind =
  | "dyn"
  | "error"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "list"
  | "map"
  | "type"
  | "struct"
  | "opaque"
  | "param";

export interface CelType {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly CelType[];
  /** What can be selected from a struct, by the name used in expressions. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, params: [] });

export const dynType = simple("dyn");
export const errorType = simple("error", "!error!");
export const nullType = simple("null");
export const boolType = simple("bool");
export const intType = simple("int");
export const uintType = simple("uint");
export const doubleType = simple("double");
export const stringType = simple("string");
export const bytesType = simple("bytes");
export const timestampType = simple("timestamp");
export const durationType = simple("duration");
/** The type of a type whose subject is not known. */
export const typeType = simple("type");

export function listType(item: CelType): CelType {
  return { kind: "list", name: "list", params: [item] };
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", params: [key, value] };
}

export function typeOfType(subject: CelType): CelType {
  return { kind: "type", name: "type", params: [subject] };
}

export function optionalType(value: CelType): CelType {
  return { kind: "opaque", name: "optional_type", params: [value] };
}

export function opaqueType(name: string, ...params: readonly CelType[]): CelType {
  return { kind: "opaque", name, params };
}

export function structType(name: string, fields: ReadonlyMap<string, CelType>): CelType {
  return { kind: "struct", name, params: [], fields };
}

/** A struct of a library, whose fields nobody may select. */
export function closedStructType(name: string): CelType {
  return simple("struct", name);
}

export function paramType(name: string): CelType {
  return simple("param", name);
}

export function isDyn(type: CelType): boolean {
  return type.kind === "dyn";
}

export function isOptional(type: CelType): boolean {
  return type.kind === "opaque" && type.name === "optional_type";
}

/** The type inside an optional, or the type itself. */
export function unwrapOptional(type: CelType): CelType {
  return isOptional(type) ? (type.params[0] ?? dynType) : type;
}

/** As in "map(string, list(int))". */
export function formatType(type: CelType): string {
  if (type.params.length === 0) return type.name;
  return `${type.name}(${type.params.map(formatType).join(", ")})`;
}

/** As in "string.(int, int)" for a call on a receiver, or "(int, int)". */
export function formatCall(types: readonly CelType[], isMember: boolean): string {
  const [target, ...rest] = types;
  const args = isMember ? rest : types;
  const receiver = isMember && target !== undefined ? `${formatType(target)}.` : "";
  return `${receiver}(${args.map(formatType).join(", ")})`;
}

export function sameType(a: CelType, b: CelType): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => sameType(param, b.params[index] ?? errorType)))
  );
}
