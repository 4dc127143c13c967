/** Connect in a process: clients of services, admission, subresources and explanations. */
import type { OpenModule, WhyExplainer } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { hooksIn } from "./hooks-extension.ts";
import { openClients, systemLimits } from "./http/clients.ts";
import type { SystemLimits } from "./http/clients.ts";
import { streamOver } from "./http/event-stream.ts";
import { wireOver } from "./http/exchange.ts";
import { connectGuard } from "./kinds/connect-guard.ts";
import { connectionsKind } from "./kinds/connection-kind.ts";
import { holdFinalizer, isHeldKind, usersOf } from "./kinds/hold-used.ts";
import { isKeptKind } from "./kinds/kept-kind.ts";
import { restKindsKind } from "./kinds/rest-kind-kind.ts";
import type { ConnectOptions } from "./module.ts";
import { startConnect } from "./start.ts";
import { eventsSubresource } from "./subresources/events.ts";
import { planner } from "./subresources/planner.ts";
import { planSubresource } from "./subresources/plan.ts";

export function openConnect(ports: OpenPorts, options: ConnectOptions): OpenModule {
  const { live, authorizer, openHttp } = ports;
  const { openWire = wireOver(openHttp), followStream = streamOver(openHttp) } = options;
  const hooks = hooksIn(ports.extensions);
  const clients = openClients({ ...ports, openWire });
  const isKept = (kind: string): boolean => isKeptKind(live, kind);
  const plans = { planner: planner({ ports, clients, hooks }), authorizer, isKept };
  return {
    admission: [connectGuard(live, hooks, authorizer)],
    subresources: [planSubresource(plans), eventsSubresource],
    explainers: [explainerOf(ports)],
    reconciles: (name) => live.get({ kind: restKindsKind, namespace: "", name }) !== undefined,
    policyOf: connectionPolicies(ports),
    start: (more) => startConnect({ ports, more, clients, hooks, followStream }),
    close: () => clients[Symbol.dispose](),
  };
}

/** As many resources that hold a Connection or a RestKind are shown. */
const shownHolders = 20;

function explainerOf(ports: Pick<OpenPorts, "live" | "store">): WhyExplainer {
  return {
    holders: async ({ kind, name }, { metadata }) => {
      if (metadata.deletionTimestamp === undefined || !isHeldKind(kind)) return [];
      const users = await usersOf(ports, kind, name, shownHolders);
      const message = "needed until the resources that use it are deleted";
      return [{ finalizer: holdFinalizer, message, keys: users.map(({ key }) => key) }];
    },
    unreported: ({ kind }) =>
      kind === connectionsKind ? "not used yet: no resource has needed it" : undefined,
  };
}

/** The limits of each Connection, as its spec has them now. */
function connectionPolicies({
  live,
}: Pick<OpenPorts, "live">): NonNullable<OpenModule["policyOf"]> {
  const known = new Map<string, { readonly version: string; readonly policy: SystemLimits }>();
  return (system) => {
    const [, name] = /^connection\/(.+)$/.exec(system) ?? [];
    if (name === undefined) return undefined;
    const record = live.get({ kind: connectionsKind, namespace: "", name });
    if (record === undefined) return undefined;
    const { uid, generation } = record.resource.metadata;
    const version = `${uid} ${generation}`;
    const kept = known.get(name);
    if (kept?.version === version) return kept.policy;
    const policy = systemLimits(objectAt(record.resource, "spec"));
    known.set(name, { version, policy });
    return policy;
  };
}
