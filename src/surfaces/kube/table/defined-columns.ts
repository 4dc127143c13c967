// Columns of kinds that come from definitions: Name, then the printer columns of the version, or
// Age when there are none. What is missing or of another type is shown as null. A column whose
// path cannot be read ends the columns before it, as kube-apiserver does.

import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { compileJsonPath } from "../../../kernel/json-path.ts";
import type { JsonPath } from "../../../kernel/json-path.ts";
import type { Json } from "../../../kernel/json.ts";
import type { KindVersion, PrinterColumn } from "../../../kernel/kind.ts";
import { column, creationDescription, nameColumn } from "./column.ts";
import type { Column } from "./column.ts";
import { ageOf } from "./human-duration.ts";

const defaultColumns: readonly PrinterColumn[] = [
  {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: creationDescription,
  },
];

export function definedColumns(version: Pick<KindVersion, "printerColumns">): readonly Column[] {
  const { printerColumns } = version;
  const columns: Column[] = [nameColumn()];
  for (const printed of printerColumns.length > 0 ? printerColumns : defaultColumns) {
    const path = compiledOrUndefined(printed.jsonPath);
    if (path === undefined) break;
    columns.push(definedColumn(printed, path));
  }
  return columns;
}

function compiledOrUndefined(text: string): JsonPath | undefined {
  try {
    return compileJsonPath(text);
  } catch (error) {
    if (isSetpointError(error, "request.invalid")) return undefined;
    throw error;
  }
}

function definedColumn(printed: PrinterColumn, path: JsonPath): Column {
  const { name, type, format = "", jsonPath, priority = 0 } = printed;
  const fallback = `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  const description = (printed.description ?? "") === "" ? fallback : (printed.description ?? "");
  return column({ name, type, format, description, priority }, (object, nowMs) => {
    const value = path.find(object)?.[0];
    return value === undefined ? null : cellOf(type, value, nowMs);
  });
}

function cellOf(type: PrinterColumn["type"], value: Json, nowMs: number): Json {
  if (type === "string") return printedText(value);
  if (type === "date") return typeof value === "string" ? ageOf(value, nowMs) : null;
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") return null;
  return type === "integer" ? Math.trunc(value) : value;
}

/** Text as Go prints it; lists and objects as JSON with sorted keys. */
function printedText(value: Json): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return printedNumber(value);
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return value === null ? "<no value>" : escapedJson(canonicalJson(value));
  }
}

/** Exponents have two digits at least, and begin below 0.0001 instead of 0.000001. */
function printedNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e21)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return String(value);
}

function escapedJson(text: string): string {
  return text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
