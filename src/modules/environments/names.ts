// The group, the kinds, and the labels and annotations by which the parts of an environment find
// each other. They are public: executors, the bus, search and clients read them.

import type { UniqueName } from "../../store/port.ts";
import type { ResourceKey } from "../../kernel/resource.ts";

export const environmentsGroup = "environments.setpoint.dev";
export const environmentsVersion = `${environmentsGroup}/v1`;

export const templatesKind = `templates.${environmentsGroup}`;
export const environmentsKind = `environments.${environmentsGroup}`;
export const resourcesKind = `environmentresources.${environmentsGroup}`;
export const groupsKind = `resourcegroups.${environmentsGroup}`;
export const externalsKind = `externalresources.${environmentsGroup}`;
export const plansKind = `plans.${environmentsGroup}`;
export const operationsKind = `operations.${environmentsGroup}`;
export const rolloutsKind = `templaterollouts.${environmentsGroup}`;
export const destroyedKind = `destroyedenvironments.${environmentsGroup}`;

/** On every resource of an environment: the name of the Environment. */
export const environmentLabel = `${environmentsGroup}/environment`;
/** On every resource of an environment that belongs to one entry of its template: the key. */
export const resourceLabel = `${environmentsGroup}/resource`;
/** On targets of actions: the name of the action. */
export const actionLabel = `${environmentsGroup}/action`;
/** On EnvironmentResources with a count, and their targets: the position, from 0. */
export const indexLabel = `${environmentsGroup}/index`;
/** On Operations, Plans and targets of actions. */
export const operationLabel = `${environmentsGroup}/operation`;

/** The contract of a target: each new value is one request. */
export const checkDriftAnnotation = `${environmentsGroup}/check-drift`;
export const reconcileDriftAnnotation = `${environmentsGroup}/reconcile-drift`;
export const cancelAnnotation = `${environmentsGroup}/cancel`;
export const forceCancelAnnotation = `${environmentsGroup}/force-cancel`;
/** On an EnvironmentResource: the Operation that runs it again, with its dependants. */
export const runAnnotation = `${environmentsGroup}/run`;
/** On an EnvironmentResource that is being deleted: the Operation that creates it again. */
export const replaceAnnotation = `${environmentsGroup}/replace`;
/** On the definition of a target: the kind, in the same group, that plans it. */
export const planKindAnnotation = `${environmentsGroup}/plan-kind`;
/** Set by the server: the user who created it, or who last changed the deployment. */
export const requestedByAnnotation = `${environmentsGroup}/requested-by`;
/** Set by the server when an Environment is Destroyed: its display name is free. */
export const destroyedAnnotation = `${environmentsGroup}/destroyed`;

/** Set by the server when an Environment that was Destroyed is deployed again: the time. */
export const redeployedAnnotation = `${environmentsGroup}/redeployed-at`;

/** Index terms; no kind can declare them selectable, because names of fields have no slash. */
export const dependencyTerm = "environments/depends-on";
export const templateTerm = "environments/template";

/** The name of the EnvironmentResource of a key; a key has no dot, so names are not ambiguous. */
export function resourceName(environment: string, key: string, index?: number): string {
  return index === undefined ? `${environment}.${key}` : `${environment}.${key}.${index}`;
}

/** Two Environments of a namespace that are not Destroyed have different display names. */
export function displayNameOf(namespace: string, displayName: string): UniqueName {
  return { scope: `environments of the namespace ${namespace}`, name: displayName.toLowerCase() };
}

export function environmentKey(namespace: string, name: string): ResourceKey {
  return { kind: environmentsKind, namespace, name };
}

export function templateKey(namespace: string, name: string): ResourceKey {
  return { kind: templatesKind, namespace, name };
}
