// The states of a subscription, and which requests for its resources each state allows. Pure.

export const subscriptionStates = [
  "Registered",
  "Unregistered",
  "Warned",
  "Suspended",
  "Deleted",
] as const;

export type SubscriptionState = (typeof subscriptionStates)[number];

/** "write" is PUT, PATCH and every action. */
export type GatedVerb = "read" | "write" | "delete";

export function mayPass(state: string, verb: GatedVerb): boolean {
  switch (state) {
    case "Registered":
      return true;
    case "Warned":
    case "Suspended":
      return verb !== "write";
    default:
      return verb === "read";
  }
}
