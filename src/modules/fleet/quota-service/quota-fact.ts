// What is known about the quota of an instance, for the decision about its next step. Pure.

import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Offering } from "../offering.ts";
import { needsReservation } from "./instance-quota.ts";

export function quotaFact(
  offering: Offering,
  instance: Resource,
): "settled" | "needed" | "refused" {
  switch (textAt(instance.status, "quota", "state")) {
    case "notNeeded":
    case "reserved":
      return "settled";
    case "refused":
    case "unavailable":
      return "refused";
    default:
      return needsReservation(offering, instance) ? "needed" : "settled";
  }
}
