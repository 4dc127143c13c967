/** Looks ahead for those who ask what a run would do: reads here and there, writes nothing. */
import type { Reference } from "../../engine/reconciler.ts";
import { readStored } from "../../intents/write/stored.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Clients } from "../../modules/connect/http/clients.ts";
import { bindingOf, isEndingKind } from "../../modules/connect/kinds/follow-kinds.ts";
import type { NamedHooks } from "../../modules/connect/loop/hooks.ts";
import { preview } from "../../modules/connect/loop/preview.ts";
import type { Preview } from "../../modules/connect/loop/preview-result.ts";
import { siblingsIn } from "../../modules/connect/loop/siblings.ts";
import { openTurns } from "../../modules/connect/loop/turns.ts";
import type { ControlPlane, Surroundings } from "../control-plane.ts";

export interface Planner {
  readonly stored: (key: ResourceKey) => Promise<Resource | undefined>;
  readonly look: (kind: string, resource: Resource, signal: AbortSignal) => Promise<Preview>;
}

export interface PlannerInput {
  readonly plane: Pick<ControlPlane, "intents">;
  readonly surroundings: Surroundings;
  readonly clients: Clients;
  readonly hooks: readonly NamedHooks[];
}

export function planner({ plane, surroundings, clients, hooks }: PlannerInput): Planner {
  const { store, kinds, live } = plane.intents;
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
      const none = `there is no RestKind ${kind}`;
      if (compiled === undefined) return { action: "refuse", message: none };
      const own = resource.metadata.namespace ?? "";
      const get = async ({ kind: id, namespace = own, name }: Reference) => {
        const isCluster = kinds.byId(id)?.kind.scope === "Cluster";
        return await stored({ kind: id, namespace: isCluster ? "" : namespace, name });
      };
      const ports = {
        ...surroundings,
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
