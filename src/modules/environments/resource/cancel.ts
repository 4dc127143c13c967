// Cancellation of an EnvironmentResource. What has not begun does not begin; a target that runs is
// asked to stop, by annotations that are written apart from its document, so that no pending change
// is applied with them.

import { done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Found } from "../../../intents/kinds/registry.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { cancelAnnotation, forceCancelAnnotation } from "../names.ts";
import { applyTarget, isOwned } from "./apply-target.ts";
import type { ResourceRun } from "./run.ts";
import { readTarget } from "./run.ts";
import type { ResourceState } from "./states.ts";
import { targetState } from "./target-state.ts";
import { shownDocument } from "../templates/secret-flow.ts";

export interface Cancel {
  readonly operation: string;
  readonly isForced: boolean;
}

export function cancelOf({ metadata }: Resource): Cancel | undefined {
  const { annotations = {} } = metadata;
  const forced = annotations[forceCancelAnnotation];
  if (forced !== undefined) return { operation: forced, isForced: true };
  const operation = annotations[cancelAnnotation];
  return operation === undefined ? undefined : { operation, isForced: false };
}

/** Undefined: the resource is not cancelled, or was ready before. */
export async function passCancel(run: ResourceRun, found: Found): Promise<Outcome | undefined> {
  const { resource, ports } = run;
  const cancel = cancelOf(resource);
  const name = textAt(resource.status, "target", "name");
  const namespace = resource.metadata.namespace ?? "";
  const key = { kind: found.served.id, namespace, name };
  const target = name === "" ? undefined : await readTarget(ports, key);
  const isOurs = target !== undefined && isOwned(target, resource);
  const passed = isOurs ? cancelOf(target) : undefined;
  if (cancel === undefined) {
    if (passed !== undefined && target !== undefined) await annotate(run, found, target, {});
    return undefined;
  }
  if (target === undefined || !isOurs) return cancelled("the resource was not started");
  const hasStatus = found.served.isReconciled || found.version.definition.subresources.status;
  const shown = shownDocument(found.served.kind, target);
  const state = targetState({ target: shown, readyWhen: undefined, hasStatus });
  const { generation } = resource.metadata;
  const isApplied = numberAt(resource.status, "deployedGeneration") === generation;
  // It was ready before the request arrived: nothing is left to cancel.
  if (state.kind === "ready" && isApplied) return undefined;
  const isRunning = state.kind === "progressing";
  const isAsked = passed?.operation === cancel.operation && passed.isForced === cancel.isForced;
  if (isRunning && !isAsked) {
    const { operation, isForced } = cancel;
    await annotate(run, found, target, {
      [cancelAnnotation]: operation,
      ...(isForced ? { [forceCancelAnnotation]: operation } : {}),
    });
  }
  if (!isRunning || cancel.isForced) return cancelled("the change was cancelled");
  const status = {
    state: "Deploying" satisfies ResourceState,
    reason: "Cancelling",
    message: "the target was asked to stop",
  };
  const { reason, message } = status;
  return done({ status, ready: { status: "False", reason, message }, resyncMs: 0 });
}

function cancelled(message: string): Outcome {
  const status = { state: "Cancelled" satisfies ResourceState, reason: "Cancelled", message };
  return done({
    status,
    ready: { status: "False", reason: "Cancelled", message },
    resyncMs: 0,
  });
}

async function annotate(
  { resource, context, ports }: ResourceRun,
  found: Found,
  target: Resource,
  annotations: JsonObject,
): Promise<void> {
  const { apiVersion, kind, metadata } = target;
  await applyTarget(ports, {
    context,
    owner: resource,
    found,
    document: { apiVersion, kind, metadata: { ...objectAt({ name: metadata.name }), annotations } },
    isThere: true,
    serviceAccountName: textAt(resource.spec, "serviceAccountName"),
    part: ":requests",
  });
}
