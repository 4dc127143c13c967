// What modules of users may say to Connect, and the types for it. `connect` is also accepted as a
// field of the module itself.

import type { ConnectHooks } from "./connect-hooks.ts";

declare module "../../contract/user-module.ts" {
  interface ModuleExtensions {
    /** Changes how objects are kept in services; see docs/reference/connect.md. */
    readonly connect?: readonly ConnectHooks[];
  }
}

export type {
  ConnectHooks,
  Hook,
  HookChange,
  HookDocuments,
  HookError,
  HookErrorClass,
  HookReadiness,
  HookRequest,
  HookSecrets,
  HookVerdict,
  HookWrite,
} from "./connect-hooks.ts";
