import { kindNamed } from "../../api/kinds.ts";
import { mayOn } from "../../api/rights.ts";

/** Why the user cannot create a resource of the kind; undefined while that is not known. */
export function createOff(kindId: string, namespace = ""): string | undefined {
  const kind = kindNamed(kindId);
  if (kind === undefined || mayOn(kind, { namespace, verb: "create" }) !== false) return undefined;
  return `You may not create ${kind.plural}${namespace === "" ? "" : ` in ${namespace}`}.`;
}
