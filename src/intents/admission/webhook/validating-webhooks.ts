// Validating webhooks: all asked at once, since none of them can change anything. The first of
// them that refuses, in the order of their configurations, is the one that users hear of.

import type { AdmissionPlugin, AdmissionRequest } from "../admission.ts";
import { internalError } from "../attributes.ts";
import type { WebhookPluginPorts } from "./mutating-webhooks.ts";
import { objectToValidate } from "./shown-object.ts";
import { askWebhook, WebhookFailure } from "./webhook-call.ts";
import type { WebhookQuestion } from "./webhook-call.ts";
import type { Candidate, WebhookIndex } from "./webhook-index.ts";
import { documentsFor } from "./webhook-match.ts";

export function validatingWebhooks(
  index: WebhookIndex,
  ports: WebhookPluginPorts,
): AdmissionPlugin {
  return {
    name: "ValidatingAdmissionWebhook",
    validate: (request) => {
      const candidates = index.candidates(request);
      return candidates.length === 0 ? undefined : validate(candidates, request, ports);
    },
  };
}

async function validate(
  candidates: readonly Candidate[],
  given: AdmissionRequest,
  ports: WebhookPluginPorts,
): Promise<void> {
  const request = objectToValidate(given);
  const questions: WebhookQuestion[] = [];
  for (const candidate of candidates) {
    const shown = await documentsFor(candidate, request, ports);
    if (shown !== undefined) questions.push({ candidate, request, shown, isMutating: false });
  }
  const answers = await Promise.allSettled(
    questions.map((question, index) => ask(question, index, ports)),
  );
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
}

async function ask(
  question: WebhookQuestion,
  index: number,
  ports: WebhookPluginPorts,
): Promise<void> {
  try {
    await askWebhook(question, ports);
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error;
    const { name, isIgnoredOnFailure } = question.candidate.webhook;
    if (!isIgnoredOnFailure) throw internalError(error.message, error);
    const key = `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`;
    question.request.caller.annotate?.(key, name);
    ports.onIgnored(error);
  }
}
