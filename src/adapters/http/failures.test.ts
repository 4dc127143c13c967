import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressRefused, failureFrom } from "./failures.ts";
import type { Circumstances } from "./failures.ts";

const waiting: Circumstances = { phase: "waiting", isTls: true, isTls13: true };

function alert(number: number): Error {
  const text = `error:0A000000:SSL routines:ssl3_read_bytes:SSL alert number ${number}`;
  return new Error(text);
}

test("a certificate that TLS 1.3 refuses late leaves the request unsent", () => {
  const isUnsent = (error: Error, at: Circumstances): boolean => failureFrom(error, at).isUnsent;
  const judged = [40, 42, 47, 48, 116].map((each) => isUnsent(alert(each), waiting));
  assert.deepEqual(judged, [false, true, false, true, true]);
  assert.equal(isUnsent(alert(42), { ...waiting, isTls13: false }), false);
  assert.equal(isUnsent(alert(42), { ...waiting, phase: "body" }), false);
  const required = Object.assign(new Error("x"), {
    code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  });
  assert.equal(isUnsent(required, waiting), true);
});

test("an error becomes a failure by its reason", () => {
  const reasonOf = (code: string, message = "x"): string => {
    const { reason, code: told } = failureFrom(
      Object.assign(new Error(message), { code }),
      waiting,
    );
    return `${reason} ${told}`;
  };
  assert.equal(reasonOf("ECONNREFUSED"), "connection ECONNREFUSED");
  assert.equal(reasonOf("UND_ERR_SOCKET", "other side closed"), "connection ECONNRESET");
  assert.equal(reasonOf("UND_ERR_CONNECT_TIMEOUT"), "timeout ETIMEDOUT");
  assert.equal(reasonOf("UND_ERR_HEADERS_OVERFLOW"), "invalid UND_ERR_HEADERS_OVERFLOW");
  assert.equal(reasonOf("EPROTO"), "tls EPROTO");
  assert.equal(reasonOf("ERR_TLS_CERT_ALTNAME_INVALID"), "tls ERR_TLS_CERT_ALTNAME_INVALID");
  assert.equal(reasonOf("CERT_HAS_EXPIRED"), "tls CERT_HAS_EXPIRED");
  assert.equal(failureFrom(new AddressRefused("inner"), waiting).reason, "refused");
  assert.equal(failureFrom("text", waiting).message, "text");
});

test("a failure without TLS is never one of TLS", () => {
  const error = Object.assign(new Error("x"), { code: "EPROTO" });
  assert.equal(failureFrom(error, { ...waiting, isTls: false }).reason, "connection");
});
