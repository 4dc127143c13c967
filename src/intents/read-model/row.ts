// A compact row for one resource: what lists show, filter and sort by. The columns of a kind are
// its printer columns. Values that the kind hides or seals are removed before a column is read, so
// no secret becomes a column, and long texts are cut.

import { canonicalJson } from "../../kernel/canonical-json.ts";
import { withCurrentConditions } from "../../kernel/current-conditions.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { isNumber } from "../../kernel/int64.ts";
import { compileJsonPath } from "../../kernel/json-path.ts";
import type { JsonPath } from "../../kernel/json-path.ts";
import type { Json } from "../../kernel/json.ts";
import type { Kind, PrinterColumn } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { withoutHidden } from "../write/hidden-fields.ts";
import { judge } from "./state.ts";
import type { ResourceState } from "./state.ts";

export type Cell = string | number | bigint | boolean | null;

export interface Row {
  /** Empty in cluster scope. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly created: string;
  readonly generation: number;
  readonly state: ResourceState;
  readonly reason: string;
  readonly labels: Labels;
  /** In the order of the projection's columns. */
  readonly cells: readonly Cell[];
}

export type Labels = Readonly<Record<string, string>>;

export interface Column {
  /** As in "storage-gib", from the name "Storage GiB". */
  readonly key: string;
  readonly title: string;
  readonly type: "text" | "number" | "boolean";
}

/** How the documents of a kind become rows. */
export interface Projection {
  readonly served: ServedKind;
  readonly columns: readonly Column[];
  rowOf(record: Projected): Row;
}

export interface Projected {
  readonly key: { readonly namespace: string; readonly name: string };
  readonly uid: string;
  readonly revision: number;
  readonly body: Buffer;
}

export function projectionOf(served: ServedKind): Projection {
  const columns = columnsOf(served);
  const kind = withSealedHidden(served.storedKind);
  const hasSecrets = kind.fieldRules.length > 0;
  return {
    served,
    columns: columns.map(({ key, title, type }) => ({ key, title, type })),
    rowOf: ({ key, uid, revision, body }) => {
      const stored = decodeDocument(body, revision);
      const shown = hasSecrets ? withoutHidden(kind, stored) : stored;
      const { metadata } = shown;
      const current = withCurrentConditions(shown);
      return {
        namespace: key.namespace,
        name: key.name,
        uid,
        revision,
        created: metadata.creationTimestamp,
        generation: metadata.generation,
        ...judge(shown, served.isReconciled),
        labels: metadata.labels ?? noLabels,
        cells: columns.map((column) => cellOf(column, current)),
      };
    },
  };
}

/** Shared by all rows without labels. */
const noLabels: Labels = Object.freeze({});

/** The rules that keep values secret. A sealed value may be shown, but never in a row. */
export function withSealedHidden({ fieldRules }: Pick<Kind, "fieldRules">): {
  readonly fieldRules: Kind["fieldRules"];
} {
  return {
    fieldRules: fieldRules.flatMap((rule) => {
      if (rule.rule === "sealed") return [{ ...rule, rule: "secret" as const }];
      return rule.rule === "secret" || rule.rule === "write-only" ? [rule] : [];
    }),
  };
}

interface CompiledColumn extends Column {
  readonly path: JsonPath;
}

function columnsOf({ storage }: ServedKind): readonly CompiledColumn[] {
  const columns: CompiledColumn[] = [];
  const taken = new Set<string>();
  for (const printed of storage.definition.printerColumns) {
    const column = compiledColumn(printed);
    const isFull = columns.length >= limits.maxReadModelColumns;
    if (column === undefined || taken.has(column.key) || isFull) continue;
    taken.add(column.key);
    columns.push(column);
  }
  return columns;
}

/** Undefined for a column whose path cannot be read, or that has no usable name. */
function compiledColumn({ name, type, jsonPath }: PrinterColumn): CompiledColumn | undefined {
  const key = columnKey(name);
  if (key === "") return undefined;
  try {
    return { key, title: name, type: cellTypes[type], path: compileJsonPath(jsonPath) };
  } catch (error) {
    if (isSetpointError(error, "request.invalid")) return undefined;
    throw error;
  }
}

const cellTypes = {
  string: "text",
  date: "text",
  integer: "number",
  number: "number",
  boolean: "boolean",
} as const;

/** "Storage GiB" becomes "storage-gib". */
export function columnKey(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function cellOf({ path, type }: CompiledColumn, resource: Resource): Cell {
  const value = path.find(resource)?.[0];
  if (value === undefined || value === null) return null;
  if (type === "number") return isNumber(value) ? value : null;
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  return textOf(value).slice(0, limits.maxReadModelTextChars);
}

function textOf(value: Json): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? canonicalJson(value) : String(value);
}
