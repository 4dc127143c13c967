// A managed environment as a target, with the identity of its kubeconfig.

import { remoteApi } from "../../../acting/object-api.ts";
import type { KubeClient } from "../../../adapters/kubernetes/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { isTrueAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { connectionCondition, deploymentLabel, gitopsGroup } from "../names.ts";
import { managedEnvironmentsKind, targetSystem } from "../names.ts";
import { referenceText } from "../object-reference.ts";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import { withOwnAccount } from "./environment-account.ts";
import { findAccess } from "./environment-connection.ts";
import type { EnvironmentAccess } from "./environment-access.ts";
import { objectTarget } from "./object-target.ts";
import { serverDigest } from "./server-digest.ts";
import type { OpenedTarget, TargetIdentity, TargetProblem, TargetRules } from "./target.ts";

export interface EnvironmentTargetInput {
  readonly environment: string;
  /** The deployment, or an Inventory of it. */
  readonly deployment: Resource;
  readonly policy: EffectivePolicy;
  readonly context: Context;
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
  const own = await findAccess(environment, policy, context);
  const found = own.kind === "problem" ? own : await withOwnAccount(environment, own, context);
  if (found.kind === "problem") return notReady(`${text} is not connected: ${found.message}`);
  const identity = identityOf(environment, deployment);
  const rules: TargetRules = {
    identity,
    defaultNamespace: identity.namespace,
    refusal: refusalOf(environment, policy),
  };
  const api = remoteApi(clientOf(environment, found), context, targetSystem(namespace, name));
  const target = objectTarget({
    api,
    rules,
    label: deploymentLabel,
    // Another Setpoint has the same kinds: most of them change external systems.
    isProtected: ({ group }) => group.endsWith(gitopsGroup.slice(gitopsGroup.indexOf("."))),
  });
  return { kind: "target", target, rules };
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

function refusalOf(environment: Resource, policy: EffectivePolicy): TargetRules["refusal"] {
  const namespaces = textsAt(environment, "spec", "namespaces");
  const mayWriteCluster =
    namespaces.length === 0 || isTrueAt(environment, "spec", "clusterResources");
  const { name } = environment.metadata;
  return (at, isNamespaced) => {
    const refused = policy.kindRefusal(at.group, at.kind);
    if (refused !== undefined) return refused;
    const text = `${referenceText(at)}: the GitOpsDeploymentManagedEnvironment ${name} allows`;
    if (!isNamespaced) {
      if (mayWriteCluster) return undefined;
      return `${text} objects without a namespace only with spec.clusterResources`;
    }
    if (namespaces.length === 0 || namespaces.includes(at.namespace)) return undefined;
    return `${text} only the namespaces of spec.namespaces`;
  };
}

/** The run of the deployment is woken when the environment changes. */
function notReady(message: string): TargetProblem {
  return { kind: "problem", reason: "EnvironmentNotReady", message, isFinal: false };
}
