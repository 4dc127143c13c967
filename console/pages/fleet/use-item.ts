import { fleetApi } from "../../api/fleet.ts";
import { kindNamed } from "../../api/kinds.ts";
import type { KindInfo } from "../../api/kinds.ts";
import { useQuery } from "../../query/query.ts";
import type { QueryState } from "../../query/query.ts";

export type Item<T> = QueryState<T> & { readonly kind: KindInfo | undefined };

/** One resource of the fleet, read again when it changes. */
export function useItem<T>(kindId: string | undefined, namespace: string, name: string): Item<T> {
  const kind = kindId === undefined ? undefined : kindNamed(kindId);
  const state = useQuery<T>(
    kind === undefined ? undefined : `fleet ${kind.id} ${namespace} ${name}`,
    async (signal) => {
      if (kind === undefined) throw new Error(`This server serves no ${kindId ?? "such kind"}.`);
      return await fleetApi.one<T>(kind, { namespace, name }, signal);
    },
    {
      live: (change) =>
        change.kind === kindId && change.name === name && (change.namespace ?? "") === namespace,
    },
  );
  return { ...state, kind };
}
