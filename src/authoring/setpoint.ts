// What `import { ... } from "setpoint"` gives to the author of a kind. Everything here is kept as
// it is for as long as anybody can have written against it.

export { defineModule } from "../engine/module.ts";
export type { Module, ModuleKind, ModuleReconciler } from "../engine/module.ts";
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
export type { SystemPolicy } from "../engine/outside/outside.ts";
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
  Step,
  StepResults,
  Tracer,
} from "../engine/reconciler.ts";
export type { Superseded, Supersession } from "../engine/run/superseded.ts";
export { ArmActionRefused, armIdOf } from "../kernel/arm-face.ts";
export type {
  ArmAction,
  ArmActionContext,
  ArmChangeContext,
  ArmFaceOfKind,
  ArmVersion,
  ArmVersionOfKind,
  ChildReference,
  StoredParts,
} from "../kernel/arm-face.ts";
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
} from "../kernel/connect-hooks.ts";
export { findCondition, isTrue } from "../kernel/conditions.ts";
export type { Condition } from "../kernel/conditions.ts";
export type { Json, JsonObject } from "../kernel/json.ts";
export type { FieldRule, KindInput, PrinterColumn } from "../kernel/kind.ts";
export type { Metadata, OwnerReference, Resource } from "../kernel/resource.ts";
export { conditionsOf, isReady } from "./conditions.ts";
export { describeKind } from "./describe-kind.ts";
export type { KindDescription } from "./describe-kind.ts";
