// One question to one webhook. A denial has the code and the reason that the webhook chose; a call
// that fails, or an answer that cannot be used, is a failure of the webhook, for which its failure
// policy says what it means.

import { isSetpointError, SetpointError } from "../../../kernel/errors.ts";
import type { Ids } from "../../../kernel/ids.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { callWebhook } from "../../kinds/conversion-webhook-call.ts";
import type { WebhookFetch } from "../../kinds/conversion-webhook-call.ts";
import type { AdmissionRequest } from "../admission.ts";
import { badRequest } from "../../refusals.ts";
import type { ShownDocuments } from "../shown-version.ts";
import {
  admissionReview,
  decodingProblem,
  readAnswer,
  reviewVersion,
  statusDetails,
} from "./admission-review.ts";
import type { ReviewAnswer } from "./admission-review.ts";
import type { Candidate } from "./webhook-index.ts";

export interface WebhookPorts {
  readonly fetch: WebhookFetch;
  readonly ids: Ids;
}

export interface WebhookQuestion {
  readonly candidate: Candidate;
  readonly request: AdmissionRequest;
  readonly shown: ShownDocuments;
  readonly isMutating: boolean;
}

/** The webhook could not be asked, or gave no answer that can be used. */
export class WebhookFailure extends Error {
  constructor(webhook: string, reason: string, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`, { cause });
  }
}

/** Throws a WebhookFailure, or the refusal of the webhook. */
export async function askWebhook(
  { candidate, request, shown, isMutating }: WebhookQuestion,
  { fetch, ids }: WebhookPorts,
): Promise<ReviewAnswer> {
  const { webhook, found } = candidate;
  const { name, sideEffects, address, caBundle, timeoutMs } = webhook;
  if (request.isDryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  const version = reviewVersion(webhook.reviewVersions);
  if (version === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new WebhookFailure(name, `could not create admission objects: ${why}`);
  }
  const uid = ids.uid();
  const review = admissionReview({ version, uid, request, found, shown });
  let answered: JsonObject;
  try {
    answered = await callWebhook(address, caBundle, review, { timeoutMs, fetch });
  } catch (error) {
    if (!isSetpointError(error, "webhook.failed")) throw error;
    throw new WebhookFailure(name, `failed to call webhook: ${error.message}`, error);
  }
  const undecodable = decodingProblem(answered, version);
  if (undecodable !== undefined) {
    throw new WebhookFailure(name, `failed to call webhook: ${undecodable}`);
  }
  const answer = readAnswer(answered, { version, uid, isMutating });
  if (typeof answer === "string") {
    throw new WebhookFailure(name, `received invalid webhook response: ${answer}`);
  }
  for (const [key, value] of answer.auditAnnotations) {
    request.caller.annotate?.(`${name}/${key}`, value);
  }
  for (const warning of answer.warnings) request.caller.warn(warning);
  if (!answer.isAllowed) throw denial(name, answer.result);
  return answer;
}

/** What a webhook denies is an error, whatever its status says. */
function denial(webhook: string, result: JsonObject): SetpointError {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const [message, reason] = [textAt(result, "message"), textAt(result, "reason")];
  const why = message === "" ? reason : message;
  const code = numberAt(result, "code") ?? 0;
  return new SetpointError(
    "request.forbidden",
    why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
    {
      details: {
        ...statusDetails(result),
        statusCode: code >= 400 && code <= 999 ? code : 400,
        statusReason: reason,
      },
    },
  );
}
