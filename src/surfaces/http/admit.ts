// Admission: gives a request its place among those that are in progress, or makes it wait or
// refuses it with request.overloaded. The decision takes a tenant and a cost. Today the tenant is
// the user and only the class of the cost counts: see fairness.ts for the policy.

import { mastersGroup } from "../../intents/auth/user.ts";
import type { Timers } from "../../kernel/timers.ts";
import { createFairness } from "./fairness.ts";
import type { RequestClass } from "./fairness.ts";
import type { HttpSurface, SurfaceRequest } from "./surface.ts";

/** Shared constants, so that admission allocates nothing. */
export interface RequestCost {
  readonly class: RequestClass;
}

export const readCost: RequestCost = { class: "read" };
export const writeCost: RequestCost = { class: "write" };
/** A request without an end, such as a watch. */
export const longCost: RequestCost = { class: "long" };

export interface Admission {
  /**
   * Takes a place. Undefined means that the request continues at once, which is the common case
   * and allocates no promise. Throws, or rejects with, request.overloaded. A place that was taken
   * must be returned with `leave`.
   */
  enter(tenant: string, cost: RequestCost): Promise<void> | undefined;
  leave(tenant: string, cost: RequestCost): void;
}

export function createAdmission(timers: Timers): Admission {
  const fairness = createFairness({ timers });
  return {
    enter: (tenant, cost) => fairness.enter(cost.class, tenant),
    leave: (tenant, cost) => fairness.leave(cost.class, tenant),
  };
}

/** The cost to admit; undefined for a request that needs no place. */
export function admittedCost(
  surface: HttpSurface,
  request: SurfaceRequest,
): RequestCost | undefined {
  if (request.parsed.isOpen) return undefined;
  // An administrator must be able to repair an overloaded server.
  if (request.user.groups.includes(mastersGroup)) return undefined;
  return surface.costOf(request);
}
