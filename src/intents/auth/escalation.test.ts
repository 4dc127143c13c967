import { test } from "node:test";
import { doesNotThrow, equal, ok, throws } from "node:assert/strict";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { atOnce } from "../../kernel/sliced.ts";
import { checkEscalation } from "./escalation.ts";
import type { RbacWrite } from "./escalation.ts";
import { createRbac } from "./rbac.ts";
import type { Rbac } from "./rbac.ts";

const bob = { name: "bob", groups: ["team", "system:authenticated"], extra: {} };
const group = "rbac.authorization.k8s.io";

function role(name: string, rules: readonly JsonObject[]): JsonObject {
  return { metadata: { name }, rules };
}

function rbacWith(...rules: readonly JsonObject[]): Rbac {
  const rbac = createRbac();
  rbac.put("ClusterRole", role("held", rules));
  rbac.put("ClusterRoleBinding", {
    metadata: { name: "held" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "held" },
    subjects: [{ kind: "User", name: "bob" }],
  });
  return rbac;
}

function write(rbac: Rbac, object: JsonObject, parts: Partial<RbacWrite> = {}): RbacWrite {
  return { user: bob, rbac, kind: "ClusterRole", object, old: undefined, ...parts };
}

function checked(attempt: RbacWrite): void {
  atOnce(checkEscalation(attempt));
}

function refusal(attempt: RbacWrite): string {
  let message = "";
  throws(
    () => checked(attempt),
    (error) => {
      if (error instanceof Error) message = error.message;
      return isSetpointError(error);
    },
  );
  return message;
}

const readPods = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const wantedRole = role("new", [
  readPods,
  { verbs: ["get"], apiGroups: ["apps"], resources: ["deployments/status"], resourceNames: ["a"] },
  { verbs: ["get", "post"], nonResourceURLs: ["/x"] },
]);

test("a role with rights that its writer lacks is refused, and what is missing listed", () => {
  equal(
    refusal(write(rbacWith({ verbs: ["get"], apiGroups: ["*"], resources: ["*"] }), wantedRole)),
    'clusterroles.rbac.authorization.k8s.io "new" is forbidden: user "bob" ' +
      '(groups=["team" "system:authenticated"]) is attempting to grant RBAC permissions not ' +
      "currently held:\n" +
      '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}\n' +
      '{NonResourceURLs:["/x"], Verbs:["get"]}\n' +
      '{NonResourceURLs:["/x"], Verbs:["post"]}',
  );
  equal(
    refusal(write(rbacWith(), wantedRole)).split("\n").slice(1).join("\n"),
    '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}\n' +
      '{APIGroups:["apps"], Resources:["deployments/status"], ResourceNames:["a"], ' +
      'Verbs:["get"]}\n' +
      '{NonResourceURLs:["/x"], Verbs:["get"]}\n' +
      '{NonResourceURLs:["/x"], Verbs:["post"]}',
  );
});

test("whoever holds the rights, may escalate, or is a master may write the role", () => {
  const paths = { verbs: ["*"], nonResourceURLs: ["*"] };
  const statuses = { verbs: ["get"], apiGroups: ["apps"], resources: ["*/status"] };
  doesNotThrow(() => checked(write(rbacWith(readPods, statuses, paths), wantedRole)));
  const escalate = { verbs: ["escalate"], apiGroups: [group], resources: ["clusterroles"] };
  doesNotThrow(() => checked(write(rbacWith(escalate), wantedRole)));
  const root = { name: "root", groups: ["system:masters"], extra: {} };
  doesNotThrow(() => checked(write(createRbac(), wantedRole, { user: root })));
});

test("rights limited to names do not cover the right on all names", () => {
  const limited = { ...readPods, resourceNames: ["a"] };
  refusal(write(rbacWith(limited), role("new", [readPods])));
  doesNotThrow(() => checked(write(rbacWith(readPods), role("new", [limited]))));
});

test("an aggregation rule needs every right there is", () => {
  const aggregated = {
    ...role("new", []),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
  };
  equal(
    refusal(write(rbacWith(readPods), aggregated)),
    'clusterroles.rbac.authorization.k8s.io "new" is forbidden: ' +
      "must have cluster-admin privileges to use the aggregationRule",
  );
  const all = [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ];
  doesNotThrow(() => checked(write(rbacWith(...all), aggregated)));
});

test("a binding needs the rights of its role, or the verb bind on it", () => {
  const object = {
    metadata: { name: "grab", namespace: "default" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "strong" },
    subjects: [{ kind: "User", name: "bob" }],
  };
  const attempt = (rbac: Rbac): RbacWrite => {
    rbac.put("ClusterRole", role("strong", [readPods]));
    return write(rbac, object, { kind: "RoleBinding" });
  };
  equal(
    refusal(attempt(rbacWith())),
    'rolebindings.rbac.authorization.k8s.io "grab" is forbidden: user "bob" ' +
      '(groups=["team" "system:authenticated"]) is attempting to grant RBAC permissions not ' +
      'currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
  );
  doesNotThrow(() => checked(attempt(rbacWith(readPods))));
  const bind = { verbs: ["bind"], apiGroups: [group], resources: ["clusterroles"] };
  const bindStrong = { ...bind, resourceNames: ["strong"] };
  doesNotThrow(() => checked(attempt(rbacWith(bindStrong))));
  refusal(attempt(rbacWith({ ...bind, resourceNames: ["weak"] })));
});

test("a binding to a role that does not exist needs the verb bind", () => {
  const object = {
    metadata: { name: "grab" },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "gone" },
  };
  equal(
    refusal(write(rbacWith(), object, { kind: "ClusterRoleBinding" })),
    'clusterrolebindings.rbac.authorization.k8s.io "gone" not found',
  );
  const rbac = rbacWith();
  rbac.put("ClusterRoleBinding", { ...object, subjects: [{ kind: "Group", name: "team" }] });
  ok(
    refusal(write(rbac, role("new", [readPods]))).endsWith(
      'Verbs:["get" "list"]}; resolution errors: ' +
        '[clusterroles.rbac.authorization.k8s.io "gone" not found]',
    ),
  );
});

test("changing only finalizers or owners grants nothing and is not checked", () => {
  const old = { ...wantedRole, metadata: { name: "new", finalizers: ["a/b"] } };
  doesNotThrow(() => checked(write(rbacWith(), wantedRole, { old })));
  refusal(write(rbacWith(), { ...wantedRole, other: 1 }, { old }));
});

test("a role with millions of rights is refused, and some missing ones are named", () => {
  const items = (prefix: string): readonly string[] =>
    Array.from({ length: 400 }, (_, i) => `${prefix}${i}`);
  const [verbs, apiGroups, resources] = [items("v"), items("g"), items("r")];
  const huge = role("huge", [{ verbs, apiGroups, resources }]);
  const message = refusal(write(rbacWith(), huge));
  ok(message.includes('permissions not currently held:\n{APIGroups:["g0"], Resources:["r0"]'));
  ok(message.endsWith("\nand possibly more"));
  const halves = [verbs.slice(0, 200), verbs.slice(200)];
  const held = halves.map((half) => ({ verbs: half, apiGroups, resources }));
  ok(refusal(write(rbacWith(...held), huge)).includes("grant too many RBAC permissions"));
});
