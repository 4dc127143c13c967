/**
 * Sends the requests of an HttpCall: one for each change of the spec, then polls the status
 * endpoints. A request that is repeated after a failure or a crash has the same Idempotency-Key.
 */
import type { OpenHttp } from "../../../adapters/http/port.ts";
import { again, done, failed } from "../../../engine/outcome.ts";
import type { Failed, Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { isNamespaceAllowed } from "../../../kernel/allowed-namespaces.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { policiesKind } from "../policy/policy-kind.ts";
import { reconcileDriftAnnotation } from "../target/annotations.ts";
import { cancellation } from "../target/cancel.ts";
import { keyedDigests } from "../target/digests.ts";
import { unknownDrift } from "../target/drift.ts";
import { allowedPlaces } from "./addresses.ts";
import { httpCallsKind } from "./http-kind.ts";
import { outputsOf } from "./outputs.ts";
import { pollEndpoints } from "./poll.ts";
import { destroyRequest, isExpected, requestFor } from "./requests.ts";
import type { PlannedRequest } from "./requests.ts";
import { sendRequest } from "./send.ts";
import type { HttpResponse, Sender } from "./send.ts";

export interface HttpPorts {
  readonly openHttp: OpenHttp;
  readonly live: Pick<LiveView, "get" | "all">;
}

export function httpReconciler(ports: HttpPorts): Reconciler {
  return {
    kind: httpCallsKind,
    reconcile: (call, context) => reconcile(call, context, ports),
    remove: (call, context) => remove(call, context, ports),
    retry: { soonMostMs: 120_000 },
  };
}

async function reconcile(call: Resource, context: Context, ports: HttpPorts): Promise<Outcome> {
  const sender = senderFor(call, context, ports);
  const digestOf = await keyedDigests(context);
  const applied = digestOf(contentOf(call));
  const isApplied = textAt(call, "status", "applied") === applied;
  const cancelled = isApplied && isReady(call) ? undefined : cancellation(call);
  if (cancelled !== undefined) return cancelled;
  if (isApplied) return await validate(sender, {});
  const action = textAt(call, "status", "applied") === "" ? "create" : "update";
  const request = requestFor(call, action);
  if (!isTrueAt(call, "status", "tried")) await context.status.patch({ tried: true });
  const idempotencyKey = `${call.metadata.uid}.${applied}`;
  const response = await sendRequest(sender, request, { idempotencyKey });
  const refusal = refusalIn(request, response);
  if (refusal !== undefined) return refusal;
  const outputs = await outputsOf(call, context, response.document);
  if (outputs.kind === "problem") {
    return failed("OutputInvalid", outputs.message, { retry: "never" });
  }
  const status: JsonObject = {
    applied,
    appliedAt: timeText(context.clock.nowMs()),
    answer: { status: response.status },
    outputs: makeMergePatch(objectAt(call, "status", "outputs"), outputs.plain),
    secretOutputs: outputs.secretOutputs,
  };
  // Stored at once: the request is not sent again when a status endpoint cannot be reached.
  await context.status.patch(status);
  const now = { ...call, status: { ...objectAt(call, "status"), ...status } };
  return await validate({ ...sender, call: now }, status);
}

/** Ready when all status endpoints are healthy. */
async function validate(sender: Sender, status: JsonObject): Promise<Outcome> {
  const { call } = sender;
  const { endpoints, problem } = await pollEndpoints(sender);
  const pollMs = (numberAt(call, "spec", "pollSeconds") ?? 5) * 1_000;
  const shown = { ...status, endpoints, ...unknownDrift(call, sender.context.clock.nowMs()) };
  if (problem === undefined) {
    const isPolled = endpoints.length > 0;
    const resyncMs = isPolled ? Math.max(pollMs, executorLimits.httpHealthMs) : 0;
    return done({ status: shown, resyncMs });
  }
  const ready = { status: "False", reason: "NotHealthy", message: problem } as const;
  const sinceMs = Date.parse(textAt(call, "status", "appliedAt"));
  const limitMs = (numberAt(call, "spec", "healthTimeoutSeconds") ?? 600) * 1_000;
  if (sender.context.clock.nowMs() - sinceMs <= limitMs) {
    return again(pollMs, { status: shown, ready, reason: "NotHealthy", message: problem });
  }
  return failed("NotHealthy", problem, { status: shown, ready, afterMs: pollMs });
}

async function remove(call: Resource, context: Context, ports: HttpPorts): Promise<Outcome> {
  const request = destroyRequest(call);
  // A request without an answer may have been carried out.
  if (request === undefined || !isTrueAt(call, "status", "tried")) return done();
  const idempotencyKey = `${call.metadata.uid}.destroy`;
  const response = await sendRequest(senderFor(call, context, ports), request, { idempotencyKey });
  // What does not exist is destroyed.
  if (response.status === 404 || response.status === 410) return done();
  return refusalIn(request, response) ?? done();
}

/** What the ExecutorPolicies of the namespace allow. */
function senderFor(call: Resource, context: Context, { openHttp, live }: HttpPorts): Sender {
  const { namespace: name = "" } = call.metadata;
  const namespace = live.get({ kind: "namespaces", namespace: "", name })?.resource;
  const policies = [...live.all(policiesKind)].flatMap(({ resource }) => {
    const allowed = objectAt(resource, "spec", "allow", "namespaces");
    const isOurs = namespace !== undefined && isNamespaceAllowed(allowed, namespace);
    return isOurs ? [objectAt(resource, "spec")] : [];
  });
  return { openHttp, call, context, allowed: allowedPlaces(policies) };
}

/** A refused request is not repeated until the spec changes or a user requests a run. */
function refusalIn(request: PlannedRequest, { status }: HttpResponse): Failed | undefined {
  if (isExpected(request, status)) return undefined;
  const { method, url } = request;
  const message = `${url.host} answered ${method} with status ${status}, which is not expected`;
  const ready = { status: "False", reason: "RequestRefused", message } as const;
  return failed("RequestRefused", message, { retry: "never", ready });
}

/** What makes a request another one, whatever its action is. */
function contentOf(call: Resource): string {
  const parts = (["create", "update"] as const).map((action) => {
    const { method, url, headers, body = null } = requestFor(call, action);
    return [method, url.href, headers, body];
  });
  const repair = call.metadata.annotations?.[reconcileDriftAnnotation] ?? "";
  return JSON.stringify([...parts, repair]);
}

function isReady(call: Resource): boolean {
  return objectsAt(call, "status", "conditions").some((each) => {
    const isCurrent = numberAt(each, "observedGeneration") === call.metadata.generation;
    return textAt(each, "type") === "Ready" && textAt(each, "status") === "True" && isCurrent;
  });
}
