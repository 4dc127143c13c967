import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { ReconcileFailure } from "../outcome.ts";
import type { Context } from "../reconciler.ts";
import { ServiceFailed, callService, invalidAnswer, refusedCall } from "./call-service.ts";
import type { ServiceAnswer, ServiceFailure } from "./call-service.ts";

const nowMs = Date.parse("2026-01-01T00:00:00Z");

function contextWith(signal = new AbortController().signal): Pick<Context, "outside" | "clock"> {
  return { clock: manualClock(nowMs), outside: async (_system, send) => await send(signal) };
}

async function call(
  result: ServiceAnswer | ServiceFailure,
  signal?: AbortSignal,
): Promise<ServiceAnswer> {
  const asked = { system: "a/b", service: "the service", send: () => Promise.resolve(result) };
  return await callService(contextWith(signal), asked);
}

const answer = (status: number, headers = {}): ServiceAnswer => {
  return { kind: "json", status, headers, json: { secret: "in the body" } };
};
const failure = (reason: string, code = ""): ServiceFailure => {
  return { kind: "failure", reason, code, isUnsent: code === "ECONNREFUSED" };
};

async function failedWith(result: ServiceAnswer | ServiceFailure): Promise<ServiceFailed> {
  const error: unknown = await call(result).then(
    () => assert.fail("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ServiceFailed);
  return error;
}

test("answers below 500 are returned, except those about the load of the service", async () => {
  for (const status of [200, 204, 302, 400, 401, 404, 422]) {
    assert.equal((await call(answer(status))).status, status);
  }
  const expected: readonly (readonly [number, string])[] = [
    [408, "Timeout"],
    [429, "TooManyRequests"],
    [500, "ServerError"],
    [503, "Unavailable"],
  ];
  for (const [status, reason] of expected) {
    const { outcome, isUnsent } = await failedWith(answer(status));
    const message = `the service answered with status ${status}`;
    assert.deepEqual(outcome, { kind: "failed", retry: "soon", reason, message });
    assert.equal(isUnsent, false);
  }
});

test("Retry-After decides about the next attempt", async () => {
  const { outcome } = await failedWith(answer(503, { "retry-after": "7" }));
  assert.equal(outcome.afterMs, 7_000);
});

test("a call without an answer has a reason, and no text of the network", async () => {
  const expected: readonly (readonly [ServiceFailure, string, string])[] = [
    [failure("timeout"), "Timeout", "the service did not answer in time"],
    [failure("tooLarge"), "AnswerTooLarge", "the answer of the service is too large"],
    [failure("invalid"), "InvalidAnswer", "the answer of the service is not valid"],
    [
      failure("tls", "CERT_HAS_EXPIRED"),
      "TlsFailed",
      "the certificate of the service was not accepted (CERT_HAS_EXPIRED)",
    ],
    [
      failure("connection", "ECONNREFUSED"),
      "ConnectionFailed",
      "the service refused the connection",
    ],
    [failure("connection"), "ConnectionFailed", "the service cannot be reached"],
    [
      failure("connection", "EHOSTUNREACH"),
      "ConnectionFailed",
      "the service cannot be reached (EHOSTUNREACH)",
    ],
  ];
  for (const [given, reason, message] of expected) {
    const { outcome, isUnsent } = await failedWith(given);
    assert.deepEqual([outcome.reason, outcome.message], [reason, message]);
    assert.equal(outcome.retry, reason === "AnswerTooLarge" ? "slow" : "soon");
    assert.equal(isUnsent, given.isUnsent);
  }
});

test("a run that was aborted ends with its own reason", async () => {
  const aborted = AbortSignal.abort(new Error("lease lost"));
  await assert.rejects(call(failure("aborted"), aborted), /^Error: lease lost$/);
});

test("a refusal is retried slowly and quotes one short line of the service", () => {
  const { outcome } = refusedCall(
    "the service",
    422,
    ` no\n\u0000such\u2028thing ${"x".repeat(999)}`,
  );
  assert.equal(outcome.retry, "slow");
  assert.equal(outcome.reason, "RequestRefused");
  const prefix = "the service refused the request with status 422: ";
  assert.equal(outcome.message, `${prefix}no such thing ${"x".repeat(286)}`);
  for (const status of [401, 403]) {
    const refused = refusedCall("the service", status, "");
    assert.equal(refused.outcome.reason, "CredentialsRefused");
    const message = `the service refused the credentials with status ${status}`;
    assert.equal(refused.outcome.message, message);
  }
});

test("an answer without what the protocol requires is retried soon", () => {
  const invalid = invalidAnswer("the service", "the zone");
  assert.ok(invalid instanceof ReconcileFailure);
  assert.deepEqual(
    [invalid.outcome.reason, invalid.outcome.retry, invalid.outcome.message],
    ["InvalidAnswer", "soon", "the service answered without the zone"],
  );
});
