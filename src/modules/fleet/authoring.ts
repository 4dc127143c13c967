// What modules of users may say to the fleet, and the types for it. `fleet` is also accepted as a
// field of the module itself.

import type { FleetExtension } from "./hooks/fleet-hooks.ts";

declare module "../../contract/user-module.ts" {
  interface ModuleExtensions {
    /** Hooks and routes for Offerings; see docs/how-to/extend-an-offering.md. */
    readonly fleet?: readonly FleetExtension[];
  }
}

export type {
  AdmitProblem,
  AdmitProblems,
  ClusterCandidate,
  ClusterChoice,
  FleetExtension,
  FleetHooks,
  HookResult,
  HookedInstance,
  InstanceWrite,
  StepHook,
} from "./hooks/fleet-hooks.ts";
export type {
  OwnAnswer,
  OwnCaller,
  OwnRequest,
  OwnRoute,
  VisibleInstances,
} from "./hooks/own-route.ts";
