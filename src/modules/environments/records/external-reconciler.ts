// Reconciles ExternalResources: something that Setpoint does not create. It has the outputs that it
// states, or those of a resource of the namespace that it stands for.

import type { HttpClient } from "../../../adapters/http/port.ts";
import { done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { externalsKind } from "../names.ts";
import { polled } from "../resource/health.ts";
import { kindFound } from "../resource/run.ts";
import { targetState } from "../resource/target-state.ts";
import { shownDocument } from "../templates/secret-flow.ts";

export interface ExternalPorts {
  readonly intents: Intents;
  /** Refuses private addresses unless they are allowed. */
  readonly http: HttpClient;
}

export function externalReconciler(ports: ExternalPorts): Reconciler {
  return {
    kind: externalsKind,
    resyncMs: 0,
    reconcile: async (resource, context) => await reconcile(resource, context, ports),
  };
}

async function reconcile(
  resource: Resource,
  context: Context,
  { intents, http }: ExternalPorts,
): Promise<Outcome> {
  const found = await outputsOf(resource, context, intents);
  if (found.kind === "notReady") return notReady(found.reason, found.message);
  const outputs = makeMergePatch(objectAt(resource.status, "outputs"), found.outputs);
  const list = objectsAt(resource.spec, "statusEndpoints");
  if (list.length === 0) {
    return done({ status: { outputs, statusEndpoints: null }, resyncMs: 0 });
  }
  const before = objectsAt(resource.status, "statusEndpoints");
  const { endpoints, againMs } = await polled(list, before, { context, http });
  const status = { outputs, statusEndpoints: endpoints };
  const failing = endpoints.find((each) => each["healthy"] !== true);
  if (failing === undefined) return done({ status, resyncMs: againMs });
  const message = `${textAt(failing, "name")}: ${textAt(failing, "message")}`;
  const ready = { status: "False", reason: "NotHealthy", message } as const;
  return done({ status, ready, resyncMs: againMs });
}

type FoundOutputs =
  | { readonly kind: "outputs"; readonly outputs: JsonObject }
  | { readonly kind: "notReady"; readonly reason: string; readonly message: string };

async function outputsOf(
  resource: Resource,
  context: Context,
  intents: Intents,
): Promise<FoundOutputs> {
  const stated = objectAt(resource.spec, "outputs");
  const reference = presentObjectAt(resource.spec, "resource");
  if (reference === undefined) return { kind: "outputs", outputs: stated };
  const kind = textAt(reference, "kind");
  const found = kindFound({ intents }, textAt(reference, "apiVersion"), kind);
  if (found === undefined) return missing("UnknownKind", `no kind ${kind} is served`);
  const name = textAt(reference, "name");
  const target = await context.references.get({ kind: found.served.id, name });
  if (target === undefined) return missing("NotFound", `there is no ${kind} ${name}`);
  const shown = shownDocument(found.served.kind, target);
  const hasStatus = found.served.isReconciled || found.version.definition.subresources.status;
  const state = targetState({ target: shown, readyWhen: undefined, hasStatus });
  if (state.kind !== "ready") return missing("NotReady", `the ${kind} ${name} is not ready`);
  const outputs = { ...objectAt(shown, "status", "outputs"), ...stated };
  return { kind: "outputs", outputs };
}

function missing(reason: string, message: string): FoundOutputs {
  return { kind: "notReady", reason, message };
}

function notReady(reason: string, message: string): Outcome {
  return done({ ready: { status: "False", reason, message }, resyncMs: 0 });
}
