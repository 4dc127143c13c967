/** Computes what a run would do. Reads from the store and from the service, and writes nothing. */
import type { OpenPorts } from "../../../contract/ports.ts";
import type { Reference } from "../../../engine/reconciler.ts";
import { readStored } from "../../../intents/write/stored.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Clients } from "../http/clients.ts";
import { bindingOf, isEndingKind } from "../kinds/follow-kinds.ts";
import type { NamedHooks } from "../loop/hooks.ts";
import { preview } from "../loop/preview.ts";
import type { Preview } from "../loop/preview-result.ts";
import { siblingsIn } from "../loop/siblings.ts";
import { openTurns } from "../loop/turns.ts";

export interface Planner {
  readonly stored: (key: ResourceKey) => Promise<Resource | undefined>;
  readonly look: (kind: string, resource: Resource, signal: AbortSignal) => Promise<Preview>;
}

export type PlannerPorts = Pick<
  OpenPorts,
  "store" | "kinds" | "live" | "clock" | "timers" | "ids" | "random"
>;

export interface PlannerInput {
  readonly ports: PlannerPorts;
  readonly clients: Clients;
  readonly hooks: readonly NamedHooks[];
}

export function planner({ ports: given, clients, hooks }: PlannerInput): Planner {
  const { store, kinds, live, clock, timers, ids, random } = given;
  const stored = async (key: ResourceKey): Promise<Resource | undefined> => {
    const served = kinds.byId(key.kind);
    const record = served === undefined ? undefined : await store.get(key);
    if (served === undefined || record === undefined) return undefined;
    return await readStored(served, served.storage, record);
  };
  return {
    stored,
    look: async (kind, resource, signal) => {
      const compiled = bindingOf(live, kind);
      const none = `the RestKind ${kind} does not exist`;
      if (compiled === undefined) return { action: "refuse", message: none };
      const own = resource.metadata.namespace ?? "";
      const get = async ({ kind: id, namespace = own, name }: Reference) => {
        const isCluster = kinds.byId(id)?.kind.scope === "Cluster";
        return await stored({ kind: id, namespace: isCluster ? "" : namespace, name });
      };
      const ports = {
        clock,
        timers,
        ids,
        random,
        clients,
        siblings: siblingsIn(store),
        turns: openTurns(),
        get,
        hooksOf: (id: string) => hooks.filter((each) => each.hooks.kind === id),
        count: () => undefined,
        isEnding: (id: string) => isEndingKind(live, id),
      };
      return await preview(ports, compiled, resource, signal);
    },
  };
}
