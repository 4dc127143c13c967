// The expected answers and messages were taken from a running kube-apiserver.

import { test } from "node:test";
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { manualClock } from "../../kernel/clock.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import {
  reviewAccess,
  reviewLocalAccess,
  reviewSelfAccess,
  reviewSelfRules,
} from "./access-review.ts";
import { createAuthentication } from "./authentication.ts";
import { bootstrapPolicy } from "./bootstrap-policy.ts";
import { reviewSelf, reviewToken } from "./identity-review.ts";
import { createRbac } from "./rbac.ts";
import { parseTokenFile, tokenFileAuthenticator } from "./static-tokens.ts";

const bob = { name: "bob", uid: "2", groups: ["system:authenticated"], extra: {} };
const rbac = createRbac();
for (const object of bootstrapPolicy()) {
  const kind = textAt(object, "kind");
  if (kind === "ClusterRole" || kind === "ClusterRoleBinding") rbac.put(kind, object);
}

function failure(run: () => unknown): string {
  let message = "";
  throws(run, (error) => {
    if (error instanceof Error) message = error.message;
    return true;
  });
  return message;
}

test("an access review answers with the question and a status", () => {
  const spec = { nonResourceAttributes: { path: "/api", verb: "get" } };
  deepEqual(reviewSelfAccess({ spec }, bob, rbac), {
    kind: "SelfSubjectAccessReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec,
    status: {
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole ' +
        '"system:discovery" to Group "system:authenticated"',
    },
  });
  const pods = { verb: "get", resource: "pods", labelSelector: { rawSelector: "a in (" } };
  const asked = reviewAccess({ spec: { user: "bob", resourceAttributes: pods } }, rbac);
  deepEqual(objectAt(asked, "status"), {
    allowed: false,
    evaluationError: "spec.resourceAttributes.labelSelector ignored due to parse error",
  });
  const masters = { groups: ["system:masters"], resourceAttributes: { verb: "get" } };
  deepEqual(objectAt(reviewAccess({ spec: masters }, rbac), "status"), { allowed: true });
});

