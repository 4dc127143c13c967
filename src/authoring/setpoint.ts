// What `import { ... } from "setpoint"` gives to the author of a kind. Everything here is kept as
// it is for as long as anybody can have written against it.

export { defineModule } from "../contract/user-module.ts";
export type {
  KindExtensions,
  ModuleExtensions,
  UserModule as Module,
  UserModuleKind as ModuleKind,
  UserReconciler as ModuleReconciler,
} from "../contract/user-module.ts";
export { again, done, failed, ReconcileFailure, waiting } from "../engine/outcome.ts";
export type {
  Again,
  Blocker,
  Done,
  Failed,
  Outcome,
  Readiness,
  Waiting,
} from "../engine/outcome.ts";
export type { SystemPolicy } from "../engine/external/external.ts";
export type {
  ChildDocument,
  Children,
  Context,
  Operation,
  Progress,
  Reconciler,
  Reference,
  References,
  RetryPolicy,
  RunLog,
  RunMetrics,
  Step,
  StepResults,
  Tracer,
} from "../engine/reconciler.ts";
export type { Superseded, Supersession } from "../engine/run/superseded.ts";
export { findCondition, isTrue } from "../kernel/conditions.ts";
export type { Condition } from "../kernel/conditions.ts";
export type { Json, JsonObject } from "../kernel/json.ts";
export type { FieldRule, KindInput, PrinterColumn } from "../kernel/kind.ts";
export type { Metadata, OwnerReference, Resource } from "../kernel/resource.ts";
export { conditionsOf, isReady } from "./conditions.ts";
export { describeKind } from "./describe-kind.ts";
export type { KindDescription } from "./describe-kind.ts";
export * from "./extensions.ts";
