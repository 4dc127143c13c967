// Long-running operations: recognised by the answer to a write, stored before anything else, and
// asked about until they end, never sooner than the service wants. A restart goes on asking.

import { ReconcileFailure, again, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { equalJson, getOwn, isJsonObject } from "../../../kernel/json.ts";
import { numberAt, presentObjectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import { retryAfterMs } from "../../../kernel/retry-after.ts";
import type { LongRunning } from "../binding.ts";
import { errorFacts, isSuccess } from "../http/answer.ts";
import type { Answer } from "../http/answer.ts";
import { outsideBorder } from "./observing.ts";
import { ask, refusalOf } from "./session.ts";
import type { Session } from "./session.ts";

export type OperationVerb = "create" | "update" | "delete";

export interface Tracked {
  readonly verb: OperationVerb;
  /** The request whose answer named it, for the base of a relative address. */
  readonly target: string;
  /** What is applied once it has succeeded. */
  readonly applied?: JsonObject;
}

/** Notes the operation in the book; whether the answer names one. */
export function trackOperation(session: Session, answer: Answer, tracked: Tracked): boolean {
  const { longRunning = {} } = session.compiled.binding;
  const found = addressIn(answer, longRunning);
  if (found === undefined) return false;
  const resolved = session.client.resolve(found.address, tracked.target);
  if (resolved.kind === "outside") throw outsideBorder("the operation", resolved.origin);
  if (session.hide(resolved.target) !== resolved.target) throw secretAddress();
  const nowMs = session.context.clock.nowMs();
  const afterMs = retryAfterMs(answer.headers, nowMs);
  session.book.set({
    operation: {
      address: resolved.target,
      style: found.style,
      verb: tracked.verb,
      since: timeText(nowMs),
      polls: 0,
      ...(afterMs === undefined ? {} : { notBefore: new Date(nowMs + afterMs).toISOString() }),
      ...(tracked.applied === undefined ? {} : { applied: tracked.applied }),
    },
  });
  return true;
}

/** It would have to be stored where all can read it. */
function secretAddress(): ReconcileFailure {
  const message = "the URL of the operation contains a secret, so it cannot be stored";
  return new ReconcileFailure(failed("SecretInAddress", message, { retry: "slow" }));
}

export type Asked =
  | { readonly kind: "none" }
  | { readonly kind: "succeeded"; readonly verb: OperationVerb; readonly result: Json | undefined }
  /** The run ends with this. */
  | { readonly kind: "running" | "failed"; readonly outcome: Outcome };

/** Asks about the operation in the book, if there is one and it may be asked about. */
export async function askOperation(session: Session): Promise<Asked> {
  const { operation } = session.book.pages;
  if (operation === undefined) return { kind: "none" };
  const nowMs = session.context.clock.nowMs();
  const waitMs = Date.parse(textAt(operation, "notBefore")) - nowMs;
  // What is later than any service may ask for was never asked for, or by one that was mistaken.
  const isBounded = waitMs <= limits.maxRetryAfterMs;
  if (waitMs > 0 && isBounded) return running(session, operation, waitMs);
  const request = { method: "GET", path: textAt(operation, "address"), isTarget: true } as const;
  const answer = await ask(session, request);
  const verb = verbOf(operation);
  if (answer.status === 404 || answer.status === 410) {
    // Services forget operations. What came of it is seen by looking at the object.
    ended(session, operation);
    session.book.set({ created: undefined });
    return { kind: "succeeded", verb, result: undefined };
  }
  const { longRunning = {} } = session.compiled.binding;
  if (!isSuccess(answer) && !tellsFailure(answer, operation, longRunning)) {
    // Who may not ask, or not now, has learnt nothing: the operation goes on, and stays noted.
    throw await refusalOf(session, request, answer);
  }
  const state = stateOf(answer, operation, longRunning);
  if (state === "running") {
    const polls = (numberAt(operation, "polls") ?? 0) + 1;
    const afterMs = retryAfterMs(answer.headers, nowMs) ?? Math.min(30_000, 1_000 * 1.5 ** polls);
    const notBefore = new Date(nowMs + afterMs).toISOString();
    session.book.set({ operation: { ...operation, polls, notBefore } });
    return running(session, operation, afterMs);
  }
  if (state === "succeeded") {
    ended(session, operation);
    return { kind: "succeeded", verb, result: answer.json };
  }
  session.book.set({ operation: undefined, created: undefined });
  return { kind: "failed", outcome: failure(session, operation, answer) };
}

function verbOf(operation: JsonObject): OperationVerb {
  const verb = textAt(operation, "verb");
  return verb === "create" || verb === "delete" ? verb : "update";
}

function ended(session: Session, operation: JsonObject): void {
  const applied = presentObjectAt(operation, "applied");
  session.book.set({
    operation: undefined,
    ...(applied === undefined ? {} : { lastApplied: applied }),
  });
}

function running(session: Session, operation: JsonObject, afterMs: number): Asked {
  const verb = verbOf(operation);
  const doing = { create: "Creating", update: "Updating", delete: "Deleting" }[verb];
  const message = `operation in progress in the service since ${textAt(operation, "since")}`;
  const ready = verb === "update" ? ({ ready: "keep" } as const) : {};
  const outcome = again(afterMs, {
    reason: doing,
    message,
    status: session.book.changes(),
    ...ready,
  });
  return { kind: "running", outcome };
}

function failure(session: Session, operation: JsonObject, answer: Answer): Outcome {
  const { longRunning = {} } = session.compiled.binding;
  const named =
    longRunning.error === undefined
      ? undefined
      : getAt(answer.json ?? null, parsePointer(longRunning.error));
  const said = typeof named === "string" && named !== "" ? named : messageOf(session, answer);
  const shown = session.hide(said).slice(0, 400);
  const message = `the operation to ${verbOf(operation)} it failed: ${shown}`;
  return failed("OperationFailed", message, { status: session.book.changes() });
}

function messageOf({ hide }: Session, answer: Answer): string {
  const inner = valueAt(answer.json, "error") ?? valueAt(answer.json, "metadata", "err");
  if (typeof inner === "string" && inner !== "") return inner;
  const text = textAt(inner, "message");
  return text === "" ? errorFacts(answer, hide).message : text;
}

type Style = "status" | "location";

function addressIn(
  { status, headers, json }: Answer,
  { address }: LongRunning,
): { readonly address: string; readonly style: Style } | undefined {
  const named = headers["azure-asyncoperation"] ?? headers["operation-location"];
  if (named !== undefined && named !== "") return { address: named, style: "status" };
  const inBody = address === undefined ? undefined : getAt(json ?? null, parsePointer(address));
  if (typeof inBody === "string" && inBody !== "") return { address: inBody, style: "status" };
  if (status !== 202) return undefined;
  const { location } = headers;
  if (location !== undefined && location !== "") return { address: location, style: "location" };
  const usual = isObject(json) ? getOwn(json, "operation") : undefined;
  return typeof usual === "string" && usual !== ""
    ? { address: usual, style: "status" }
    : undefined;
}

function isObject(json: Json | undefined): json is JsonObject {
  return json !== undefined && isJsonObject(json);
}

const goodWords = /^(?:succeeded|success|successful|completed?|done|finished|ready|ok)$/i;
const badWords = /^(?:failed|failure|cancell?ed|aborted|error|errored|rejected|timed ?out)$/i;
const busyWords = new RegExp(
  "^(?:pending|running|in[ _]?progress|accepted|queued|started|starting|stopping|creating|" +
    "updating|deleting|provisioning|processing|waiting|cancell?ing|resolving|not ?started)$",
  "i",
);
const statePlaces = [
  "/status",
  "/state",
  "/metadata/status",
  "/properties/provisioningState",
  "/provisioningState",
  "/done",
];

function stateOf(
  answer: Answer,
  operation: JsonObject,
  { state, succeeded, failed: bad }: LongRunning,
): "running" | "succeeded" | "failed" {
  if (!isSuccess(answer)) return "failed";
  const found = stateIn(answer, state);
  if (isAmong(succeeded, found)) return "succeeded";
  if (isAmong(bad, found)) return "failed";
  if (answer.status === 202) return "running";
  if (found === undefined) return "succeeded";
  if (found === false) return "running";
  const word = String(found);
  if (found === true || goodWords.test(word)) return "succeeded";
  if (badWords.test(word)) return "failed";
  // At an address that becomes the object, only what is plainly under way is taken for it.
  const isCertain = textAt(operation, "style") !== "location" || state !== undefined;
  return isCertain || busyWords.test(word) ? "running" : "succeeded";
}

/** Answers to a request that was wrong itself, which asking after it is not. */
const ofTheRequest = new Set([400, 409, 422]);

/**
 * Whether an answer that is no success is about the operation. The words of a state do not tell:
 * errors of all kinds say "error" and "failure", too. At an address that becomes the answer to the
 * request, and with a status that asking does not get, they do.
 */
function tellsFailure(
  answer: Answer,
  operation: JsonObject,
  { state, failed: bad }: LongRunning,
): boolean {
  const found = stateIn(answer, state);
  if (isAmong(bad, found)) return true;
  if (!ofTheRequest.has(answer.status)) return false;
  return textAt(operation, "style") === "location" || badWords.test(String(found));
}

function stateIn({ json = null }: Answer, state: string | undefined): string | boolean | undefined {
  const places = state === undefined ? statePlaces : [state];
  return places
    .map((place) => getAt(json, parsePointer(place)))
    .find((value) => typeof value === "string" || typeof value === "boolean");
}

function isAmong(list: readonly Json[] | undefined, found: Json | undefined): boolean {
  return found !== undefined && (list ?? []).some((each) => equalJson(each, found));
}
