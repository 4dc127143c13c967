// Terraform in a process: admission and reconcilers.

import type { OpenPart } from "../part.ts";
import { executionPorts } from "../runs/execution-ports.ts";
import { planReconciler } from "./plan-reconciler.ts";
import { stackReconciler } from "./stack-reconciler.ts";
import { stateRoutes } from "./state-routes.ts";
import { terraformGuard } from "./terraform-guard.ts";

export const openTerraform: OpenPart = (ports) => ({
  admission: [terraformGuard(ports)],
  routes: (more) => stateRoutes(more, ports.clock),
  start: ({ engine, ownIntents }, stops) => {
    const { live } = ports;
    const terraform = { execution: executionPorts(ports, ownIntents), intents: ownIntents, live };
    stops.defer(engine.add(stackReconciler(terraform)));
    stops.defer(engine.add(planReconciler(terraform)));
  },
});
