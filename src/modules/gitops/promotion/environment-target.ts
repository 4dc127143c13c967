/** Where an Environment is: a cluster of its own, the target of its claim, or this server. Pure. */
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, presentObjectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { PromotionProblem } from "./problem-conditions.ts";

export type EnvironmentPlace =
  | { readonly kind: "here" }
  | { readonly kind: "cluster"; readonly credentials: JsonObject }
  | { readonly kind: "problem"; readonly problem: PromotionProblem };

export interface PlaceFacts {
  /** Undefined when the Environment names none, or it does not exist. */
  readonly claim: Resource | undefined;
  /** That the claim is bound to. */
  readonly target: Resource | undefined;
}

export function claimNameOf({ spec }: Resource): string {
  return textAt(spec, "configuration", "target", "deploymentTargetClaim", "claimName");
}

export function placeOf(environment: Resource, { claim, target }: PlaceFacts): EnvironmentPlace {
  const stated = presentObjectAt(
    environment,
    "spec",
    "unstableConfigurationFields",
    "kubernetesCredentials",
  );
  const claimName = claimNameOf(environment);
  if (stated !== undefined && claimName !== "") {
    return problem(
      "InvalidEnvironment",
      "spec.configuration.target.deploymentTargetClaim and " +
        "spec.unstableConfigurationFields.kubernetesCredentials exclude each other: set one",
    );
  }
  if (stated !== undefined) return { kind: "cluster", credentials: stated };
  if (claimName === "") return { kind: "here" };
  if (claim === undefined) {
    const message = `the DeploymentTargetClaim ${claimName} does not exist`;
    return problem("DeploymentTargetClaimNotFound", message);
  }
  const name = textAt(claim.status, "targetName");
  if (textAt(claim.status, "phase") === "Pending" || name === "") {
    const message = `the DeploymentTargetClaim ${claimName} is not bound yet`;
    return problem("DeploymentTargetClaimNotBound", message, true);
  }
  if (target === undefined || textAt(claim.status, "phase") === "Lost") {
    return problem("DeploymentTargetNotFound", `the DeploymentTarget ${name} does not exist`);
  }
  return { kind: "cluster", credentials: objectAt(target, "spec", "kubernetesCredentials") };
}

export function targetNamespaceOf(credentials: JsonObject): string {
  return textAt(credentials, "targetNamespace") || textAt(credentials, "defaultNamespace");
}

/** The spec of the GitOpsDeploymentManagedEnvironment. */
export function managedEnvironmentSpec(credentials: JsonObject, secret: string): JsonObject {
  const namespaces = textsAt(credentials, "namespaces");
  return {
    apiURL: textAt(credentials, "apiURL"),
    credentialsSecret: secret,
    allowInsecureSkipTLSVerify: valueAt(credentials, "allowInsecureSkipTLSVerify") === true,
    clusterResources: valueAt(credentials, "clusterResources") === true,
    ...(namespaces.length === 0 ? {} : { namespaces: [...namespaces] }),
  };
}

function problem(reason: string, message: string, isWaiting = false): EnvironmentPlace {
  return { kind: "problem", problem: { reason, message, isWaiting } };
}
