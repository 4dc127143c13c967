// A managed environment as a target, with the identity of its kubeconfig.

import { remoteApi } from "../../../acting/object-api.ts";
import type { KubeClient } from "../../../adapters/kubernetes/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Intents } from "../../../intents/request.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { connectionCondition, deploymentLabel, isOfSetpoint } from "../names.ts";
import { managedEnvironmentsKind, targetSystem } from "../names.ts";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import { withOwnAccount } from "./environment-account.ts";
import { findAccess } from "./environment-connection.ts";
import type { EnvironmentAccess } from "./environment-access.ts";
import { openAgentTarget } from "./agent-target.ts";
import { clusterOf } from "./cluster-environment.ts";
import { environmentRefusal } from "./environment-rules.ts";
import { objectTarget } from "./object-target.ts";
import { serverDigest } from "./server-digest.ts";
import type { OpenedTarget, TargetIdentity, TargetProblem, TargetRules } from "./target.ts";

export interface EnvironmentTargetInput {
  readonly environment: string;
  /** The deployment, or an Inventory of it. */
  readonly deployment: Resource;
  readonly policy: EffectivePolicy;
  readonly context: Context;
  /** For the records of clusters that pull. */
  readonly intents: Intents;
  /** Of a process, kept between runs. */
  readonly clientOf: (environment: Resource, access: EnvironmentAccess) => KubeClient;
}

export async function openEnvironmentTarget(input: EnvironmentTargetInput): Promise<OpenedTarget> {
  const { environment: name, deployment, policy, context, clientOf } = input;
  const namespace = deployment.metadata.namespace ?? "";
  const key = { kind: managedEnvironmentsKind, namespace, name };
  const environment = await context.references.get(key);
  const text = `the GitOpsDeploymentManagedEnvironment ${name}`;
  if (environment === undefined) return notReady(`${text} does not exist`);
  const conditions = objectsAt(environment, "status", "conditions");
  const condition = conditions.find((each) => each["type"] === connectionCondition);
  if (condition?.["status"] !== "True") {
    const why = textAt(condition, "message") || "its connection has not been checked yet";
    return notReady(`${text} is not connected: ${why}`);
  }
  if (clusterOf(environment) !== "") {
    const { intents } = input;
    return await openAgentTarget({ environment, deployment, policy, intents, context });
  }
  const own = await findAccess(environment, policy, context);
  const found = own.kind === "problem" ? own : await withOwnAccount(environment, own, context);
  if (found.kind === "problem") return notReady(`${text} is not connected: ${found.message}`);
  const identity = identityOf(environment, deployment);
  const rules: TargetRules = {
    identity,
    defaultNamespace: identity.namespace,
    refusal: environmentRefusal(environment, policy),
  };
  const api = remoteApi(clientOf(environment, found), context, targetSystem(namespace, name));
  const target = objectTarget({
    api,
    rules,
    label: deploymentLabel,
    isProtected: isOfSetpoint,
  });
  return { kind: "target", target, rules, listIn: api.listIn };
}

function identityOf(environment: Resource, deployment: Resource): TargetIdentity {
  const server = textAt(environment, "spec", "apiURL");
  const uid = textAt(environment, "status", "serverUID");
  const [first] = textsAt(environment, "spec", "namespaces");
  return {
    kind: "Kubernetes",
    environment: environment.metadata.name,
    server,
    namespace: textAt(deployment, "spec", "destination", "namespace") || (first ?? "default"),
    serviceAccountName: "",
    digest: serverDigest(uid === "" ? server : uid),
  };
}

/** The run of the deployment is woken when the environment changes. */
function notReady(message: string): TargetProblem {
  return { kind: "problem", reason: "EnvironmentNotReady", message, isFinal: false };
}
