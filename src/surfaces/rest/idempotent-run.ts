// Runs a request under its Idempotency-Key: the first one runs and its outcome is stored; a repeat
// gets the stored outcome, with the header Idempotency-Replayed. An error that a repeat may not
// get again, such as an overloaded store, is not stored.

import { hash } from "node:crypto";
import type { DocumentAnswer, RouteAnswer } from "../../contract/route.ts";
import { beginKeyed } from "../../intents/idempotency/outcome-records.ts";
import type { OutcomePorts } from "../../intents/idempotency/outcome-records.ts";
import type { Cause } from "../../kernel/cause.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, objectAt, presentObjectAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { invalidRequest } from "./field-problem.ts";
import type { WordedError } from "./worded-error.ts";

export const idempotencyHeader = "idempotency-key";

export interface KeyedRun {
  readonly user: string;
  readonly cause: Cause;
  /** The header of the request; undefined when it has none. */
  readonly key: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  readonly ifMatch: string | undefined;
  /** As the client receives an error; a final one is stored for repeats. */
  readonly wordError: (error: unknown) => WordedError;
}

export async function runKeyed(
  ports: OutcomePorts,
  run: KeyedRun,
  perform: () => Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  if (run.key === undefined) return await perform();
  const { user, cause } = run;
  const key = checkedKey(run.key);
  const isConditional = run.ifMatch !== undefined;
  const request = { user, key, fingerprint: fingerprintOf(run), isConditional, cause };
  const begun = await beginKeyed(ports, request);
  if (begun.kind === "replay") return replayed(begun.outcome);
  const { record } = begun;
  let answer: RouteAnswer;
  try {
    answer = await perform();
  } catch (error) {
    if (isFinal(error)) {
      const { status, document, contentType } = run.wordError(error);
      await record.finish({ status, document, contentType });
    } else if (!isUncertain(error)) await record.abandon();
    throw error;
  }
  // The work is done. If its outcome cannot be stored, the key stays taken: a repeat that ran now
  // could undo what others have written since.
  if (answer.kind === "document") await record.finish(outcomeOf(answer));
  return answer;
}

function checkedKey(key: string): string {
  const isSound = key.length <= limits.maxIdempotencyKeyChars && /^[\x21-\x7e]+$/.test(key);
  if (isSound) return key;
  const most = limits.maxIdempotencyKeyChars;
  const detail = `must be 1 to ${most} visible ASCII characters`;
  throw invalidRequest([{ field: "Idempotency-Key", detail }], "send a UUID");
}

function fingerprintOf({ method, url, body, ifMatch = "" }: KeyedRun): string {
  const digest = hash("sha256", body, "hex");
  return hash("sha256", `${method}\n${url}\n${ifMatch}\n${digest}`, "hex");
}

/** Whether the same request would fail in the same way whenever it is sent. */
function isFinal(error: unknown): boolean {
  if (!isSetpointError(error) || error.status >= 500) return false;
  return error.retry === "never";
}

/** The work may still be done: a repeat has to wait until the lease of the record is over. */
function isUncertain(error: unknown): boolean {
  return (
    isSetpointError(error, "request.timeout") || isSetpointError(error, "store.outcome_unknown")
  );
}

function outcomeOf({ status, document = {}, etag, headers = {} }: DocumentAnswer): JsonObject {
  const isStorable = JSON.stringify(document).length <= limits.maxIdempotentAnswerBytes;
  const note = { note: "the request was performed; its response was too large to be stored" };
  return {
    status,
    document: isStorable ? document : note,
    headers: { ...headers },
    ...(etag === undefined ? {} : { etag }),
  };
}

function replayed(outcome: JsonObject): DocumentAnswer {
  const headers: Record<string, string> = { "idempotency-replayed": "true" };
  for (const name of Object.keys(objectAt(outcome, "headers"))) {
    headers[name] = textAt(outcome, "headers", name);
  }
  const contentType = textAt(outcome, "contentType");
  if (contentType !== "") headers["content-type"] = contentType;
  const document = presentObjectAt(outcome, "document");
  const etag = textAt(outcome, "etag");
  return {
    kind: "document",
    status: numberAt(outcome, "status") ?? 200,
    headers,
    ...(document === undefined ? {} : { document }),
    ...(etag === "" ? {} : { etag }),
  };
}
