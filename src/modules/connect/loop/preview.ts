// What the next run would do, before it does: which request, which fields, and why. Looks at the
// service as a run does, and writes nothing, neither there nor here. Whether there would be a run,
// and of which sort, is asked of the engine: what is paused, let go of or deleted is told as such.

import { planFor } from "../../../engine/run/plan.ts";
import type { RunPlan } from "../../../engine/run/plan.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isMadeOutside } from "../kinds/kept-object.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { ExchangeFailed } from "../http/exchange.ts";
import type { CompiledBinding } from "../kinds/compiled-binding.ts";
import { HookFailed } from "./hooks.ts";
import { lookingContext } from "./looking-context.ts";
import type { LookingPorts } from "./looking-context.ts";
import { isKept } from "./management.ts";
import { prepare } from "./prepare.ts";
import type { LoopPorts } from "./prepare.ts";
import { previewObject, unknownDigest } from "./preview-object.ts";
import { previewRemoval } from "./preview-removal.ts";
import { previewOfOutcome } from "./preview-result.ts";
import type { Preview } from "./preview-result.ts";
import { connectReconciler } from "./reconciler.ts";
import { Refused } from "./session.ts";

export type PreviewPorts = LoopPorts & LookingPorts;

export async function preview(
  ports: PreviewPorts,
  compiled: CompiledBinding,
  resource: Resource,
  signal: AbortSignal,
): Promise<Preview> {
  const plan = planFor(resource, connectReconciler(ports, compiled), 1, true);
  switch (plan.kind) {
    case "paused": {
      const message =
        `paused by the annotation ${annotations.paused}: no request is sent ` +
        "until it is removed";
      return {
        action: "wait",
        message,
        afterwards: await preview(ports, compiled, awake(resource), signal),
      };
    }
    case "letGo": {
      const message = `being deleted; the annotation ${annotations.policy} keeps the object`;
      return { action: "nothing", message };
    }
    case "run":
      return await toldAnyway(() => previewRun(ports, compiled, resource, plan, signal));
    case "putAside":
      return previewOfOutcome(plan.outcome);
    default:
      return { action: "nothing", message: "being deleted; nothing exists in the service" };
  }
}

async function previewRun(
  ports: PreviewPorts,
  compiled: CompiledBinding,
  resource: Resource,
  { what }: RunPlan,
  signal: AbortSignal,
): Promise<Preview> {
  const isRemoval = what === "remove";
  if (isRemoval && isKept(resource)) {
    const message = "being deleted; the object is kept because of connect.manage or connect.id";
    return { action: "nothing", message };
  }
  if (isRemoval && !isMadeOutside(resource)) {
    return { action: "nothing", message: "being deleted; the object was never created" };
  }
  const context = lookingContext(ports, signal);
  const job = isRemoval ? "remove" : "reconcile";
  const prepared = await prepare(ports, compiled, resource, context, job);
  if (prepared.kind === "ends") return previewOfOutcome(prepared.outcome);
  const session = { ...prepared.session, digest: () => unknownDigest };
  if (isRemoval) return await previewRemoval(session);
  const { management } = session;
  const isObserved = what === "observe";
  return await previewObject({
    ...session,
    management: isObserved ? { ...management, manage: "observe" } : management,
  });
}

function awake(resource: Resource): Resource {
  const { metadata } = resource;
  const left = withoutKey(metadata.annotations ?? {}, annotations.paused);
  return { ...resource, metadata: { ...metadata, annotations: left } };
}

/** What keeps a look from being taken is what would keep a run from it. */
async function toldAnyway(look: () => Promise<Preview>): Promise<Preview> {
  try {
    return await look();
  } catch (error) {
    const isTold =
      error instanceof Refused ||
      error instanceof ExchangeFailed ||
      error instanceof HookFailed ||
      isSetpointError(error, "resource.invalid") ||
      (error instanceof Error && error.name === "ReconcileFailure");
    if (!isTold) throw error;
    return { action: "wait", message: error.message };
  }
}

export function previewDocument(resource: Resource, given: Preview): JsonObject {
  const { name, namespace } = resource.metadata;
  return {
    kind: "Plan",
    apiVersion: "setpoint.dev/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    ...(given as unknown as JsonObject),
  };
}
