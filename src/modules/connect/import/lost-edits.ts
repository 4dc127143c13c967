// What a person changed in a definition that an import makes anew. Fields are kept by the RestKind;
// names and columns are not, and who has changed them shall not find that out by a client that no
// longer knows the kind.

import { equalJson, getOwn } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Problem } from "../document/problem.ts";

/** A warning for each name that becomes another one, and each column that goes. */
export function lostEdits(file: string, before: JsonObject, after: JsonObject): readonly Problem[] {
  const [was, now] = [before, after].map((one) => objectAt(one, "spec", "names"));
  const warning = (pointer: string, message: string): Problem => ({
    severity: "warning",
    file,
    pointer,
    message: `${message}: the import wrote the definition again, so repeat the change`,
  });
  const names = Object.entries(now ?? {}).flatMap(([key, value]) => {
    const old = getOwn(was ?? {}, key);
    if (old === undefined || equalJson(old, value)) return [];
    const message = `was ${JSON.stringify(old)} and is ${JSON.stringify(value)} now`;
    return [warning(`/spec/names/${key}`, message)];
  });
  const left = new Set(columnsOf(after));
  const columns = columnsOf(before).filter((name) => !left.has(name));
  const pointer = "/spec/versions/0/additionalPrinterColumns";
  return [...names, ...columns.map((name) => warning(pointer, `the column ${name} was removed`))];
}

function columnsOf(definition: JsonObject): readonly string[] {
  return objectsAt(definition, "spec", "versions").flatMap((version) =>
    objectsAt(version, "additionalPrinterColumns").map((column) => textAt(column, "name")),
  );
}
