import { test } from "node:test";
import { deepEqual, equal, rejects } from "node:assert/strict";
import { decodeJwt } from "jose";
import { manualClock } from "../../kernel/clock.ts";
import { seededIds } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { seededRandom } from "../../kernel/random.ts";
import { createTokenSigner } from "./service-account-token.ts";
import { generateSigningKey, readSigningKey } from "./signing-key.ts";
import { issueToken } from "./token-request.ts";
import type { IssuedToken } from "./token-request.ts";

const signer = createTokenSigner({
  issuer: "https://setpoint.test",
  keys: [readSigningKey(generateSigningKey())],
  ids: seededIds(seededRandom(1)),
});

function issue(spec: JsonObject, metadata: JsonObject = {}, most?: number): Promise<IssuedToken> {
  return issueToken({
    request: { metadata, spec },
    namespace: "default",
    serviceAccount: { name: "ci", uid: "u1" },
    lookup: { secret: (_, name) => (name === "s" ? { uid: "s1" } : undefined) },
    signer,
    apiAudiences: ["https://setpoint.test"],
    maxExpirationSeconds: most,
    clock: manualClock(Date.UTC(2026, 0, 1)),
  });
}

test("what is not asked for is filled in, and the token says the same", async () => {
  const { object, warnings } = await issue({});
  const token = textAt(objectAt(object, "status"), "token");
  deepEqual(object, {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {
      name: "ci",
      namespace: "default",
      uid: "u1",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      audiences: ["https://setpoint.test"],
      expirationSeconds: 3_600,
      boundObjectRef: null,
    },
    status: { token, expirationTimestamp: "2026-01-01T01:00:00Z" },
  });
  deepEqual(warnings, []);
  const { jti, ...claims } = decodeJwt(token);
  equal(typeof jti, "string");
  deepEqual(claims, {
    iss: "https://setpoint.test",
    aud: ["https://setpoint.test"],
    sub: "system:serviceaccount:default:ci",
    iat: Date.UTC(2026, 0, 1) / 1_000,
    nbf: Date.UTC(2026, 0, 1) / 1_000,
    exp: Date.UTC(2026, 0, 1) / 1_000 + 3_600,
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "ci", uid: "u1" } },
  });
});

test("a token may be bound to a Secret, and to nothing else", async () => {
  const ref = { apiVersion: "v1", kind: "Secret", name: "s" };
  const { object } = await issue({ boundObjectRef: ref });
  const claims = decodeJwt(textAt(objectAt(object, "status"), "token"));
  deepEqual(claims["kubernetes.io"], {
    namespace: "default",
    secret: { name: "s", uid: "s1" },
    serviceaccount: { name: "ci", uid: "u1" },
  });
  await rejects(issue({ boundObjectRef: { ...ref, name: "t" } }), {
    message: 'secrets "t" not found',
  });
  await rejects(issue({ boundObjectRef: { ...ref, uid: "other" } }), {
    message:
      'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference ' +
      "(other) does not match the UID in record. The object might have been deleted and then " +
      "recreated",
  });
  await rejects(issue({ boundObjectRef: { ...ref, kind: "Widget" } }), {
    message: "cannot bind token to object of type /v1, Kind=Widget",
  });
});

test("lives that are too short or too long, and other names, are refused", async () => {
  const prefix =
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: ' +
    "Invalid value: ";
  await rejects(issue({ expirationSeconds: 599 }), {
    message: `${prefix}599: may not specify a duration less than 10 minutes`,
  });
  await rejects(issue({ expirationSeconds: 2 ** 32 + 1 }), {
    message: `${prefix}4294967297: may not specify a duration larger than 2^32 seconds`,
  });
  await rejects(issue({}, { name: "other" }), {
    message:
      'TokenRequest.authentication.k8s.io "ci" is invalid: metadata.name: Invalid value: ' +
      '"other": must match the service account name if specified',
  });
});

test("a request for an account that was replaced meanwhile conflicts", async () => {
  await rejects(issue({}, { uid: "u0" }), {
    message:
      'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "ci": the UID in the ' +
      "token request (u0) does not match the UID of the service account (u1)",
  });
});

test("a life beyond the server's limit is shortened with a warning", async () => {
  const { object, warnings } = await issue({ expirationSeconds: 7_200 }, {}, 3_600);
  equal(objectAt(object, "spec")["expirationSeconds"], 3_600);
  deepEqual(warnings, ["requested expiration of 7200 seconds shortened to 3600 seconds"]);
});
