// This server as a target, in the name of a ServiceAccount of the namespace of the deployment.

import { accountOf, accountUser } from "../../../acting/identity.ts";
import { ownApi } from "../../../acting/own-api.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { defaultAccount, deploymentLabel, fieldManager } from "../names.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import { objectTarget } from "./object-target.ts";
import type { OpenedTarget, TargetIdentity, TargetRules } from "./target.ts";
import { serverDigest } from "./server-digest.ts";

export interface OwnTargetInput {
  readonly intents: Intents;
  readonly authorizer: Authorizer;
  readonly policies: PolicyReader;
  readonly identity: TargetIdentity;
  /** The deployment, or an Inventory of it. */
  readonly deployment: Resource;
  readonly context: Context;
}

export function ownIdentity(live: Pick<LiveView, "get">, deployment: Resource): TargetIdentity {
  const system = live.get({ kind: "namespaces", namespace: "", name: "kube-system" });
  return {
    kind: "Setpoint",
    environment: "",
    server: "",
    namespace: deployment.metadata.namespace ?? "",
    serviceAccountName: accountOf(deployment, defaultAccount),
    digest: serverDigest(system?.resource.metadata.uid ?? ""),
  };
}

export function openOwnTarget(input: OwnTargetInput): OpenedTarget {
  const { intents, authorizer, policies, identity, deployment, context } = input;
  const namespace = deployment.metadata.namespace ?? "";
  const policy = policies.policyOf(namespace);
  const rules: TargetRules = {
    identity,
    defaultNamespace: namespace,
    refusal: (at, isNamespaced) =>
      policy.kindRefusal(at.group, at.kind) ?? policy.objectRefusal(at, isNamespaced),
  };
  const user = accountUser(namespace, identity.serviceAccountName);
  const target = objectTarget({
    api: ownApi({ intents, authorizer, context, user, fieldManager }),
    rules,
    label: deploymentLabel,
    // The reconciler of a kind may remove something from an external system.
    isProtected: (_kind, { isReconciled }) => isReconciled,
  });
  return { kind: "target", target, rules };
}
