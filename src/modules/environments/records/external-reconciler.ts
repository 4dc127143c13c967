// Reconciles ExternalResources: something that Setpoint does not create. It has the outputs that it
// states, or those of a resource of the namespace that it stands for.

import { done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { externalsKind } from "../names.ts";
import { kindFound } from "../resource/run.ts";
import { targetState } from "../resource/target-state.ts";
import { shownDocument } from "../templates/secret-flow.ts";

export function externalReconciler(intents: Intents): Reconciler {
  return {
    kind: externalsKind,
    resyncMs: 0,
    reconcile: async (resource, context) => await reconcile(resource, context, intents),
  };
}

async function reconcile(resource: Resource, context: Context, intents: Intents): Promise<Outcome> {
  const stated = objectAt(resource.spec, "outputs");
  const reference = presentObjectAt(resource.spec, "resource");
  if (reference === undefined) return done({ status: { outputs: stated }, resyncMs: 0 });
  const kind = textAt(reference, "kind");
  const found = kindFound({ intents }, textAt(reference, "apiVersion"), kind);
  if (found === undefined) return notReady("UnknownKind", `no kind ${kind} is served`);
  const name = textAt(reference, "name");
  const target = await context.references.get({ kind: found.served.id, name });
  if (target === undefined) return notReady("NotFound", `there is no ${kind} ${name}`);
  const shown = shownDocument(found.served.kind, target);
  const hasStatus = found.served.isReconciled || found.version.definition.subresources.status;
  const state = targetState({ target: shown, readyWhen: undefined, hasStatus });
  if (state.kind !== "ready") return notReady("NotReady", `the ${kind} ${name} is not ready`);
  const outputs = { ...objectAt(shown, "status", "outputs"), ...stated };
  return done({ status: { outputs }, resyncMs: 0 });
}

function notReady(reason: string, message: string): Outcome {
  return done({ ready: { status: "False", reason, message }, resyncMs: 0 });
}
