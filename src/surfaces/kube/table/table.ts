// Kubernetes Tables: what `kubectl get` prints. The columns of a version are compiled once and kept
// as long as the version lives, so that a row costs no more than its cells.

import { withCurrentConditions } from "../../../kernel/current-conditions.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { kindId } from "../../../kernel/kind.ts";
import type { Kind, KindVersion, PrinterColumn } from "../../../kernel/kind.ts";
import { builtInColumns } from "./built-in-columns.ts";
import type { Column } from "./column.ts";
import { definedColumns } from "./defined-columns.ts";
import { listMetadata, partialObjectMetadata } from "./partial-metadata.ts";
import type { ListMetadata, MetaVersion } from "./partial-metadata.ts";

export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  readonly nowMs: number;
  /** What each row carries besides its cells; Metadata unless told. */
  readonly includeObject?: IncludeObject;
  /** Of the list; a Table of one object has the object's resource version without it. */
  readonly metadata?: ListMetadata;
  /** True for all events of a watch but the first. */
  readonly withoutColumns?: boolean;
  /** Of meta.k8s.io; v1 unless told. */
  readonly version?: MetaVersion;
}

export function tableFor(
  kind: Kind,
  version: KindVersion,
  objects: readonly JsonObject[],
  options: TableOptions,
): JsonObject {
  return tableOf(tableColumns(columnSource(kind, version)), objects, options);
}

export function tableOf(
  columns: readonly Column[],
  objects: readonly JsonObject[],
  options: TableOptions,
): JsonObject {
  const { withoutColumns = false, version = "v1" } = options;
  const fields = tableFields(columns, options.metadata ?? ownMetadata(objects), version);
  const rows = objects.map((object) => tableRow(columns, object, options));
  return withoutColumns ? { ...fields, columnDefinitions: null, rows } : { ...fields, rows };
}

/** What a Table has besides its rows. */
export function tableFields(
  columns: readonly Column[],
  metadata: ListMetadata,
  version: MetaVersion,
): JsonObject {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetadata(metadata),
    columnDefinitions: columns.map(({ definition }) => definition),
  };
}

/** One row, for lists that are written in parts. */
export function tableRow(
  columns: readonly Column[],
  object: JsonObject,
  options: Pick<TableOptions, "nowMs" | "includeObject" | "version">,
): JsonObject {
  const shown = withCurrentConditions(object);
  const cells = columns.map((column) => column.cell(shown, options.nowMs));
  return { cells, object: included(object, options) };
}

/** Where the columns of a kind come from. */
export interface ColumnSource {
  /** The id of a built-in kind, whose columns are code. */
  readonly builtIn: string | undefined;
  readonly printerColumns: readonly PrinterColumn[];
}

/** The same object for each use of a version. */
export function columnSource(kind: Kind, version: KindVersion): ColumnSource {
  const known = sources.get(version);
  if (known !== undefined) return known;
  const isBuiltIn = kind.origin === "built-in";
  const source = {
    builtIn: isBuiltIn ? kindId(kind) : undefined,
    printerColumns: isBuiltIn ? [] : version.printerColumns,
  };
  sources.set(version, source);
  return source;
}

/** The columns of a source; compiled once. */
export function tableColumns(source: ColumnSource): readonly Column[] {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const { builtIn, printerColumns } = source;
  const columns =
    builtIn === undefined ? definedColumns({ printerColumns }) : builtInColumns(builtIn);
  compiled.set(source, columns);
  return columns;
}

const sources = new WeakMap<KindVersion, ColumnSource>();
const compiled = new WeakMap<ColumnSource, readonly Column[]>();

function included(
  object: JsonObject,
  { includeObject = "Metadata", version = "v1" }: Pick<TableOptions, "includeObject" | "version">,
): Json {
  if (includeObject === "None") return null;
  return includeObject === "Object" ? object : partialObjectMetadata(object, version);
}

function ownMetadata([object]: readonly JsonObject[]): ListMetadata {
  if (object === undefined) return {};
  return { resourceVersion: textAt(object, "metadata", "resourceVersion") };
}