test("an access review must ask exactly one thing about somebody, and have no metadata", () => {
  const refused = (review: JsonObject): string =>
    failure(() => reviewSelfAccess(review, bob, rbac));
  equal(
    refused({ spec: {} }),
    '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly ' +
      "one of nonResourceAttributes or resourceAttributes must be specified",
  );
  equal(
    refused({
      metadata: { name: "x" },
      spec: { resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/x" } },
    }),
    '.authorization.k8s.io "" is invalid: [spec.nonResourceAttributes: Invalid value: ' +
      '{"Path":"/x","Verb":""}: cannot be specified in combination with resourceAttributes, ' +
      'metadata: Invalid value: {"name":"x"}: must be empty]',
  );
  const nobody = { resourceAttributes: { verb: "get", resource: "pods", labelSelector: {} } };
  equal(
    failure(() => reviewAccess({ spec: nobody }, rbac)),
    '.authorization.k8s.io "" is invalid: [spec.user: Invalid value: "": at least one of user ' +
      "or group must be specified, spec.resourceAttributes.labelSelector.requirements: Required " +
      "value: when spec.resourceAttributes.labelSelector is specified, requirements or " +
      "rawSelector is required]",
  );
});

test("selectors of an access review are checked, and what is ignored of them is said", () => {
  const about = (resourceAttributes: JsonObject): JsonObject =>
    reviewAccess({ spec: { user: "bob", resourceAttributes } }, rbac);
  const requirements = [{ key: "", operator: "In" }];
  equal(
    failure(() => about({ labelSelector: { requirements: [{ key: "a", operator: "In" }] } })),
    '.authorization.k8s.io "" is invalid: ' +
      "spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must be " +
      "specified when `operator` is 'In' or 'NotIn'",
  );
  equal(
    failure(() => about({ fieldSelector: { rawSelector: "a=b", requirements } })),
    '.authorization.k8s.io "" is invalid: ' +
      '[spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "a=b": may not ' +
      "specified at the same time as requirements, " +
      "spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be " +
      "specified, spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: " +
      "must be specified when `operator` is 'In' or 'NotIn']",
  );
  const known = { key: "a", operator: "In", values: ["b"] };
  const future = { key: "a", operator: "Near", values: ["b"] };
  const answered = about({
    fieldSelector: { requirements: [known, future] },
    labelSelector: { requirements: [future] },
  });
  equal(
    objectAt(answered, "status")["evaluationError"],
    "spec.resourceAttributes.fieldSelector partially ignored due to parse error; " +
      "spec.resourceAttributes.labelSelector ignored due to parse error",
  );
});

test("a local access review stays in its namespace", () => {
  const about = (resourceAttributes: JsonObject): JsonObject => ({
    spec: { user: "bob", resourceAttributes },
  });
  const own = about({ verb: "get", resource: "pods", namespace: "default" });
  const answered = reviewLocalAccess(own, "default", rbac);
  deepEqual(objectAt(answered, "metadata"), { namespace: "default" });
  deepEqual(objectAt(answered, "status"), { allowed: false });
  equal(
    failure(() => reviewLocalAccess(about({ namespace: "other" }), "default", rbac)),
    '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: ' +
      '"other": must match metadata.namespace',
  );
  const path = { spec: { user: "bob", nonResourceAttributes: { verb: "get", path: "/x" } } };
  equal(
    failure(() => reviewLocalAccess(path, "default", rbac)),
    '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: ' +
      '{"Path":"/x","Verb":"get"}: disallowed on this kind of request',
  );
});

test("the rules of a user are listed for one namespace", () => {
  const review = reviewSelfRules({ spec: { namespace: "default" } }, bob, rbac);
  deepEqual(objectAt(review, "status")["resourceRules"], [
    {
      verbs: ["create"],
      apiGroups: ["authorization.k8s.io"],
      resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
    {
      verbs: ["create"],
      apiGroups: ["authentication.k8s.io"],
      resources: ["selfsubjectreviews"],
    },
  ]);
  equal(objectAt(review, "status")["incomplete"], false);
  equal(
    failure(() => reviewSelfRules({ spec: {} }, bob, rbac)),
    "no namespace on request",
  );
});

test("a list of rules that is too long is cut and says so", () => {
  const wide = createRbac();
  const names = Array.from({ length: 10 }, (_, index) => `wide-${index}`);
  const apiGroup = "rbac.authorization.k8s.io";
  for (const name of names) {
    const text = (at: number): string => `${name}-${at}-${"x".repeat(100)}`;
    const rules = Array.from({ length: 2_000 }, (_, at) => ({
      verbs: ["get"],
      apiGroups: [text(at)],
      resources: ["things"],
    }));
    wide.put("ClusterRole", { metadata: { name }, rules });
    wide.put("ClusterRoleBinding", {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects: [{ apiGroup, kind: "User", name: "bob" }],
    });
  }
  const status = objectAt(reviewSelfRules({ spec: { namespace: "x" } }, bob, wide), "status");
  const shown = (status["resourceRules"] as readonly unknown[]).length;
  ok(shown > 1_000 && shown < 20_000);
  ok(JSON.stringify(status).length < 1.2 * limits.maxReviewedRuleChars);
  equal(status["incomplete"], true);
  match(textAt(status, "evaluationError"), new RegExp(`shows ${shown} of 20000 rules`));
});

test("a token review names the user, or says why there is none", async () => {
  const apiAudiences = ["https://setpoint.test"];
  const users = parseTokenFile("alice-token,alice,4,devs");
  const authentication = createAuthentication({
    tokens: [tokenFileAuthenticator({ users, apiAudiences })],
    apiAudiences,
    isAnonymousAllowed: true,
  });
  const statusOf = async (spec: JsonObject): Promise<JsonObject> =>
    objectAt(await reviewToken({ spec }, authentication, apiAudiences), "status");
  deepEqual(await statusOf({ token: "alice-token" }), {
    authenticated: true,
    user: { username: "alice", uid: "4", groups: ["devs", "system:authenticated"] },
    audiences: apiAudiences,
  });
  const unknown = { user: {}, error: "invalid bearer token" };
  deepEqual(await statusOf({ token: "nope" }), unknown);
  deepEqual(await statusOf({ token: "alice-token", audiences: ["x"] }), unknown);
  await rejects(statusOf({}), { message: "token is required for TokenReview in authentication" });
});

test("whoever asks who they are is told", () => {
  deepEqual(reviewSelf(bob, manualClock(Date.UTC(2026, 0, 1))), {
    kind: "SelfSubjectReview",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { userInfo: { username: "bob", uid: "2", groups: ["system:authenticated"] } },
  });
});
