// The states of an EnvironmentResource. Pure.

export const resourceStates = [
  /** For its dependencies, or for an ExternalResource. */
  "Waiting",
  "Deploying",
  "Ready",
  "Failed",
  "Cancelled",
  "Removing",
] as const;

/** The reason of a removal that waits for dependants. */
export const waitingForDependants = "WaitingForDependants";

export type ResourceState = (typeof resourceStates)[number];
