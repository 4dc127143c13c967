/** Targets in a process: this server, managed environments and clusters that pull. */
import type { StartPorts } from "../../../contract/ports.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import { openOwnTarget, ownIdentity } from "./own-target.ts";
import type { OpenedTarget, TargetProblem, Targets } from "./target.ts";

export interface TargetsInput extends PartInput {
  readonly policies: PolicyReader;
}

export interface TargetsPart extends GitOpsPart {
  readonly targets: Targets;
}

export function openTargets({ ports, policies }: TargetsInput): TargetsPart {
  const { authorizer, live } = ports;
  let started: StartPorts | undefined;
  const own: Targets["openEarlier"] = async (identity, deployment, context) => {
    if (started === undefined) throw new Error("targets are opened after the start");
    const { intents } = started;
    return openOwnTarget({ intents, authorizer, policies, identity, deployment, context });
  };
  const targets: Targets = {
    open: async (deployment, context): Promise<OpenedTarget> => {
      const environment = textAt(deployment, "spec", "destination", "environment");
      if (environment !== "") return notBuilt(environment);
      return await own(ownIdentity(live, deployment), deployment, context);
    },
    openEarlier: async (identity, deployment, context) =>
      identity.kind === "Setpoint"
        ? await own(identity, deployment, context)
        : notBuilt(identity.environment),
  };
  return {
    targets,
    start: (more) => {
      started = more;
    },
  };
}

function notBuilt(environment: string): TargetProblem {
  const message = `spec.destination.environment: ${environment} cannot be used in this version`;
  return { kind: "problem", reason: "EnvironmentNotReady", message, isFinal: true };
}
