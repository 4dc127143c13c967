// What the write path knows of resources whose objects are kept in a service outside: a field that
// is fixed at the creation is the creation of the object there, not that of the resource. Until
// then it may change, and after it where the resource says that the object may be made anew, or
// where it only begins to say what the object has already, as after an adoption by id alone.

import { equalJson } from "./json.ts";
import type { Json } from "./json.ts";
import { presentObjectAt, textAt, textsAt } from "./json-read.ts";
import { getAt, parsePointer } from "./pointer.ts";
import type { Resource } from "./resource.ts";

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
