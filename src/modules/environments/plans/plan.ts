// The states of a Plan. Pure.

export const planPhases = ["Pending", "Ready", "Failed"] as const;

export type PlanPhase = (typeof planPhases)[number];
