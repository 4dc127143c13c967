/** The fleet of a process: what it follows, and the admission of its kinds. */
import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { agentDiscovery } from "./api/agent-discovery.ts";
import { instanceGuard } from "./admission/instance-guard.ts";
import { recordGuard } from "./admission/record-guard.ts";
import { clusterGuard } from "./clusters/cluster-guard.ts";
import type { FleetState } from "./fleet-state.ts";
import { callHooks } from "./hooks/call-hooks.ts";
import { hooksIn } from "./hooks/fleet-extension.ts";
import { extraRoutes } from "./hooks/own-routes.ts";
import { removalGuard } from "./lifecycle/automatic-removal.ts";
import { createMaintenance } from "./maintenance.ts";
import { followMembers } from "./member-directory.ts";
import { offeringGuard } from "./offerings/offering-guard.ts";
import { followOfferings } from "./offerings/offering-index.ts";
import { organisationGuard } from "./organisations/organisation-guard.ts";
import { organisationsIn } from "./organisations/organisation-index.ts";
import type { ClusterIndex } from "./placement/cluster-index.ts";
import { probeGuard } from "./probe/probe-guard.ts";
import { quotaChecks } from "./quota-service/quota-check.ts";
import { rolloutGuard } from "./rollouts/rollout-guard.ts";
import { scalingGuard } from "./scaling/scaling-guard.ts";
import { startFleet } from "./start.ts";

export function openFleet(ports: OpenPorts): OpenModule {
  const { live } = ports;
  using opened = new DisposableStack();
  const offerings = opened.use(followOfferings(live));
  const directory = opened.use(followMembers(live));
  const organisations = organisationsIn(live);
  let clusters: ClusterIndex | undefined;
  const hooks = callHooks(hooksIn(ports.extensions), ports.timers);
  const maintenance = createMaintenance();
  const offered: FleetState = {
    offerings,
    organisations,
    directory,
    hooks,
    clusters: () => clusters,
    maintenance,
    extraRoutes: extraRoutes(ports.extensions),
    openHttp: ports.openHttp,
    meter: ports.meter,
  };
  const useClusters = (index: ClusterIndex | undefined): void => {
    clusters = index;
  };
  const followed = opened.move();
  return {
    admission: [
      offeringGuard(ports),
      organisationGuard({ store: ports.store, offerings }),
      clusterGuard({ ...ports, offerings }),
      rolloutGuard({ live, offerings }),
      scalingGuard({ authorizer: ports.authorizer, offerings }),
      probeGuard({ offerings, organisations }),
      removalGuard,
      recordGuard,
      instanceGuard({ live, ids: ports.ids, state: offered, checkQuota: quotaChecks(ports) }),
    ],
    offered,
    routes: (more) => [agentDiscovery(more, offered)],
    healthChecks: [maintenance.check],
    reconciles: (kind) => offerings.byKind(kind) !== undefined,
    start: (more) => startFleet({ ports, more, state: offered, useClusters }),
    close: () => followed.dispose(),
  };
}
