// Writes into the status of each policy what the check of its types found, once per generation.

import { done } from "../engine/outcome.ts";
import type { Reconciler } from "../engine/reconciler.ts";
import { policiesKind } from "../intents/admission/policy/policy-index.ts";
import { typeWarnings } from "../intents/admission/policy/type-check.ts";
import { systemCaller, systemOptions } from "../intents/bootstrap.ts";
import { withField } from "../intents/builtin/parts.ts";
import type { Intents } from "../intents/request.ts";
import { updateResource } from "../intents/write/update.ts";
import { numberAt } from "../kernel/json-read.ts";
import { timedPauses } from "../kernel/pauses.ts";
import type { Resource } from "../kernel/resource.ts";
import { inTurns } from "../kernel/sliced.ts";
import type { ClaimRef } from "../store/port.ts";
import { claimOf, concurrency, retry, untilShown } from "./own-run.ts";

export function policyReconciler(intents: Intents): Reconciler {
  return {
    kind: policiesKind,
    ownsStatus: true,
    concurrency,
    retry,
    reconcile: async (policy, context) => {
      await untilShown(intents, policy, context);
      await checkPolicy(intents, policy, claimOf(policiesKind, policy, context));
      return done();
    },
  };
}

async function checkPolicy(intents: Intents, policy: Resource, claim: ClaimRef): Promise<void> {
  const [plural = "", ...group] = policiesKind.split(".");
  const found = intents.kinds.find(group.join("."), "v1", plural);
  if (found === undefined) return;
  const { name, generation } = policy.metadata;
  const observed = numberAt(policy, "status", "observedGeneration") ?? 0;
  if (generation <= observed) return;
  const checking = typeWarnings(policy, intents.kinds);
  const expressionWarnings = await inTurns(checking, timedPauses(""));
  const status = {
    observedGeneration: generation,
    typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
  };
  await updateResource(intents, {
    caller: systemCaller,
    target: { ...found, namespace: "", name, subresource: "status" },
    options: { ...systemOptions, claim },
    optionsKind: "UpdateOptions",
    allowsBlind: true,
    change: (old) => ({ wanted: withField(old, "status", status) }),
  });
}
