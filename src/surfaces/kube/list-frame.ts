// What surrounds the items of a list in each form, so that a list can be sent in parts: the first
// bytes, the bytes between two parts, and the last bytes.

import type { JsonObject } from "../../kernel/json.ts";
import { formatYaml } from "../../kernel/yaml.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import { listFields } from "./list.ts";
import type { ItemForm } from "./shaped-items.ts";
import { metadataListFields } from "./table/partial-metadata.ts";
import { tableColumns, tableFields } from "./table/table.ts";

export interface ListFrame {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  /** The whole list when it has no items. */
  readonly empty: string;
}

export function listFrame(found: Found, metadata: JsonObject, form: ItemForm): ListFrame {
  const fields = fieldsOf(found, metadata, form);
  const key = form.as === "table" ? "rows" : "items";
  return form.encoding === "yaml" ? yamlFrame(fields, key) : jsonFrame(fields, key, form.isPretty);
}

function fieldsOf(found: Found, metadata: JsonObject, form: ItemForm): JsonObject {
  if (form.as === "object") return listFields(found, metadata);
  if (form.as === "metadata") return metadataListFields(metadata, form.metaVersion);
  return tableFields(tableColumns(form.columns), metadata, form.metaVersion);
}

/** YAML has its keys sorted, so the items are somewhere between them. */
function yamlFrame(fields: JsonObject, key: string): ListFrame {
  const part = (isWanted: (name: string) => boolean): string => {
    const entries = Object.entries(fields).filter(([name]) => isWanted(name));
    return entries.length === 0 ? "" : formatYaml(Object.fromEntries(entries));
  };
  const before = part((name) => name < key);
  const tail = part((name) => name > key);
  const empty = `${before}${key}: []\n${tail}`;
  return { head: `${before}${key}:\n`, separator: "", tail, empty };
}

function jsonFrame(fields: JsonObject, key: string, isPretty: boolean): ListFrame {
  if (!isPretty) {
    const head = `${JSON.stringify(fields).slice(0, -1)},"${key}":[`;
    return { head, separator: ",", tail: "]}\n", empty: `${head}]}\n` };
  }
  const head = `${JSON.stringify(fields, undefined, 2).slice(0, -2)},\n  "${key}": [`;
  return { head, separator: ",", tail: "\n  ]\n}", empty: `${head}]\n}` };
}
