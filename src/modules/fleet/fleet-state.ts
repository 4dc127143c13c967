// What a process knows about the fleet, for admission, placement, reconcilers and the surface. All
// of it follows the store.

import type { OpenHttp } from "../../adapters/http/port.ts";
import type { ModuleMeter } from "../../contract/ports.ts";
import type { ExtraRoutes } from "./api/fleet-route.ts";
import type { OfferingHooks } from "./hooks/hooks.ts";
import type { MemberDirectory } from "./identity.ts";
import type { Maintenance } from "./maintenance.ts";
import type { OfferingIndex } from "./offerings/offering-index.ts";
import type { OrganisationIndex } from "./organisations/organisation-index.ts";
import type { ClusterIndex } from "./placement/cluster-index.ts";

/** Offered to the surface of the module. */
export interface FleetState {
  readonly offerings: OfferingIndex;
  readonly organisations: OrganisationIndex;
  readonly directory: MemberDirectory;
  /** The functions of user modules. */
  readonly hooks: OfferingHooks;
  /** Clusters with their load; undefined until the module has started in this process. */
  readonly clusters: () => Omit<ClusterIndex, keyof AsyncDisposable> | undefined;
  readonly maintenance: Maintenance;
  /** Of user modules. */
  readonly extraRoutes: readonly ExtraRoutes[];
  readonly openHttp: OpenHttp;
  readonly meter: ModuleMeter;
}
