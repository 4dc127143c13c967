// TableOptions: what each row of a Table carries besides its cells.

import { badRequest } from "../../intents/refusals.ts";
import type { IncludeObject } from "./table/table.ts";

const choices = new Set(["Metadata", "None", "Object"]);

export function includeObject(query: URLSearchParams): IncludeObject {
  const asked = query.get("includeObject");
  if (asked === null || asked === "") return "Metadata";
  if (choices.has(asked)) return asked as IncludeObject;
  const why = "must be 'Metadata', 'Object', 'None', or empty";
  throw badRequest(
    "Unable to convert to Table as requested: " +
      `includeObject: Invalid value: ${JSON.stringify(asked)}: ${why}`,
  );
}
