// The items of a list, or one object, in another form than stored JSON: Tables, metadata, YAML,
// protobuf, or JSON for people. The form is data, so that a thread can do the work, which takes
// time in proportion to the documents. Small answers are made on the event loop.

import type { HeavyFunctions } from "../../kernel/heavy-work.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { PrinterColumn } from "../../kernel/kind.ts";
import { formatYaml } from "../../kernel/yaml.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import type { Form } from "./negotiate.ts";
import { encodeProtobuf } from "./protobuf/envelope.ts";
import type { ColumnSource } from "./table/table.ts";
import { partialObjectMetadata } from "./table/partial-metadata.ts";
import { columnSource, tableColumns, tableOf, tableRow } from "./table/table.ts";
import type { IncludeObject } from "./table/table.ts";

/** Everything that the bytes depend on besides the documents. */
export interface ItemForm {
  readonly encoding: Form["encoding"];
  readonly as: Form["as"];
  readonly metaVersion: Form["metaVersion"];
  readonly isPretty: boolean;
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
  readonly columns: ColumnSource;
}

export interface ItemFormInput {
  readonly found: Found;
  readonly form: Form;
  readonly isPretty: boolean;
  readonly includeObject: () => IncludeObject;
  readonly nowMs: number;
}

export function itemForm(input: ItemFormInput): ItemForm {
  const { form, isPretty, nowMs, found } = input;
  const { encoding, as, metaVersion } = form;
  const includeObject = as === "table" ? input.includeObject() : "Metadata";
  return { encoding, as, metaVersion, isPretty, includeObject, nowMs, columns: columnsOf(found) };
}

export function columnsOf({ served, version }: Found): ColumnSource {
  return columnSource(served.kind, version.definition);
}

/** Some items as they are written between the first and the last bytes of a list. */
export function itemsText(items: readonly JsonObject[], form: ItemForm): string {
  const shaped = shapedItems(items, form);
  if (form.encoding === "yaml") return formatYaml(shaped);
  if (!form.isPretty) return JSON.stringify(shaped).slice(1, -1);
  // A line break in JSON is between tokens: texts escape theirs.
  return JSON.stringify(shaped, undefined, 2).slice(1, -2).replaceAll("\n", "\n  ");
}

function shapedItems(items: readonly JsonObject[], form: ItemForm): readonly Json[] {
  if (form.as === "object") return items;
  if (form.as === "metadata") {
    return items.map((item) => partialObjectMetadata(item, form.metaVersion));
  }
  const columns = tableColumns(form.columns);
  const options = { nowMs: form.nowMs, ...tableOptions(form) };
  return items.map((item) => tableRow(columns, item, options));
}

/** A whole answer: one object, or a list as stored JSON. */
export function wholeBytes(document: JsonObject, form: ItemForm): Buffer {
  const shaped = shapedDocument(document, form);
  switch (form.encoding) {
    case "yaml":
      return Buffer.from(formatYaml(shaped));
    case "protobuf":
      return Buffer.from(encodeProtobuf(shaped));
    case "json":
      return Buffer.from(
        form.isPretty ? JSON.stringify(shaped, undefined, 2) : `${JSON.stringify(shaped)}\n`,
      );
    default:
      return form.encoding satisfies never;
  }
}

function shapedDocument(document: JsonObject, form: ItemForm): JsonObject {
  if (form.as === "object") return document;
  if (form.as === "metadata") return partialObjectMetadata(document, form.metaVersion);
  const options = { nowMs: form.nowMs, ...tableOptions(form) };
  return tableOf(tableColumns(form.columns), [document], options);
}

function tableOptions({ includeObject, metaVersion }: ItemForm): {
  readonly includeObject: IncludeObject;
  readonly version: Form["metaVersion"];
} {
  return { includeObject, version: metaVersion };
}

export const shapeFunctions: HeavyFunctions = {
  "shape-items": (bytes, options) => ({
    bytes: Buffer.from(itemsText(parsed(bytes) as readonly JsonObject[], formIn(options))),
  }),
  "shape-whole": (bytes, options) => ({
    bytes: wholeBytes(parsed(bytes) as JsonObject, formIn(options)),
  }),
};

export function parsed(bytes: Buffer): Json {
  return parseExact(bytes.toString("utf8")) as Json;
}

/** A form as the options of a job: JSON has no undefined. */
export function optionsOf({ columns, ...form }: ItemForm): JsonObject {
  const { builtIn, printerColumns } = columns;
  return { ...form, builtIn: builtIn ?? null, printerColumns: printerColumns as unknown as Json };
}

/** The form in the options of a job. */
export function formIn({ builtIn, printerColumns, ...form }: JsonObject): ItemForm {
  const columns: ColumnSource = {
    builtIn: typeof builtIn === "string" ? builtIn : undefined,
    printerColumns: printerColumns as unknown as readonly PrinterColumn[],
  };
  return { ...(form as unknown as Omit<ItemForm, "columns">), columns };
}
