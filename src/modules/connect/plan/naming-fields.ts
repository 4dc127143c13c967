// Fields whose values stand in addresses, and so in status, events and logs: they name the object.
// A secret must not be among them.

import { parsePointer } from "../../../kernel/pointer.ts";
import type { Binding } from "../binding.ts";

/** Whether a value put at the pointer would come into an address. */
export function isNaming(binding: Binding, pointer: string): boolean {
  const put = parsePointer(pointer);
  return namingFields(binding).some((field) => {
    const named = parsePointer(field);
    const shared = Math.min(put.length, named.length);
    return put.slice(0, shared).every((token, index) => token === named[index]);
  });
}

function namingFields({ identity, parameters = {}, element }: Binding): readonly string[] {
  const own =
    identity.kind === "composite"
      ? Object.values(identity.fields)
      : "field" in identity && identity.field !== undefined
        ? [identity.field]
        : [];
  const given = Object.values(parameters).flatMap((from) => ("field" in from ? from.field : []));
  return [...own, ...given, ...(element?.keys ?? [])];
}
