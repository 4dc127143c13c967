// A create-only field of a resource that is kept in a service is fixed when the object in the
// service is created, not when the resource is created. Until then the field may change. Afterwards
// it may change if the resource allows the object to be replaced, or if the spec only starts to
// state the value that the object already has, as after an adoption by id.

import { equalJson } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { presentObjectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";

/** Whether there is, or may be, an object in the service. */
export function isMadeOutside(resource: Resource): boolean {
  const status: Json | undefined = resource.status;
  const isNamed = ["path", "id"].some((key) => textAt(status, "connect", key) !== "");
  return isNamed || presentObjectAt(status, "connect", "creating") !== undefined;
}

/** Whether a create-only field at a pointer into the document may still be changed. */
export function mayStillChange(old: Resource, next: Resource, path: string): boolean {
  if (!isMadeOutside(old)) return true;
  const [part, ...tokens] = parsePointer(path);
  if (part !== "spec") return false;
  if (isWrittenDown(old, next, tokens)) return true;
  return textsAt(next["connect"], "replace").some((replaced) => {
    const above = parsePointer(replaced);
    return above.every((token, index) => token === "*" || token === tokens[index]);
  });
}

function isWrittenDown(old: Resource, next: Resource, tokens: readonly string[]): boolean {
  const at = (value: Json | undefined): Json | undefined =>
    value === undefined ? undefined : getAt(value, tokens);
  const shown = at(presentObjectAt(old.status, "observed"));
  return shown !== undefined && at(old.spec) === undefined && equalJson(at(next.spec), shown);
}
