// Whether the service has room for another instance.

import { isDeniedUser } from "../access.ts";
import { offeringCounter } from "../names.ts";
import type { Offering } from "../offering.ts";
import type { CustomerPorts, FleetRoute } from "./fleet-route.ts";
import { documentAnswer } from "./page-document.ts";
import { regionRoom } from "./region-room.ts";
import { objectSchema } from "./schemas.ts";
import { organisationOf } from "./visible-instance.ts";

export function statusRoute(ports: CustomerPorts, { instances }: Offering): FleetRoute {
  const { plural } = instances;
  return {
    method: "GET",
    path: "/status",
    summary: "Read whether the service has room for another instance.",
    tag: "About this API",
    access: { kind: "token" },
    answers: {
      200: {
        description: "The status.",
        schema: objectSchema({
          [plural]: objectSchema({ max_capacity_reached: { type: "boolean" } }),
        }),
      },
    },
    errors: [401],
    handle: async ({ offering, fleetCaller }) => {
      // A denied user is not shown the reason.
      const isFull =
        isDeniedUser(offering, organisationOf(ports, fleetCaller), fleetCaller.user) ||
        (await hasNoRoom(ports, offering));
      return documentAnswer({ [plural]: { max_capacity_reached: isFull } });
    },
  };
}

/** All regions are full, or the Offering is. */
async function hasNoRoom({ store }: CustomerPorts, offering: Offering): Promise<boolean> {
  const { name, providers, maxInstances } = offering;
  if (maxInstances !== undefined) {
    const { value } = await store.counter(offeringCounter(name));
    if (value >= maxInstances) return true;
  }
  for (const { id: provider, isEnabled, regions } of providers) {
    for (const { id: region, isEnabled: isOpen, types } of isEnabled ? regions : []) {
      for (const { name: type } of isOpen ? types : []) {
        if ((await regionRoom(store, offering, { provider, region, type })) !== 0) return false;
      }
    }
  }
  return true;
}
