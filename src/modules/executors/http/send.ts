// Sends the requests of an HttpCall, with the limits of its spec, to addresses that are allowed. A
// failure has no text of the application: an answer may contain what was sent.

import type { HttpAnswer, HttpFailure, OpenHttp } from "../../../adapters/http/port.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { AllowedPlaces } from "../../../kernel/allowed-places.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { jsonOf } from "../../../kernel/json-lines.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { retryAfterMs } from "../../../kernel/retry-after.ts";
import { refusalOf } from "./addresses.ts";
import type { PlannedRequest } from "./requests.ts";

export interface Sender {
  readonly openHttp: OpenHttp;
  readonly call: Resource;
  readonly allowed: AllowedPlaces;
  readonly context: Pick<Context, "outside" | "clock" | "tracer">;
}

export interface HttpResponse {
  readonly status: number;
  /** As expressions see it: status, headers, body. */
  readonly document: JsonObject;
}

export interface SendOptions {
  readonly idempotencyKey?: string;
  /** Within the origin. */
  readonly maxRedirects?: number;
  /** Every status is an answer: for status endpoints. */
  readonly acceptsAll?: boolean;
}

/**
 * Any answer below 500, except 408 and 429. The failure for those, and for connections that fail,
 * is retried. The failure for an address that is not allowed is not.
 */
export async function sendRequest(
  { openHttp, call, allowed, context }: Sender,
  request: PlannedRequest,
  { idempotencyKey, maxRedirects = 0, acceptsAll = false }: SendOptions = {},
): Promise<HttpResponse> {
  const ca = textAt(call, "spec", "ca");
  using client = openHttp({
    ...(ca === "" ? {} : { tls: { ca, isPublicTrusted: true } }),
    refuseAddress: (address, host) => refusalOf(allowed, address, host),
  });
  const { url, method, body } = request;
  const traceparent = context.tracer.traceparent?.();
  return await context.outside(`http/${url.host}`, async (signal) => {
    const answer = await client.send({
      place: { kind: "origin", origin: url.origin },
      method,
      target: `${url.pathname}${url.search}`,
      headers: {
        accept: "application/json",
        "user-agent": "setpoint",
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      connection: "own",
      timeouts: { totalMs: (numberAt(call, "spec", "timeoutSeconds") ?? 30) * 1_000 },
      maxBytes: numberAt(call, "spec", "maxAnswerBytes") ?? 1_048_576,
      maxRedirects,
      signal,
    });
    if (answer.kind === "failure") {
      signal.throwIfAborted();
      throw failureOf(url.host, answer);
    }
    const { status, headers } = answer;
    if (acceptsAll || (status < 500 && status !== 408 && status !== 429)) return responseOf(answer);
    const afterMs = retryAfterMs(headers, context.clock.nowMs());
    const message = `${url.host} answered with status ${status}`;
    const later = afterMs === undefined ? {} : { afterMs };
    throw new ReconcileFailure(failed("ServerError", message, later));
  });
}

function responseOf({ status, headers, body }: HttpAnswer): HttpResponse {
  const parsed: Json = jsonOf(body) ?? body.toString("utf8");
  return { status, document: { status, headers: { ...headers }, body: parsed } };
}

function failureOf(host: string, { reason, code, message }: HttpFailure): ReconcileFailure {
  const inBrackets = code === "" ? "" : ` (${code})`;
  const made = (...given: Parameters<typeof failed>): ReconcileFailure =>
    new ReconcileFailure(failed(...given));
  switch (reason) {
    case "refused":
      return made("AddressForbidden", message, { retry: "never" });
    case "redirect":
      return made("RedirectRefused", `${host} redirects to another origin`, { retry: "never" });
    case "timeout":
      return made("Timeout", `${host} did not answer in time`);
    case "tooLarge": {
      const text = `the answer of ${host} is larger than spec.maxAnswerBytes`;
      return made("AnswerTooLarge", text, { retry: "slow" });
    }
    case "tls":
      return made("TlsFailed", `the certificate of ${host} was not accepted${inBrackets}`);
    default:
      return made("ConnectionFailed", `${host} cannot be reached${inBrackets}`);
  }
}
