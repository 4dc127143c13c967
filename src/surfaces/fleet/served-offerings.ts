// The routes of each Offering that this server has now. They are built when they are first needed
// after a change of the Offering, so there is nothing to reload.

import { apiRoot } from "../../modules/fleet/api/hrefs.ts";
import type { ApiClass, FleetRoute } from "../../modules/fleet/api/fleet-route.ts";
import type { Offering } from "../../modules/fleet/offering.ts";
import { createRouter } from "../rest/router.ts";
import type { RouteAddress, Router } from "../rest/router.ts";

/** A route with its path below the root of the APIs, such as "/v1/admin/dinosaurs". */
export interface MountedRoute extends RouteAddress {
  readonly apiClass: ApiClass;
  readonly route: FleetRoute;
}

export interface ServedOffering {
  readonly offering: Offering;
  readonly router: Router<MountedRoute>;
}

export interface ServedOfferings {
  byPlural(plural: string): ServedOffering | undefined;
}

export function servedOfferings(
  offerings: { byPlural(plural: string): Offering | undefined },
  mountRoutes: (offering: Offering) => readonly MountedRoute[],
): ServedOfferings {
  /** By the Offering as it was read: a change is another object. */
  const built = new WeakMap<Offering, ServedOffering>();
  return {
    byPlural: (plural) => {
      const offering = offerings.byPlural(plural);
      if (offering === undefined) return undefined;
      const known = built.get(offering);
      if (known !== undefined) return known;
      const router = createRouter(mountRoutes(offering), apiRoot(offering));
      const served = { offering, router };
      built.set(offering, served);
      return served;
    },
  };
}
