import { deepEqual, equal, notEqual } from "node:assert/strict";
import { test } from "node:test";
import { createRbac } from "../../intents/auth/rbac.ts";
import type { Rbac } from "../../intents/auth/rbac.ts";
import { authenticatedGroup, serviceAccountGroups } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { addressTenant, hasSmallShare, noRoleTenant, tenantOf } from "./tenant.ts";

function user(name: string, groups: readonly string[] = []): UserInfo {
  return { name, groups: [authenticatedGroup, ...groups], extra: {} };
}

function bind(rbac: Rbac, namespace: string, kind: string, name: string): void {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" };
  const metadata = namespace === "" ? { name } : { name, namespace };
  const object = { metadata, roleRef, subjects: [{ kind, name }] };
  rbac.put(namespace === "" ? "ClusterRoleBinding" : "RoleBinding", object);
}

test("a request counts for its namespace only if the caller has a role there", () => {
  const rbac = createRbac();
  bind(rbac, "team-a", "User", "ann");
  bind(rbac, "team-b", "Group", "b-members");
  const ann = user("ann");
  equal(tenantOf(rbac, ann, "team-a"), "namespace team-a");
  equal(tenantOf(rbac, ann, "team-b"), "user ann", "the share of another tenant is not used");
  equal(tenantOf(rbac, ann, ""), "user ann");
  equal(tenantOf(rbac, user("bob", ["b-members"]), "team-b"), "namespace team-b");
});

test("a role for the whole cluster makes the user the tenant, in every namespace", () => {
  const rbac = createRbac();
  bind(rbac, "", "User", "operator");
  equal(tenantOf(rbac, user("operator"), "team-a"), "user operator");
});

test("callers without a role are one tenant, whatever every user may do", () => {
  const rbac = createRbac();
  bind(rbac, "", "Group", authenticatedGroup);
  bind(rbac, "open", "Group", authenticatedGroup);
  const tenants = [user("x"), user("y")].flatMap((one) => [
    tenantOf(rbac, one, ""),
    tenantOf(rbac, one, "open"),
  ]);
  deepEqual(new Set(tenants), new Set([noRoleTenant]));
});

test("service accounts of a namespace share its tenant", () => {
  const rbac = createRbac();
  bind(rbac, "team-a", "Group", "system:serviceaccounts:team-a");
  const names = ["one", "two"].map((name) =>
    user(`system:serviceaccount:team-a:${name}`, serviceAccountGroups("team-a")),
  );
  const tenants = names.map((account) => tenantOf(rbac, account, ""));
  deepEqual(tenants, ["namespace team-a", "namespace team-a"]);
});

test("a request without credentials counts for its address, with a small share", () => {
  equal(addressTenant("::ffff:10.0.0.1"), addressTenant("10.0.0.1"));
  equal(hasSmallShare(addressTenant("10.0.0.1")), true);
  equal(hasSmallShare("user callers at 10.0.0.1"), false);
  equal(addressTenant("2001:db8:0:7::1"), addressTenant("2001:db8::7:ffff:0:0:2"));
  notEqual(addressTenant("2001:db8:0:7::1"), addressTenant("2001:db8:0:8::1"));
  notEqual(addressTenant("::1"), addressTenant("fe80::1%eth0"));
});

test("a role ends with its last binding", () => {
  const rbac = createRbac();
  bind(rbac, "team-a", "User", "ann");
  bind(rbac, "team-b", "User", "ann");
  rbac.remove({ kind: "RoleBinding", namespace: "team-a", name: "ann" });
  equal(tenantOf(rbac, user("ann"), "team-a"), "user ann");
  rbac.remove({ kind: "RoleBinding", namespace: "team-b", name: "ann" });
  equal(tenantOf(rbac, user("ann"), ""), noRoleTenant);
});
