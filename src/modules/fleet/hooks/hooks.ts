// The functions of all modules for one Offering, as the life cycle calls them. Each method answers
// undefined when no module has a function at the point: there is nothing to wait for.

import type { Context } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Placement } from "../placement/place.ts";
import type { FleetHooks } from "./fleet-hooks.ts";

/** Points at which a step waits for its functions. */
export type StepPoint = Exclude<keyof FleetHooks, "admit" | "choose">;

export interface OfferingHooks {
  /** Rejects with fleet.validation, or module.unavailable when a function fails. */
  admit(offering: string, write: AdmittedWrite): Promise<void> | undefined;
  /** Candidates that a function leaves out move to `excluded`. Rejects as a failed run. */
  choose(at: HookPlace, placement: Placement, context: Context): Promise<Placement> | undefined;
  step(point: StepPoint, at: HookPlace, context: Context): Promise<StepAnswer> | undefined;
}

export interface AdmittedWrite {
  readonly instance: Resource;
  /** Undefined for a creation. */
  readonly old: Resource | undefined;
  /** Of the caller. */
  readonly user: string;
}

export interface HookPlace {
  readonly offering: string;
  readonly instance: Resource;
}

export type StepAnswer =
  | { readonly kind: "continue" }
  /** Run the instance again then. The message names the function and its module. */
  | { readonly kind: "wait"; readonly message: string; readonly afterMs: number }
  /** At the points prepare and provisioned alone. */
  | { readonly kind: "fail"; readonly message: string }
  /** The function threw or exceeded its limit: repeat the run with back-off. */
  | { readonly kind: "broken"; readonly message: string };
