// What the decision about an instance depends on. Everything in it was read before the decision.

import type { ReadReport } from "../clusters/report.ts";
import type { Offering } from "../offering.ts";
import type { Instance } from "./instance.ts";

export interface Facts {
  readonly nowMs: number;
  readonly offering: Offering;
  readonly instance: Instance;
  /** The owner, the organisation or the user is denied. */
  readonly isDenied: boolean;
  /** What a quota service said; "needed" before it was asked. */
  readonly quota: "settled" | "needed" | "refused";
  /** The cluster of the placement; undefined when it does not exist. */
  readonly cluster: { readonly domain: string; readonly isDraining: boolean } | undefined;
  /** Whether the ManagedInstance of the placement exists. */
  readonly isManaged: boolean;
  /** About the current placement; undefined before the first report. */
  readonly report: ReadReport | undefined;
  readonly preparing: Prepared;
  readonly routes: Prepared;
}

/** The preparations of one phase. */
export type Prepared =
  | { readonly kind: "ready" }
  | { readonly kind: "pending"; readonly message: string }
  /** A preparation cannot become ready without a change. */
  | { readonly kind: "failed"; readonly message: string };
