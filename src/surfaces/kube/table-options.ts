// TableOptions: what each row of a Table carries besides its cells.

import { unsupportedField } from "../../kernel/field-error.ts";
import { invalidOptions } from "../../intents/refusals.ts";
import type { IncludeObject } from "./table/table.ts";

const choices = ["Metadata", "None", "Object"];

export function includeObject(query: URLSearchParams): IncludeObject {
  const asked = query.get("includeObject");
  if (asked === null || asked === "") return "Metadata";
  if (choices.includes(asked)) return asked as IncludeObject;
  throw invalidOptions("TableOptions", [unsupportedField("includeObject", asked, choices)]);
}
