// What the decision about an instance depends on. Everything in it was read before the decision.

import type { Failed } from "../../../engine/outcome.ts";
import type { ReadReport } from "../clusters/report.ts";
import type { Offering } from "../offering.ts";
import type { Instance } from "./instance.ts";

export interface Facts {
  readonly nowMs: number;
  readonly offering: Offering;
  readonly instance: Instance;
  /** The owner, the organisation or the user is denied. */
  readonly isDenied: boolean;
  /** The owner has no quota for the type any more, and the Offering lets the instance expire. */
  readonly lacksQuota: boolean;
  /** What a quota service said; "needed" before it was asked. */
  readonly quota: "settled" | "needed" | "refused";
  /** The cluster of the placement; undefined when it does not exist. */
  readonly cluster: { readonly domain: string } | undefined;
  /**
   * The instance should be on another cluster, because its own is drained, cannot host its new
   * type, or an administrator assigned another one. "blocked": no other cluster can host it at
   * the moment.
   */
  readonly leave: "no" | "possible" | "blocked";
  /** Whether the ManagedInstance of the placement exists. */
  readonly isManaged: boolean;
  /** What earlier placements left on the clusters in `leaving` of the instance. */
  readonly leftovers: readonly Leftover[];
  /** The removal without a request is due and must wait: see automatic-removal.ts. */
  readonly isRemovalHeld: boolean;
  /** About the current placement; undefined before the first report. */
  readonly report: ReadReport | undefined;
  readonly preparing: Prepared;
  readonly routes: Prepared;
}

export interface Leftover {
  readonly cluster: string;
  readonly state: "present" | "deleting" | "gone";
}

/**
 * The preparations of one phase. Owners of instances read `message`; `detail` may contain answers
 * of external systems and is for operators.
 */
export type Prepared =
  | { readonly kind: "ready" }
  | { readonly kind: "pending"; readonly message: string }
  /** A preparation could not be applied now. The run decides, and then ends with the failure. */
  | { readonly kind: "blocked"; readonly message: string; readonly failure: Failed }
  /** A preparation cannot become ready without a change. */
  | { readonly kind: "failed"; readonly message: string; readonly detail: string };
