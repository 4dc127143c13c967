// The admission of Rollouts: what is refused, the scope that is fixed at the creation, and the
// unique names by which no two Rollouts change the same instances.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { isServerItself } from "../../../intents/bootstrap.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { conflict, invalid } from "../../../intents/refusals.ts";
import type { SetpointError } from "../../../kernel/errors.ts";
import { forbiddenField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import type { HeldFault } from "../../../kernel/held-fault.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { UniqueName } from "../../../store/port.ts";
import { clusterKey, rolloutEndedAnnotation, rolloutName, rolloutsKind } from "../names.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { readRollout } from "./rollout.ts";
import { rolloutErrors } from "./rollout-errors.ts";
import type { RolloutSurroundings } from "./rollout-errors.ts";
import { scopeOf } from "./scope.ts";

export interface RolloutGuardPorts {
  readonly live: Pick<LiveView, "get">;
  readonly offerings: Pick<OfferingIndex, "byName">;
}

export function rolloutGuard({ live, offerings }: RolloutGuardPorts): AdmissionPlugin {
  const ports: RolloutSurroundings = {
    offering: (name) => offerings.byName(name),
    clusterPlace: (cluster) => {
      const found = live.get(clusterKey(cluster))?.resource;
      if (found === undefined) return undefined;
      return { provider: textAt(found.spec, "provider"), region: textAt(found.spec, "region") };
    },
  };
  return {
    name: "FleetRollouts",
    mutate: (request) => {
      const { object } = request;
      return object !== undefined && isAbout(request) ? withScope(ports, request, object) : object;
    },
    validate: (request) => {
      const { object, old, target } = request;
      if (object === undefined || !isAbout(request)) return;
      const errors = [
        ...rolloutErrors(
          readRollout(object),
          old === undefined ? undefined : readRollout(old),
          ports,
        ),
        ...annotationErrors(request),
      ];
      if (errors.length > 0) throw invalid(target.served.kind, object.metadata.name, errors);
    },
    names: (request) => (isAbout(request) ? namesOf(request) : undefined),
    refusal: (request, fault) => (isAbout(request) ? overlap(request, fault) : undefined),
  };
}

function isAbout({ target, operation }: AdmissionRequest): boolean {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && target.served.id === rolloutsKind && target.subresource === "";
}

/** A client that replaces the Rollout need not repeat the scope. */
function withScope(
  { offering, clusterPlace }: RolloutSurroundings,
  { old }: AdmissionRequest,
  object: Resource,
): Resource {
  const spec = objectAt(object, "spec");
  if (old !== undefined) {
    const scope = valueAt(old.spec, "scope");
    const isKept = scope === undefined || valueAt(spec, "scope") !== undefined;
    return isKept ? object : { ...object, spec: { ...spec, scope } };
  }
  const rollout = readRollout(object);
  const found = offering(rollout.offering);
  const scope = found === undefined ? [] : scopeOf(found, rollout.selector, clusterPlace);
  return { ...object, spec: { ...spec, scope } };
}

/** The annotation frees the scope for another Rollout, so only the reconciler may set it. */
function annotationErrors({ caller, object, old }: AdmissionRequest): readonly FieldError[] {
  const isReconciler = caller.surface === "engine" && isServerItself(caller);
  if (endedAt(object) === endedAt(old) || isReconciler) return [];
  const path = `metadata.annotations[${rolloutEndedAnnotation}]`;
  return [forbiddenField(path, "is set by the server when the Rollout has ended")];
}

/** Undefined leaves the names as they are. */
function namesOf({ object, old }: AdmissionRequest): readonly UniqueName[] | undefined {
  if (object === undefined) return undefined;
  if (endedAt(object) !== undefined) return [];
  if (old !== undefined) return undefined;
  const { offering, scope } = readRollout(object);
  return scope.map((cell) => rolloutName(offering, cell));
}

function endedAt(resource: Resource | undefined): string | undefined {
  return resource?.metadata.annotations?.[rolloutEndedAnnotation];
}

function overlap(
  { object, target }: AdmissionRequest,
  fault: HeldFault,
): SetpointError | undefined {
  if (object === undefined || !("scope" in fault)) return undefined;
  if (fault.scope !== rolloutName(readRollout(object).offering, "").scope) return undefined;
  const [provider = "", region = "", type = ""] = fault.name.split("/").map(decodeURIComponent);
  const holder = fault.holder === null ? "another Rollout" : `the Rollout ${fault.holder.name}`;
  const why =
    `spec.selector: ${holder}, which has not ended, changes instances of type ${type} in ` +
    `${provider} ${region}: wait until it has ended, abort it, or select other instances`;
  return conflict(target.served.kind, object.metadata.name, why);
}
