import assert from "node:assert/strict";
import { test } from "node:test";
import { credentialReasons } from "../kinds/credential-kind.ts";
import { credentialConditions } from "./credential-conditions.ts";

/** ErrorOccurred, ValidRepositoryURL and ValidRepositoryCredential. */
function words(found: Parameters<typeof credentialConditions>[0]): readonly string[] {
  return credentialConditions(found).map(({ status, reason }) => `${status} ${reason}`);
}

test("a valid credential has three conditions without an error", () => {
  assert.deepEqual(words(undefined), [
    "False RepositoryCredentialUpToDate",
    "True ValidRepositoryUrl",
    "True RepositoryCredentialUpToDate",
  ]);
});

test("each cause has its reason, and a host that is down blames neither", () => {
  const problem = { kind: "problem", message: "why", isFinal: true } as const;
  const fault = { kind: "fault", message: "why" } as const;
  for (const [found, error, url, credential] of [
    [{ ...fault, reason: "SecretNotFound" }, "SecretNotFound", "Unknown", "False"],
    [{ ...problem, reason: "AuthenticationFailed" }, "InvalidCredentials", "Unknown", "False"],
    [{ ...problem, reason: "RepositoryNotFound" }, "InvalidRepositoryUrl", "False", "Unknown"],
    [{ ...problem, reason: "TimedOut" }, "HostUnreachable", "Unknown", "Unknown"],
    [{ ...problem, reason: "CertificateInvalid" }, "ErrorOccurred", "Unknown", "Unknown"],
  ] as const) {
    const reason: string = error;
    assert.ok((credentialReasons as readonly string[]).includes(reason), reason);
    const expected = [`True ${error}`, `${url} ${error}`, `${credential} ${error}`];
    assert.deepEqual(words(found), expected);
  }
});
