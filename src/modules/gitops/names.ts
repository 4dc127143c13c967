// The group, the kinds, and the labels and annotations by which the parts find each other. They are
// public: clients and other modules read them, so they are never renamed.

import type { ResourceKey } from "../../kernel/resource.ts";

export const gitopsGroup = "gitops.setpoint.dev";
export const gitopsVersion = `${gitopsGroup}/v1`;

/** The group of the seed. The option `seedGroup` serves it as a second form of the kinds. */
export const seedGroup = "managed-gitops.redhat.com";

/** Another Setpoint has the same kinds: most of them change external systems. */
export function isOfSetpoint({ group }: { readonly group: string }): boolean {
  return group === seedGroup || group.endsWith(gitopsGroup.slice(gitopsGroup.indexOf(".")));
}

export const deploymentsKind = `gitopsdeployments.${gitopsGroup}`;
export const syncRunsKind = `gitopsdeploymentsyncruns.${gitopsGroup}`;
export const credentialsKind = `gitopsdeploymentrepositorycredentials.${gitopsGroup}`;
export const managedEnvironmentsKind = `gitopsdeploymentmanagedenvironments.${gitopsGroup}`;
export const deploymentSetsKind = `gitopsdeploymentsets.${gitopsGroup}`;
export const promotionEnvironmentsKind = `promotionenvironments.${gitopsGroup}`;
export const snapshotsKind = `snapshots.${gitopsGroup}`;
export const bindingsKind = `snapshotenvironmentbindings.${gitopsGroup}`;
export const promotionRunsKind = `promotionruns.${gitopsGroup}`;
export const targetClassesKind = `deploymenttargetclasses.${gitopsGroup}`;
export const deliveryTargetsKind = `deploymenttargets.${gitopsGroup}`;
export const targetClaimsKind = `deploymenttargetclaims.${gitopsGroup}`;
export const operationsKind = `operations.${gitopsGroup}`;
export const sourcesKind = `gitsources.${gitopsGroup}`;
export const inventoriesKind = `inventories.${gitopsGroup}`;
export const bundlesKind = `syncbundles.${gitopsGroup}`;
export const policiesKind = `gitopspolicies.${gitopsGroup}`;
export const healthRulesKind = `healthrules.${gitopsGroup}`;

/** The types of Secrets. The types of the seed are accepted as well. */
export const credentialSecretTypes: readonly string[] = [
  `${gitopsGroup}/repository-credential`,
  `${seedGroup}/repository-credential`,
];
export const environmentSecretTypes: readonly string[] = [
  `${gitopsGroup}/managed-environment`,
  `${seedGroup}/managed-environment`,
];

/** Set by the user: the deployment stays until its objects are deleted. Both are accepted. */
export const objectsFinalizers: readonly string[] = [
  `${gitopsGroup}/objects`,
  `resources-finalizer.${seedGroup}`,
];

/** On every applied object: the uid of its GitOpsDeployment, by which live objects are listed. */
export const deploymentLabel = `${gitopsGroup}/deployment`;
/**
 * On every applied object: UID:GROUP/KIND:NAMESPACE/NAME. An object whose annotation names another
 * object is a copy; it is neither compared nor pruned.
 */
export const trackingAnnotation = `${gitopsGroup}/tracking-id`;

/** On a GitOpsDeployment, GitSource or credential: each new value is one request to look again. */
export const refreshAnnotation = `${gitopsGroup}/refresh`;

/** In manifests. The annotations of Argo CD with the same meaning are accepted as well. */
export const waveAnnotation = `${gitopsGroup}/sync-wave`;
export const hookAnnotation = `${gitopsGroup}/hook`;
export const hookDeletionAnnotation = `${gitopsGroup}/hook-delete-policy`;
export const optionsAnnotation = `${gitopsGroup}/sync-options`;

/** On a hook: the id of the operation that created it. */
export const hookOperationAnnotation = `${gitopsGroup}/operation-id`;

/** On a deployment of a GitOpsDeploymentSet: its name. */
export const setLabel = `${gitopsGroup}/set`;
/** On a deployment that the server generates: the digest of what was applied. */
export const generatedAnnotation = `${gitopsGroup}/generated-digest`;

/** On a SnapshotEnvironmentBinding: each new value is one request to verify again. */
export const verifyAnnotation = `${gitopsGroup}/verify`;

/** On the deployments of a binding. */
export const applicationLabel = `${gitopsGroup}/application`;
export const componentLabel = `${gitopsGroup}/component`;
export const environmentLabel = `${gitopsGroup}/environment`;

/** The field manager of server-side apply, in all targets. */
export const fieldManager = "setpoint-gitops";

/** The SyncBundle whose status an agent writes as a sign of life. */
export const heartbeatName = "agent";

/** On the Secrets of a SyncBundle: its name. */
export const bundleLabel = `${gitopsGroup}/bundle`;

/** The condition of a GitOpsDeploymentManagedEnvironment. */
export const connectionCondition = "ConnectionInitializationSucceeded";

/** The ServiceAccount that applies when a deployment does not name one. */
export const defaultAccount = "gitops";

/** The system of calls to a git host, for circuit breakers and bulkheads. */
export function gitSystem(host: string): string {
  return `git/${host}`;
}

/** The system of calls to a managed environment. */
export function targetSystem(namespace: string, environment: string): string {
  return `gitops-target/${namespace}/${environment}`;
}

export function deploymentKey(namespace: string, name: string): ResourceKey {
  return { kind: deploymentsKind, namespace, name };
}

export function sourceKey(namespace: string, name: string): ResourceKey {
  return { kind: sourcesKind, namespace, name };
}
