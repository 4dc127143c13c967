// "May I?" and "may they?": SelfSubjectAccessReview, SubjectAccessReview, LocalSubjectAccessReview
// and SelfSubjectRulesReview. Nothing is stored; the answer is the object that was sent, with a
// status. What is wrong with a question is said as Kubernetes says it, down to the empty kind in
// its messages.

import { appendAll } from "../../kernel/append.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { objectAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { Access, Authorizer, PolicyRule } from "./policy.ts";
import { missingRolesText } from "./rbac.ts";
import type { Rbac } from "./rbac.ts";
import { invalidReview } from "./review-error.ts";
import { selectorErrors, selectorProblems } from "./review-selectors.ts";
import type { UserInfo } from "./user.ts";

const group = "authorization.k8s.io";

export function reviewSelfAccess(
  review: JsonObject,
  user: UserInfo,
  authorizer: Authorizer,
): JsonObject {
  const errors = [...specErrors(review), ...metadataErrors(review, [])];
  return answer("SelfSubjectAccessReview", review, errors, user, authorizer);
}

export function reviewAccess(review: JsonObject, authorizer: Authorizer): JsonObject {
  const errors = [...specErrors(review, userErrors(review)), ...metadataErrors(review, [])];
  return answer("SubjectAccessReview", review, errors, subjectOf(review), authorizer);
}

/** `namespace` is that of the request's path. */
export function reviewLocalAccess(
  review: JsonObject,
  namespace: string,
  authorizer: Authorizer,
): JsonObject {
  const own = textAt(objectAt(review, "metadata"), "namespace");
  const local = own === "" ? withNamespace(review, namespace) : review;
  const errors = [
    ...specErrors(local, userErrors(local)),
    ...metadataErrors(local, ["namespace"]),
    ...localErrors(local),
  ];
  if (errors.length === 0 && textAt(objectAt(local, "metadata"), "namespace") !== namespace) {
    const message = `spec.resourceAttributes.namespace must match namespace: ${namespace}`;
    throw new SetpointError("request.invalid", message);
  }
  return answer("LocalSubjectAccessReview", local, errors, subjectOf(local), authorizer);
}

export function reviewSelfRules(review: JsonObject, user: UserInfo, rbac: Rbac): JsonObject {
  const namespace = textAt(objectAt(review, "spec"), "namespace");
  if (namespace === "") throw new SetpointError("request.invalid", "no namespace on request");
  const { rules: all, missing } = rbac.rulesFor(user, namespace);
  const rules = firstRules(all);
  const isComplete = rules.length === all.length;
  const errors = [
    ...(missing.length === 0 ? [] : [missingRolesText(missing)]),
    ...(isComplete ? [] : [tooManyRules(rules.length, all.length)]),
  ];
  return {
    kind: "SelfSubjectRulesReview",
    apiVersion: `${group}/v1`,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.filter(({ resources }) => resources !== undefined).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => nonResourceURLs !== undefined)
        .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
      incomplete: !isComplete,
      ...(errors.length === 0 ? {} : { evaluationError: errors.join("; ") }),
    },
  };
}

/** The rules that one answer can show. */
function firstRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  let chars = 0;
  const end = rules.findIndex((rule) => {
    chars += perRuleChars;
    for (const values of Object.values(rule)) {
      for (const value of values as readonly string[]) chars += value.length + perValueChars;
    }
    return chars > limits.maxReviewedRuleChars;
  });
  return end < 0 ? rules : rules.slice(0, end);
}

/** What the answer needs for each beside the texts, about. */
const [perRuleChars, perValueChars] = [60, 3];

function tooManyRules(shown: number, all: number): string {
  const most = limits.maxReviewedRuleChars;
  return `the list shows ${shown} of ${all} rules, because it may have ${most} characters`;
}

function resourceRule(rule: PolicyRule): JsonObject {
  const { verbs, apiGroups = [], resources = [], resourceNames } = rule;
  const names = resourceNames === undefined ? {} : { resourceNames };
  return { verbs, apiGroups, resources, ...names };
}

function answer(
  kind: string,
  review: JsonObject,
  errors: readonly FieldError[],
  user: UserInfo,
  authorizer: Authorizer,
): JsonObject {
  if (errors.length > 0) throw invalidReview(group, errors);
  const { allowed, reason } = authorizer.authorize(user, accessOf(review));
  const evaluationError = evaluationErrorOf(review);
  const metadata = objectAt(review, "metadata");
  const status = {
    allowed,
    ...(reason === "" ? {} : { reason }),
    ...(evaluationError === "" ? {} : { evaluationError }),
  };
  return { kind, apiVersion: `${group}/v1`, metadata, spec: objectAt(review, "spec"), status };
}

