// Whether a resource says in which parent its object is. Without that there is no address, and no
// request can be made: better said at once than found out by a run.

import type { Binding, Management } from "../binding.ts";
import { templateNames } from "./requests.ts";

/** What to say about a resource that names no parent, where it has to. */
export function unnamedParent(binding: Binding, management: Management): string | undefined {
  const { parent, parameters = {}, identity } = binding;
  if (parent?.kind === undefined || management.parent !== undefined) return undefined;
  const given = management.parameters ?? {};
  const own = identity.kind === "composite" ? identity.fields : {};
  const lacking = templateNames(parent.path).find((name) => {
    const source = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const isKnown = source !== undefined && !("given" in source);
    return !isKnown && !Object.hasOwn(given, name) && !Object.hasOwn(own, name);
  });
  if (lacking === undefined) return undefined;
  return (
    `set connect.parent.name to the name of its ${parent.kind} ` +
    `(or set connect.parameters.${lacking} if the parent is not managed here)`
  );
}
