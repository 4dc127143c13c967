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

/** The reasons of the state Waiting. */
export const waitingForDependencies = "WaitingForDependencies";
export const waitingForExternal = "WaitingForExternal";

export type ResourceState = (typeof resourceStates)[number];