function accessOf(review: JsonObject): Access {
  const spec = objectAt(review, "spec");
  const resource = getOwn(spec, "resourceAttributes");
  if (!isJsonObject(resource)) {
    const path = objectAt(spec, "nonResourceAttributes");
    return { kind: "path", verb: textAt(path, "verb"), path: textAt(path, "path") };
  }
  return {
    kind: "resource",
    verb: textAt(resource, "verb"),
    group: textAt(resource, "group"),
    resource: textAt(resource, "resource"),
    subresource: textAt(resource, "subresource"),
    namespace: textAt(resource, "namespace"),
    name: textAt(resource, "name"),
  };
}

function subjectOf(review: JsonObject): UserInfo {
  const spec = objectAt(review, "spec");
  const extra = objectAt(spec, "extra");
  return {
    name: textAt(spec, "user"),
    uid: textAt(spec, "uid"),
    groups: textsAt(spec, "groups"),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}

function withNamespace(review: JsonObject, namespace: string): JsonObject {
  return { ...review, metadata: { ...objectAt(review, "metadata"), namespace } };
}

function specErrors(review: JsonObject, ofUser: readonly FieldError[] = []): readonly FieldError[] {
  const spec = objectAt(review, "spec");
  const resource = getOwn(spec, "resourceAttributes");
  const path = getOwn(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  if (isJsonObject(resource) && isJsonObject(path)) {
    const detail = "cannot be specified in combination with resourceAttributes";
    errors.push(invalidField("spec.nonResourceAttributes", printedPath(path), detail));
  }
  if (!isJsonObject(resource) && !isJsonObject(path)) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalidField("spec.resourceAttributes", null, detail));
  }
  appendAll(errors, ofUser);
  if (!isJsonObject(resource)) return errors;
  return [
    ...errors,
    ...selectorErrors(objectOrAbsent(resource, "fieldSelector"), "field"),
    ...selectorErrors(objectOrAbsent(resource, "labelSelector"), "label"),
  ];
}

function userErrors(review: JsonObject): readonly FieldError[] {
  const spec = objectAt(review, "spec");
  if (textAt(spec, "user") !== "" || textsAt(spec, "groups").length > 0) return [];
  return [invalidField("spec.user", "", "at least one of user or group must be specified")];
}

function metadataErrors(review: JsonObject, allowed: readonly string[]): readonly FieldError[] {
  const metadata = objectAt(review, "metadata");
  const ignored = new Set([...allowed, "managedFields"]);
  const isEmpty = Object.entries(metadata).every(
    ([key, value]) => ignored.has(key) || value === null || value === "",
  );
  if (isEmpty) return [];
  const detail = allowed.length === 0 ? "must be empty" : "must be empty except for namespace";
  return [invalidField("metadata", metadata, detail)];
}

function localErrors(review: JsonObject): readonly FieldError[] {
  const spec = objectAt(review, "spec");
  const resource = getOwn(spec, "resourceAttributes");
  const path = getOwn(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  if (isJsonObject(resource)) {
    const namespace = textAt(resource, "namespace");
    if (namespace !== textAt(objectAt(review, "metadata"), "namespace")) {
      const field = "spec.resourceAttributes.namespace";
      errors.push(invalidField(field, namespace, "must match metadata.namespace"));
    }
  }
  if (isJsonObject(path)) {
    const detail = "disallowed on this kind of request";
    errors.push(invalidField("spec.nonResourceAttributes", printedPath(path), detail));
  }
  return errors;
}

/** Kubernetes prints the fields of its internal type, which are in upper case. */
function printedPath(path: JsonObject): JsonObject {
  return { Path: textAt(path, "path"), Verb: textAt(path, "verb") };
}

function evaluationErrorOf(review: JsonObject): string {
  const resource = objectAt(objectAt(review, "spec"), "resourceAttributes");
  return [
    ...selectorProblems(objectOrAbsent(resource, "fieldSelector"), "field"),
    ...selectorProblems(objectOrAbsent(resource, "labelSelector"), "label"),
  ].join("; ");
}

function objectOrAbsent(object: JsonObject, key: string): JsonObject | undefined {
  const value = getOwn(object, key);
  return isJsonObject(value) ? value : undefined;
}
