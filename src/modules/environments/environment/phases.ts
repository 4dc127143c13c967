// The six states of an environment, and their names in the seed and in every surface. Pure.

export const environmentPhases = [
  "Deploying",
  "DeployedWaiting",
  "DeployedOk",
  "DeployedFail",
  "Destroying",
  "Destroyed",
] as const;

export type EnvironmentPhase = (typeof environmentPhases)[number];

export const phaseTexts: Readonly<Record<EnvironmentPhase, string>> = {
  Deploying: "Deploying",
  DeployedWaiting: "Deployed - Waiting / validating",
  DeployedOk: "Deployed - OK",
  DeployedFail: "Deployed - Fail",
  Destroying: "Destroying",
  Destroyed: "Destroyed",
};
