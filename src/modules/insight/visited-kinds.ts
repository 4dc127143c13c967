// The kinds that a report covers, and a visit of all their rows that the caller may list.

import type { RoutePorts, RouteRequest } from "../../contract/route.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { eachRow } from "../../intents/read-model/query.ts";
import type { Row } from "../../intents/read-model/row.ts";
import { requireScope, scopeOf } from "../../intents/read-model/scope.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, numberAt, textAt } from "../../kernel/json-read.ts";
import { kindId } from "../../kernel/kind.ts";
import { bytePauses } from "../../kernel/pauses.ts";
import { kindNamed } from "./addressed.ts";
import { atLeastField, kindParameter, onlyNamespaceField } from "./schemas.ts";

export const reportFields: JsonObject = {
  kind: { type: "string", description: `Only this kind. ${kindParameter}` },
  namespace: onlyNamespaceField,
  builtIn: {
    type: "boolean",
    default: false,
    description: "Include built-in kinds such as configmaps. Has no effect together with `kind`.",
  },
  atLeast: atLeastField,
};

/** Returns the revision up to which the visit is complete. */
export async function visitKinds(
  ports: RoutePorts,
  { query, caller, signal }: Pick<RouteRequest, "query" | "caller" | "signal">,
  visit: (served: ServedKind, row: Row) => void,
): Promise<number> {
  const namespace = textAt(query, "namespace");
  const wanted = textAt(query, "kind");
  const atLeast = numberAt(query, "atLeast");
  const pauses = bytePauses(caller.tenant ?? "");
  let oldest = Number.POSITIVE_INFINITY;
  for (const served of kindsOf(ports, wanted, isTrueAt(query, "builtIn"))) {
    const asked = { authorizer: ports.authorizer, user: caller.user, served, namespace };
    const scope = scopeOf(asked);
    if (wanted !== "") requireScope(asked, scope);
    const isCluster = served.kind.scope !== "Namespaced";
    // Cluster-wide resources are in no namespace, and of others nothing may be visible.
    if (isCluster && (namespace !== "" || !scope.isWhole)) continue;
    const open = await ports.readModel.open(served, { atLeast, signal, pauses });
    const visitRow = (row: Row): void => visit(served, row);
    oldest = Math.min(oldest, await eachRow(ports, open, scope, visitRow, { signal, pauses }));
  }
  return Number.isFinite(oldest) ? oldest : (await ports.store.head()).revision;
}

export function idOf({ kind }: ServedKind): string {
  return kindId(kind);
}

function kindsOf(
  { kinds }: RoutePorts,
  wanted: string,
  withBuiltIn: boolean,
): readonly ServedKind[] {
  if (wanted !== "") return [kindNamed(kinds, wanted, "query.kind")];
  const all = kinds.all().filter(({ kind, verbs, form }) => {
    const isWanted = withBuiltIn || kind.origin === "definition";
    return isWanted && verbs.includes("list") && form === undefined;
  });
  // Two kinds may show the same stored resources: each is counted once.
  return [...new Map(all.map((served) => [served.id, served])).values()];
}
