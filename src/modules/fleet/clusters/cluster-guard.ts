// What is refused when a client writes or deletes a DataPlaneCluster, and the finalizer that every
// ManagedInstance is created with. See ADR 22.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { conflict, invalid } from "../../../intents/refusals.ts";
import { forbiddenField, invalidField, requiredField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { dnsLabelProblems, subdomainProblems } from "../../../kernel/names.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Store } from "../../../store/port.ts";
import { agentFinalizer, clusterNamespace, clustersKind, managedInstancesKind } from "../names.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { checkSecretUse } from "../secret-use.ts";
import { clusterWarnings } from "./cluster-warnings.ts";
import { readCluster } from "./cluster.ts";

export interface ClusterGuardPorts {
  readonly store: Pick<Store, "list">;
  readonly authorizer: Authorizer;
  readonly offerings: Pick<OfferingIndex, "all">;
}

export function clusterGuard(ports: ClusterGuardPorts): AdmissionPlugin {
  return {
    name: "FleetClusters",
    mutate: (request) => {
      const { object, operation, target } = request;
      const isNew = operation === "CREATE" && target.served.id === managedInstancesKind;
      return isNew && object !== undefined ? held(object) : object;
    },
    validate: (request) => {
      const { operation, target } = request;
      if (target.served.id !== clustersKind || target.subresource !== "") return;
      return operation === "DELETE" ? checkUnused(ports, request) : checkSpec(ports, request);
    },
  };
}

/** It is removed when its agent has reported it as deleted. */
function held(object: Resource): Resource {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(agentFinalizer)) return object;
  const metadata = { ...object.metadata, finalizers: [...finalizers, agentFinalizer] };
  return { ...object, metadata };
}

/**
 * A cluster that is drained may be deleted: its removal waits until it is empty. A removal that is
 * forced does not wait: instances are placed on other clusters.
 */
async function checkUnused({ store }: ClusterGuardPorts, request: AdmissionRequest): Promise<void> {
  const { old, target } = request;
  if (old === undefined) return;
  const { id, isDraining, isForced } = readCluster(old);
  if (isDraining || isForced) return;
  const namespace = clusterNamespace(id);
  const { records } = await store.list({ kind: managedInstancesKind, namespace, limit: 1 });
  if (records.length === 0) return;
  const why =
    "instances are placed on it: set spec.isDraining to true to move them to other clusters, " +
    "or delete them, then delete the cluster";
  throw conflict(target.served.kind, id, why);
}

function checkSpec(ports: ClusterGuardPorts, request: AdmissionRequest): void {
  const { object, old, target, caller } = request;
  if (object === undefined) return;
  const errors = [...nameErrors(object), ...specErrors(object, old)];
  if (errors.length > 0) throw invalid(target.served.kind, object.metadata.name, errors);
  checkSecretUse(ports.authorizer, request, ["spec", "executor", "kubernetes", "kubeconfig"]);
  if (equalJson(object.spec ?? null, old?.spec ?? null)) return;
  const warnings = clusterWarnings(objectAt(object, "spec"), ports.offerings.all());
  for (const warning of warnings) caller.warn(warning);
}

function nameErrors({ metadata }: Resource): readonly FieldError[] {
  const problems = dnsLabelProblems(clusterNamespace(metadata.name));
  return problems.map((problem) =>
    invalidField("metadata.name", metadata.name, `its namespace cluster-NAME: ${problem}`),
  );
}

function specErrors(object: Resource, old: Resource | undefined): readonly FieldError[] {
  const { spec } = object;
  const { dns, executor } = readCluster(object);
  const { kind } = executor;
  const errors: FieldError[] = subdomainProblems(dns).map((problem) =>
    invalidField("spec.dns", dns, problem),
  );
  if (kind === "kubernetes") {
    const settings = presentObjectAt(spec, "executor", "kubernetes");
    const at = "spec.executor.kubernetes";
    const url = textAt(settings, "controlPlane", "url");
    if (settings === undefined) return [...errors, requiredField(at, "the executor needs it")];
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      errors.push(invalidField(`${at}.controlPlane.url`, url, "must be an http or https URL"));
    }
  }
  if (old !== undefined && readCluster(old).executor.kind !== kind) {
    const why = "cannot change: delete the cluster and create it again";
    errors.push(forbiddenField("spec.executor.kind", why));
  }
  return errors;
}
