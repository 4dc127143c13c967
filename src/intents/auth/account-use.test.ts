import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { accountUseProblem } from "./account-use.ts";
import { createRbac } from "./rbac.ts";
import type { Rbac } from "./rbac.ts";
import type { UserInfo } from "./user.ts";

const rbacApi = { apiGroup: "rbac.authorization.k8s.io" };
const account = { namespace: "a", name: "environment" };
const alice: UserInfo = { name: "alice", groups: ["system:authenticated", "team"], extra: {} };

function bind(rbac: Rbac, namespace: string, name: string, ...subjects: JsonObject[]): void {
  const roleRef = { ...rbacApi, kind: "Role", name: "editor" };
  rbac.put("RoleBinding", { metadata: { namespace, name }, roleRef, subjects });
}

const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
const serviceAccount = { kind: "ServiceAccount", ...account };
const user = { ...rbacApi, kind: "User", name: "alice" };

function withRoles(): Rbac {
  const rbac = createRbac();
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
  for (const namespace of ["a", "b"]) {
    rbac.put("Role", { metadata: { namespace, name: "editor" }, rules });
  }
  bind(rbac, "a", "both", serviceAccount, user);
  return rbac;
}

test("a user who has all rights of an account may act as it", () => {
  const rbac = withRoles();
  equal(accountUseProblem({ authorizer: rbac, rights: rbac }, alice, account), undefined);
});

for (const verb of ["use", "impersonate"]) {
  test(`a user with the verb ${verb} on an account may act as it, in its namespace only`, () => {
    const rbac = withRoles();
    rbac.put("ClusterRole", { metadata: { name: "all" }, rules: everything });
    const roleRef = { ...rbacApi, kind: "ClusterRole", name: "all" };
    rbac.put("ClusterRoleBinding", {
      metadata: { name: "accounts" },
      roleRef,
      subjects: [serviceAccount],
    });
    const rules = [{ apiGroups: [""], resources: ["serviceaccounts"], verbs: [verb] }];
    rbac.put("Role", { metadata: { namespace: "a", name: "editor" }, rules });
    equal(accountUseProblem({ authorizer: rbac, rights: rbac }, alice, account), undefined);
    const other = { namespace: "b", name: "environment" };
    rbac.put("ClusterRoleBinding", {
      metadata: { name: "others" },
      roleRef,
      subjects: [{ kind: "ServiceAccount", ...other }],
    });
    match(accountUseProblem({ authorizer: rbac, rights: rbac }, alice, other) ?? "", /missing/);
  });
}

test("the rights of an account in other namespaces count", () => {
  const rbac = withRoles();
  const problem = (): string =>
    accountUseProblem({ authorizer: rbac, rights: rbac }, alice, account) ?? "";
  bind(rbac, "b", "account", serviceAccount);
  match(problem(), /missing: .*configmaps.* in the namespace b$/);
  bind(rbac, "b", "user", user);
  equal(problem(), "");
});

test("a group of the account that the user is not in counts, and one of both does not", () => {
  const rbac = withRoles();
  const problem = (): string =>
    accountUseProblem({ authorizer: rbac, rights: rbac }, alice, account) ?? "";
  bind(rbac, "b", "all", { ...rbacApi, kind: "Group", name: "system:authenticated" });
  equal(problem(), "");
  rbac.remove({ kind: "RoleBinding", namespace: "b", name: "all" });
  bind(rbac, "b", "accounts", { ...rbacApi, kind: "Group", name: "system:serviceaccounts:a" });
  match(problem(), /in the namespace b$/);
  deepEqual(rbac.namespacesOf({ ...alice, groups: [] }), ["a"]);
});
