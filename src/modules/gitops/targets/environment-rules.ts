// What a managed environment allows, for objects that this server or an agent applies.

import { isTrueAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import type { TargetRules } from "./target.ts";

export function environmentRefusal(
  environment: Resource,
  policy: EffectivePolicy,
): TargetRules["refusal"] {
  const namespaces = textsAt(environment, "spec", "namespaces");
  const mayWriteCluster =
    namespaces.length === 0 || isTrueAt(environment, "spec", "clusterResources");
  const { name } = environment.metadata;
  return (at, isNamespaced) => {
    const refused = policy.kindRefusal(at.group, at.kind);
    if (refused !== undefined) return refused;
    const text = `the GitOpsDeploymentManagedEnvironment ${name} allows`;
    if (!isNamespaced) {
      if (mayWriteCluster) return undefined;
      return `${text} objects without a namespace only with spec.clusterResources`;
    }
    if (namespaces.length === 0 || namespaces.includes(at.namespace)) return undefined;
    return `${text} only the namespaces of spec.namespaces`;
  };
}
