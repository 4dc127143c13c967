/** Consul in a process: admission, reconcilers, the follower of services, the own registration. */
import type { OpenPart } from "../part.ts";
import { storedReferences } from "../target/stored-references.ts";
import { consulWith } from "./client.ts";
import { consulGuard } from "./consul-guard.ts";
import { followServices } from "./follow-services.ts";
import { keysReconciler } from "./keys-reconciler.ts";
import { registerServer } from "./registration.ts";
import { registrationOf } from "./registration-config.ts";
import { consulServerReconciler } from "./server-reconciler.ts";
import { serviceReconciler } from "./service-reconciler.ts";

export const openConsul: OpenPart = (ports) => {
  const { callJson, store, live, authorizer } = ports;
  const open = consulWith(callJson);
  return {
    admission: [consulGuard({ live, authorizer })],
    start: ({ engine, ownIntents }, stops) => {
      stops.defer(engine.add(consulServerReconciler(open, store)));
      stops.defer(engine.add(keysReconciler(open)));
      stops.defer(engine.add(serviceReconciler(open)));
      const references = storedReferences(ownIntents);
      const task = followServices({
        ...ports,
        openConsul: open,
        store: ownIntents.store,
        references,
      });
      stops.defer(engine.lead(task));
      const registration = registrationOf(ports.configuration);
      if (registration !== undefined) stops.use(registerServer(registration, ports));
    },
  };
};
