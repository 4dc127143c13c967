// Documents as watch frames in another form than stored JSON: Tables, metadata and protobuf. The
// form is data, so that a thread makes the frames of large documents (kernel/heavy-work.ts). A
// Table frame has no columns: only the first one of a watch has them, and they are put in when it
// is sent, so that all watches share the rest.

import type { HeavyFunctions } from "../../kernel/heavy-work.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { encodeWatchFrame } from "./protobuf/envelope.ts";
import { formIn, optionsOf, parsed } from "./shaped-items.ts";
import type { ItemForm } from "./shaped-items.ts";
import { partialObjectMetadata } from "./table/partial-metadata.ts";
import { tableColumns, tableOf } from "./table/table.ts";

export function shapedFrame(type: string, object: JsonObject, form: ItemForm): Buffer {
  return encodeFrame(type, shapedObject(object, form), form);
}

function shapedObject(object: JsonObject, form: ItemForm): JsonObject {
  const { as, metaVersion, nowMs, includeObject, columns } = form;
  if (as === "object") return object;
  if (as === "metadata") return partialObjectMetadata(object, metaVersion);
  const options = { nowMs, includeObject, withoutColumns: true, version: metaVersion };
  return tableOf(tableColumns(columns), [object], options);
}

export function encodeFrame(
  type: string,
  object: JsonObject,
  { encoding }: Pick<ItemForm, "encoding">,
): Buffer {
  if (encoding === "protobuf") return Buffer.from(encodeWatchFrame(type, object));
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

const frameTail = Buffer.from("}\n");

/** A frame with an object that is JSON already. */
export function jsonFrame(type: string, object: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, frameTail]);
}

const noColumns = Buffer.from('"columnDefinitions":null');

/** A Table frame in two parts: the columns are in the first, the second shares the memory. */
export function splitForColumns(
  frame: Buffer,
  { columns }: Pick<ItemForm, "columns">,
): readonly [head: Buffer, rest: Buffer] {
  const definitions = tableColumns(columns).map(({ definition }) => definition);
  // Only the type and the metadata of the Table are before it, and no text of a user.
  const at = frame.indexOf(noColumns);
  const inserted = `"columnDefinitions":${JSON.stringify(definitions)}`;
  const head = Buffer.concat([frame.subarray(0, at), Buffer.from(inserted)]);
  return [head, frame.subarray(at + noColumns.length)];
}

export const frameFunctions: HeavyFunctions = {
  /** A JSON list of documents; their frames follow each other. */
  "shape-frames": (bytes, options) => {
    const form = formIn(options);
    const type = textAt(options, "type");
    const objects = parsed(bytes) as readonly JsonObject[];
    return { bytes: Buffer.concat(objects.map((object) => shapedFrame(type, object, form))) };
  },
};

export function frameJob(
  type: string,
  items: Buffer,
  form: ItemForm,
): { readonly name: string; readonly bytes: Buffer; readonly options: JsonObject } {
  return { name: "shape-frames", bytes: items, options: { ...optionsOf(form), type } };
}
