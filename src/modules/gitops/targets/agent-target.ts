// A cluster that pulls as a target: its agent carries out what this server requests.

import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import { bundleExchange } from "./bundle-exchange.ts";
import { findCluster } from "./cluster-environment.ts";
import { environmentRefusal } from "./environment-rules.ts";
import { serverDigest } from "./server-digest.ts";
import type { OpenedTarget, TargetIdentity, TargetProblem, TargetRules } from "./target.ts";

export interface AgentTargetInput {
  readonly environment: Resource;
  /** The deployment, or an Inventory of it. */
  readonly deployment: Resource;
  readonly policy: EffectivePolicy;
  readonly intents: Intents;
  readonly context: Context;
}

export async function openAgentTarget(input: AgentTargetInput): Promise<OpenedTarget> {
  const { environment, deployment, policy, intents, context } = input;
  const place = await findCluster(environment, policy, context);
  if (place.kind === "problem") return notReady(place.message);
  const tenant = deployment.metadata.namespace ?? "";
  const [first] = textsAt(environment.spec, "namespaces");
  const identity: TargetIdentity = {
    kind: "Agent",
    environment: environment.metadata.name,
    server: place.name,
    namespace: textAt(deployment.spec, "destination", "namespace") || (first ?? tenant),
    serviceAccountName: "",
    digest: serverDigest(`agent ${place.uid}`),
  };
  const refusal = environmentRefusal(environment, policy);
  const rules: TargetRules = {
    identity,
    defaultNamespace: identity.namespace,
    refusal: (at, isNamespaced) =>
      refusal(at, isNamespaced) ?? policy.clusterObjectRefusal(place.name, at, isNamespaced),
  };
  const exchange = bundleExchange({
    intents,
    context,
    environment: environment.metadata.name,
    namespace: place.namespace,
  });
  return { kind: "agent", exchange, rules };
}

function notReady(message: string): TargetProblem {
  return { kind: "problem", reason: "EnvironmentNotReady", message, isFinal: false };
}
