// What the write path knows of resources whose objects are kept in a service outside: a field that
// is fixed at the creation is the creation of the object there, not that of the resource. Until
// then it may change, and after it where the resource says that the object may be made anew.

import type { Json } from "./json.ts";
import { presentObjectAt, textAt, textsAt } from "./json-read.ts";
import { parsePointer } from "./pointer.ts";
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
  return textsAt(next["connect"], "replace").some((replaced) => {
    const above = parsePointer(replaced);
    return above.every((token, index) => token === "*" || token === tokens[index]);
  });
}
