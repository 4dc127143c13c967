// Whether an object of a list is the one that the parameters of a path name. Every part of the
// identity is compared. A part that the object does not show counts as equal only if the URL of the
// list already contains it. Without it, the object may or may not be the one that is sought.

import type { JsonObject } from "../../../kernel/json.ts";
import { escapeToken, getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Binding } from "../binding.ts";
import { pathText, templateNames } from "./requests.ts";
import type { Parameters } from "./requests.ts";

export type IdentityMatch =
  | { readonly kind: "same" }
  | { readonly kind: "other" }
  /** All that is shown fits, and the field is not shown. */
  | { readonly kind: "untold"; readonly field: string };

export function identityMatch(
  binding: Binding,
  object: JsonObject,
  wanted: Parameters,
): IdentityMatch {
  const inUrl = new Set(listNames(binding));
  let untold: string | undefined;
  for (const [name, pointers] of partsOf(binding)) {
    const shown = pointers.map((field) => pathText(getAt(object, parsePointer(field))));
    const value = shown.find((each) => each !== undefined);
    if (value === undefined && inUrl.has(name)) continue;
    if (value === undefined) untold ??= pointers[0] ?? "";
    else if (value !== wanted[name]) return { kind: "other" };
  }
  return untold === undefined ? { kind: "same" } : { kind: "untold", field: untold };
}

/** The topmost fields that name an object, as far as the binding says. */
export function identityKeys(binding: Binding): readonly string[] {
  const fields = partsOf(binding).flatMap(([, pointers]) => pointers.slice(0, 1));
  return fields.flatMap((field) => parsePointer(field).slice(0, 1));
}

/** Of each parameter that identifies the object, the fields that may show it, best first. */
function partsOf({ identity }: Binding): readonly (readonly [string, readonly string[]])[] {
  switch (identity.kind) {
    case "composite":
      return Object.entries(identity.fields).map(([name, field]) => [name, [field]]);
    case "singleton":
      return [];
    default: {
      const { field, parameter } = identity;
      if (field !== undefined) return [[parameter, [field]]];
      const own = `/${escapeToken(parameter)}`;
      return [[parameter, identity.kind === "server" ? ["/id"] : [own, "/name", "/id"]]];
    }
  }
}

/** The parameters in the URL of the list. */
function listNames({ operations, collection }: Binding): readonly string[] {
  const { list } = operations;
  const query = Object.values(list?.query ?? {}).join("");
  return [...templateNames(list?.path ?? collection ?? ""), ...templateNames(query)];
}
