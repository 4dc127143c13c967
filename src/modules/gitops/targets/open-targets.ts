/** Targets in a process: this server and managed environments. */
import type { StartPorts } from "../../../contract/ports.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { gitopsLimits } from "../limits.ts";
import { managedEnvironmentsKind } from "../names.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import { openClient } from "./environment-connection.ts";
import { environmentReconciler } from "./environment-reconciler.ts";
import { openEnvironmentTarget } from "./environment-target.ts";
import type { EnvironmentTargetInput } from "./environment-target.ts";
import { openOwnTarget, ownIdentity } from "./own-target.ts";
import { openTargetClients } from "./target-clients.ts";
import { payloadSubresource } from "./payload-subresource.ts";
import type { Targets } from "./target.ts";

export interface TargetsInput extends PartInput {
  readonly policies: PolicyReader;
}

export interface TargetsPart extends GitOpsPart {
  readonly targets: Targets;
}

/** Several deployments with many objects wait for their turns, rather than end their runs. */
const targetPolicy = {
  calls: gitopsLimits.targetCallsAtOnce,
  queue: gitopsLimits.maxTargetQueue,
  waitMs: gitopsLimits.targetTimeoutMs,
  timeoutMs: gitopsLimits.targetTimeoutMs,
};

export function openTargets({ ports, policies }: TargetsInput): TargetsPart {
  const { authorizer, live, openKube } = ports;
  const clients = openTargetClients();
  let started: StartPorts | undefined;
  const own: Targets["openEarlier"] = async (identity, deployment, context) => {
    if (started === undefined) throw new Error("targets are opened after the start");
    const { intents } = started;
    return openOwnTarget({ intents, authorizer, policies, identity, deployment, context });
  };
  const remote = async (
    environment: string,
    { deployment, context }: Pick<EnvironmentTargetInput, "deployment" | "context">,
  ): ReturnType<Targets["open"]> => {
    const namespace = deployment.metadata.namespace ?? "";
    const policy = policies.policyOf(namespace);
    const key = { kind: managedEnvironmentsKind, namespace, name: environment };
    const clientOf: EnvironmentTargetInput["clientOf"] = (_environment, access) =>
      clients.clientOf(key, JSON.stringify(access), () =>
        openClient({ openKube, policies }, access, namespace),
      );
    if (started === undefined) throw new Error("targets are opened after the start");
    const { ownIntents: intents } = started;
    const input = { environment, deployment, policy, context, intents, clientOf };
    return await openEnvironmentTarget(input);
  };
  const targets: Targets = {
    open: async (deployment, context) => {
      const environment = textAt(deployment, "spec", "destination", "environment");
      if (environment !== "") return await remote(environment, { deployment, context });
      return await own(ownIdentity(live, deployment), deployment, context);
    },
    openEarlier: async (identity, deployment, context) =>
      identity.kind === "Setpoint"
        ? await own(identity, deployment, context)
        : await remote(identity.environment, { deployment, context }),
  };
  return {
    targets,
    subresources: [payloadSubresource],
    policyOf: (system) => (system.startsWith("gitops-target/") ? targetPolicy : undefined),
    start: (more, stops) => {
      started = more;
      const intents = more.ownIntents;
      stops.defer(more.engine.add(environmentReconciler({ openKube, policies, intents })));
    },
    close: () => clients[Symbol.dispose](),
  };
}
