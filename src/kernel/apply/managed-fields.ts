// metadata.managedFields, read and written: who owns which fields, by which operation, through
// which version. An entry that nothing happened to is written back as the very object it was read
// from, so an unchanged owner costs nothing and compares equal. Bad entries are reported in the
// words of the Kubernetes API; what a stored object holds is never trusted to be well formed.

import { invalidField, requiredField, tooLongField, unsupportedField } from "../field-error.ts";
import type { FieldError } from "../field-error.ts";
import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { textAt } from "../json-read.ts";
import { limits } from "../limits.ts";
import { decodeFieldSet, sortedSet } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";

export type Operation = "Apply" | "Update";

export interface Manager {
  readonly name: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry this was read from, as long as it says the same. */
  readonly entry: JsonObject | undefined;
}

/** Managers by their identity. */
export type Managers = ReadonlyMap<string, Manager>;

export type ManagerIdentity = Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">;

/** Appliers are one and the same in all versions, updaters are not. */
export function managerId(manager: ManagerIdentity): string {
  const { name, operation, apiVersion, subresource } = manager;
  const version = operation === "Apply" ? "" : apiVersion;
  return `${name}\n${operation}\n${version}\n${subresource}`;
}

/** The text that orders managers in messages and among those of one second. */
export function managerOrder(manager: ManagerIdentity): string {
  const { name, operation, apiVersion, subresource } = manager;
  return JSON.stringify({
    manager: name === "" ? undefined : name,
    operation,
    apiVersion: operation === "Apply" || apiVersion === "" ? undefined : apiVersion,
    subresource: subresource === "" ? undefined : subresource,
  });
}

export type DecodedManagers =
  | { readonly kind: "managers"; readonly managers: Managers }
  | { readonly kind: "malformed"; readonly problem: string };

export function decodeManagedFields(list: Json | undefined): DecodedManagers {
  const managers = new Map<string, Manager>();
  if (list === undefined || list === null) return { kind: "managers", managers };
  if (!isJsonArray(list)) return malformed("managedFields must be a list");
  for (const [index, entry] of list.entries()) {
    if (!isJsonObject(entry)) return malformed(operationProblem);
    const problem = entryProblem(entry, index);
    if (problem !== undefined) return malformed(problem);
    const decoded = decodeFieldSet(entry["fieldsV1"]);
    if (decoded.kind === "malformed") {
      return malformed(`error decoding versioned set: error decoding set: ${decoded.problem}`);
    }
    const manager: Manager = {
      name: textAt(entry, "manager"),
      operation: entry["operation"] === "Apply" ? "Apply" : "Update",
      apiVersion: textAt(entry, "apiVersion"),
      subresource: textAt(entry, "subresource"),
      time: typeof entry["time"] === "string" ? entry["time"] : undefined,
      fields: decoded.set,
      entry: decoded.set === entry["fieldsV1"] ? entry : undefined,
    };
    managers.set(managerId(manager), manager);
  }
  return { kind: "managers", managers };
}

/** Why a list of entries cannot be used, or undefined when it can. */
export function managedFieldsProblem(list: Json | undefined): string | undefined {
  const decoded = decodeManagedFields(list);
  return decoded.kind === "malformed" ? decoded.problem : undefined;
}

/** The checks that validation of metadata makes, entry by entry. */
export function validateManagedFields(list: readonly Json[], path: string): readonly FieldError[] {
  return list.flatMap((entry, index) =>
    isJsonObject(entry) ? entryErrors(entry, `${path}[${index}]`) : [],
  );
}

/** The name of a manager is short and printable; whether it may be empty is for the caller. */
export function validateManagerName(name: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(name) > limits.maxFieldManagerLength) {
    errors.push(tooLongField(path, limits.maxFieldManagerLength));
  }
  let position = 0;
  for (const character of name) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      const detail = `invalid character U+${code} (at position ${position})`;
      errors.push(invalidField(path, name, detail));
    }
    position += Buffer.byteLength(character);
  }
  return errors;
}

/** A list that asks to forget all owners: an empty one, or one with a single empty entry. */
export function isReset(list: Json | undefined): boolean {
  if (!isJsonArray(list)) return false;
  const [first] = list;
  if (list.length === 0) return true;
  return list.length === 1 && isJsonObject(first) && Object.keys(first).length === 0;
}

/** The entries in their stored order, or undefined when nobody owns anything. */
export function encodeManagers(managers: Managers): readonly JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  const sorted = [...managers.values()];
  if (sorted.length > 1) sorted.sort(compareManagers);
  return sorted.map(encodedEntry);
}

/** The same manager with other fields. */
export function withFields(manager: Manager, fields: FieldSet): Manager {
  return fields === manager.fields ? manager : { ...manager, fields, entry: undefined };
}

export function secondsOf(time: string | undefined): number {
  if (time === undefined) return 0;
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1_000);
}

const operationProblem = "operation must be `Apply` or `Update`";
const maxSubresourceLength = 256;

function malformed(problem: string): DecodedManagers {
  return { kind: "malformed", problem };
}

function entryProblem(entry: JsonObject, index: number): string | undefined {
  const { operation, apiVersion, fieldsType } = entry;
  if (operation !== "Apply" && operation !== "Update") return operationProblem;
  if (textAt(apiVersion) === "") return "apiVersion must not be empty";
  if (fieldsType === "FieldsV1") return undefined;
  const type = textAt(fieldsType);
  if (type === "") return `missing fieldsType in managed fields entry ${index}`;
  return `invalid fieldsType ${JSON.stringify(type)} in managed fields entry ${index}`;
}

function entryErrors(entry: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const operation = textAt(entry, "operation");
  const fieldsType = textAt(entry, "fieldsType");
  const manager = textAt(entry, "manager");
  if (operation === "") errors.push(requiredField(`${path}.operation`, "must not be empty"));
  else if (operation !== "Apply" && operation !== "Update") {
    errors.push(unsupportedField(`${path}.operation`, operation, ["Apply", "Update"]));
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    errors.push(invalidField(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
  }
  errors.push(...validateManagerName(manager, `${path}.manager`));
  if (textAt(entry, "subresource").length > maxSubresourceLength) {
    errors.push(tooLongField(`${path}.subresource`, maxSubresourceLength));
  }
  return errors;
}

function encodedEntry(manager: Manager): JsonObject {
  const { name, operation, apiVersion, subresource, time, fields, entry } = manager;
  if (entry !== undefined) return entry;
  const encoded: { [key: string]: Json } = { manager: name, operation, apiVersion };
  if (time !== undefined) encoded["time"] = time;
  encoded["fieldsType"] = "FieldsV1";
  encoded["fieldsV1"] = sortedSet(fields);
  if (subresource !== "") encoded["subresource"] = subresource;
  return encoded;
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
