// The index is compared with the plainest possible evaluator, which looks at every object for every
// question, over random policies and random changes to them; the examples fix the words.

import { test } from "node:test";
import { deepEqual, equal, ok } from "node:assert/strict";
import * as fc from "fast-check";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { bootstrapPolicy } from "./bootstrap-policy.ts";
import { forbiddenAccess } from "./forbidden.ts";
import { roleRefOf, ruleAllows, rulesOf, subjectsOf } from "./policy.ts";
import type { Access, PathAccess, PolicyRule, ResourceAccess } from "./policy.ts";
import { createRbac } from "./rbac.ts";
import type { Rbac, RbacKind } from "./rbac.ts";
import { clusterRoleOf, aggregateRules } from "./role-aggregation.ts";
import type { UserInfo } from "./user.ts";

const bob = user("bob");

function user(name: string, groups: readonly string[] = []): UserInfo {
  return { name, groups, extra: {} };
}

function access(parts: Partial<ResourceAccess> = {}): ResourceAccess {
  return {
    kind: "resource",
    verb: "get",
    group: "example.dev",
    resource: "widgets",
    subresource: "",
    namespace: "default",
    name: "",
    ...parts,
  };
}

function path(verb: string, at: string): PathAccess {
  return { kind: "path", verb, path: at };
}

function role(name: string, rules: readonly PolicyRule[], namespace = ""): JsonObject {
  const scope = namespace === "" ? {} : { namespace };
  return { metadata: { name, ...scope }, rules: rules.map((rule) => ({ ...rule })) };
}

function binding(
  name: string,
  roleRef: { readonly kind: string; readonly name: string },
  subjects: readonly JsonObject[],
  namespace = "",
): JsonObject {
  return { metadata: { name, ...(namespace === "" ? {} : { namespace }) }, roleRef, subjects };
}

const everyWidget: PolicyRule = {
  verbs: ["get"],
  apiGroups: ["example.dev"],
  resources: ["widgets"],
};

test("what no binding grants is refused, and masters may do everything", () => {
  const rbac = createRbac();
  deepEqual(rbac.authorize(bob, access()), { allowed: false, reason: "" });
  const root = user("root", ["system:masters"]);
  deepEqual(rbac.authorize(root, access()), { allowed: true, reason: "" });
});

test("the reason names the binding, the role and the subject", () => {
  const rbac = createRbac();
  rbac.put("ClusterRole", role("y", [everyWidget]));
  rbac.put(
    "ClusterRoleBinding",
    binding("x", { kind: "ClusterRole", name: "y" }, [{ kind: "User", name: "bob" }]),
  );
  deepEqual(rbac.authorize(bob, access()), {
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "x" of ClusterRole "y" to User "bob"',
  });
  rbac.put("Role", role("r", [everyWidget], "default"));
  const account = { kind: "ServiceAccount", name: "ci" };
  rbac.put("RoleBinding", binding("b", { kind: "Role", name: "r" }, [account], "default"));
  deepEqual(rbac.authorize(user("system:serviceaccount:default:ci"), access()), {
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "b/default" of Role "r" to ServiceAccount "ci/default"',
  });
});

test("a denial says which bound role does not exist", () => {
  const rbac = createRbac();
  const subjects = [{ kind: "Group", name: "team" }];
  rbac.put("ClusterRoleBinding", binding("x", { kind: "ClusterRole", name: "gone" }, subjects));
  const member = user("ann", ["team"]);
  const first = 'clusterrole.rbac.authorization.k8s.io "gone" not found';
  equal(rbac.authorize(member, access()).reason, `RBAC: ${first}`);
  rbac.put("RoleBinding", binding("b", { kind: "Role", name: "r" }, subjects, "default"));
  const second = 'role.rbac.authorization.k8s.io "r" not found';
  equal(rbac.authorize(member, access()).reason, `RBAC: [${first}, ${second}]`);
});

test("a subresource is granted by its name or a star before the slash, not by its parent", () => {
  const status = access({ subresource: "status" });
  const allowedBy = (...resources: readonly string[]): boolean => {
    const rbac = createRbac();
    rbac.put("ClusterRole", role("y", [{ ...everyWidget, resources }]));
    const subjects = [{ kind: "User", name: "bob" }];
    rbac.put("ClusterRoleBinding", binding("x", { kind: "ClusterRole", name: "y" }, subjects));
    return rbac.authorize(bob, status).allowed;
  };
  ok(!allowedBy("widgets"));
  ok(allowedBy("widgets/status"));
  ok(allowedBy("*/status"));
  ok(allowedBy("*"));
  ok(!allowedBy("*/scale"));
});

test("refusals read as they do in Kubernetes", () => {
  const message = (asked: Access, reason = ""): string =>
    forbiddenAccess(bob, asked, reason).message;
  equal(
    message(access({ verb: "list" })),
    'widgets.example.dev is forbidden: User "bob" cannot list resource "widgets" in API group ' +
      '"example.dev" in the namespace "default"',
  );
  equal(
    message(access({ namespace: "", subresource: "status", name: "a" }), "RBAC: why"),
    'widgets.example.dev "a" is forbidden: User "bob" cannot get resource "widgets/status" in ' +
      'API group "example.dev" at the cluster scope: RBAC: why',
  );
  equal(
    message(access({ group: "", resource: "pods" })),
    'pods is forbidden: User "bob" cannot get resource "pods" in API group "" in the ' +
      'namespace "default"',
  );
  equal(message(path("get", "/foo")), 'forbidden: User "bob" cannot get path "/foo"');
  equal(message(path("get", "/<a>")), 'forbidden: User "bob" cannot get path "/&lt;a&gt;"');
});

test("the default roles let users discover, view and edit, each within its bounds", () => {
  const rbac = createRbac();
  for (const object of bootstrapPolicy()) put(rbac, object);
  const known = user("bob", ["system:authenticated"]);
  ok(rbac.authorize(known, path("get", "/apis/apps")).allowed);
  ok(!rbac.authorize(known, path("get", "/metrics")).allowed);
  ok(!rbac.authorize(user("x", ["system:unauthenticated"]), path("get", "/api")).allowed);
  ok(rbac.authorize(user("x", ["system:unauthenticated"]), path("get", "/healthz")).allowed);
  const subjects = [{ kind: "User", name: "bob" }];
  rbac.put("RoleBinding", binding("b", { kind: "ClusterRole", name: "edit" }, subjects, "default"));
  const secrets = access({ group: "", resource: "secrets", verb: "list" });
  ok(rbac.authorize(bob, secrets).allowed);
  ok(rbac.authorize(bob, { ...secrets, resource: "pods" }).allowed);
  ok(!rbac.authorize(bob, { ...secrets, namespace: "other" }).allowed);
  const why = access({ group: "shop.example", resource: "carts", subresource: "why", verb: "get" });
  ok(rbac.authorize(bob, why).allowed, "whoever may view may ask why");
  ok(!rbac.authorize(bob, { ...why, subresource: "status" }).allowed);
  const roles = access({ group: "rbac.authorization.k8s.io", resource: "roles", verb: "create" });
  ok(!rbac.authorize(bob, roles).allowed);
  rbac.put(
    "RoleBinding",
    binding("b", { kind: "ClusterRole", name: "admin" }, subjects, "default"),
  );
  ok(rbac.authorize(bob, roles).allowed);
  const view = { apiGroup: "", kind: "ClusterRole", name: "view" };
  const held = rbac.rulesOfRole(view, "")?.length ?? 0;
  ok(held > 5);
  const added = clusterRoleOf({
    metadata: { name: "more", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
  });
  rbac.put("ClusterRole", {
    metadata: { name: "more", labels: added.labels },
    rules: [{ ...everyWidget }],
  });
  equal(rbac.rulesOfRole(view, "")?.length, held + 1);
  ok(rbac.authorize(bob, access()).allowed, "edit and admin gather what view gathers");
});

test("cluster roles that select each other end, with the rules of all", () => {
  const one = { verbs: ["get"], nonResourceURLs: ["/one"] };
  const roles = ["a", "b", "c"].map((name) =>
    clusterRoleOf({
      metadata: { name, labels: { all: "yes" } },
      rules: [one],
      ...(name === "c"
        ? {}
        : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { all: "yes" } }] } }),
    }),
  );
  const found = aggregateRules(new Map(roles.map((each) => [each.name, each])));
  deepEqual(
    [...found],
    [
      ["a", [one]],
      ["b", [one]],
    ],
  );
});

test("the index decides like an evaluator that reads every object, after any changes", () => {
  fc.assert(
    fc.property(
      changesArbitrary,
      fc.array(questionArbitrary, { maxLength: 12 }),
      (changes, asked) => {
        const rbac = createRbac();
        const stored = new Map<string, { readonly kind: RbacKind; readonly object: JsonObject }>();
        for (const { kind, object, isRemoval } of changes) {
          const { name, namespace } = nameOf(object);
          const key = `${kind}/${namespace}/${name}`;
          if (isRemoval) {
            rbac.remove({ kind, namespace, name });
            stored.delete(key);
          } else {
            rbac.put(kind, object);
            stored.set(key, { kind, object });
          }
        }
        for (const { who, what } of asked) {
          const rules = naiveRules([...stored.values()], who, what);
          const expected = rules.some((rule) => ruleAllows(rule, what));
          equal(rbac.authorize(who, what).allowed, expected);
          const namespace = what.kind === "resource" ? what.namespace : "";
          const found = rbac.rulesFor(who, namespace).rules.some((rule) => ruleAllows(rule, what));
          equal(found, expected);
        }
      },
    ),
    { numRuns: 400 },
  );
});

test("a decision costs microseconds, however many bindings others have", () => {
  const rbac = createRbac();
  for (const object of bootstrapPolicy()) put(rbac, object);
  for (let i = 0; i < 5_000; i++) {
    const subjects = [{ kind: "User", name: `user-${i}` }];
    const ref = { kind: "ClusterRole", name: "view" };
    rbac.put("RoleBinding", binding("b", ref, subjects, `ns-${i}`));
  }
  const typical = user("user-7", ["team-a", "team-b", "system:authenticated"]);
  const asked = access({ group: "", resource: "configmaps", verb: "list", namespace: "ns-7" });
  ok(rbac.authorize(typical, asked).allowed);
  const runs = 50_000;
  // Time on the processor, so that a busy machine does not matter.
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i++) rbac.authorize(typical, asked);
  const eachUs = process.cpuUsage(before).user / runs;
  ok(eachUs < 30, `${eachUs} us`);
});

function put(rbac: Rbac, object: JsonObject): void {
  const kind = textAt(object, "kind");
  if (kind === "ClusterRole" || kind === "ClusterRoleBinding") rbac.put(kind, object);
}

function nameOf(object: JsonObject): { readonly name: string; readonly namespace: string } {
  const metadata = objectAt(object, "metadata");
  return { name: textAt(metadata, "name"), namespace: textAt(metadata, "namespace") };
}

/** Looks at everything, in the order of the definition. */
function naiveRules(
  stored: readonly { readonly kind: RbacKind; readonly object: JsonObject }[],
  who: UserInfo,
  what: Access,
): readonly PolicyRule[] {
  const asked = what.kind === "resource" ? what.namespace : "";
  return stored.flatMap(({ kind, object }) => {
    if (!kind.endsWith("Binding")) return [];
    const { namespace } = nameOf(object);
    if (kind === "RoleBinding" && (asked === "" || namespace !== asked)) return [];
    const isBound = subjectsOf(object).some((subject) => {
      if (subject.kind === "Group") return who.groups.includes(subject.name);
      if (subject.kind === "User") return who.name === subject.name;
      const of = subject.namespace === "" ? namespace : subject.namespace;
      return of !== "" && who.name === `system:serviceaccount:${of}:${subject.name}`;
    });
    if (!isBound) return [];
    const ref = roleRefOf(object);
    const found = stored.find(
      (each) =>
        each.kind === ref.kind &&
        nameOf(each.object).name === ref.name &&
        (ref.kind === "ClusterRole" || nameOf(each.object).namespace === namespace),
    );
    return found === undefined ? [] : rulesOf(found.object);
  });
}

const some = (...items: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.subarray([...items], { minLength: 1 });
const namespaces = fc.constantFrom("n1", "n2");
const names = fc.constantFrom("a", "b");

const ruleArbitrary: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({
    verbs: some("get", "list", "*"),
    apiGroups: some("", "example.dev", "*"),
    resources: some("widgets", "widgets/status", "*/status", "*", "gears"),
    resourceNames: fc.constantFrom([], ["w1"], ["w1", "w2"]),
  }),
  fc.record({ verbs: some("get", "*"), nonResourceURLs: some("/a", "/a/*", "*", "/b**") }),
);

const subjectArbitrary: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ kind: fc.constantFrom("User", "Group"), name: fc.constantFrom("bob", "team") }),
  fc.record({
    kind: fc.constant("ServiceAccount"),
    name: fc.constant("ci"),
    namespace: fc.constantFrom("", "n1"),
  }),
);

const changesArbitrary = fc.array(
  fc
    .record({
      kind: fc.constantFrom<RbacKind>("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"),
      name: names,
      namespace: namespaces,
      rules: fc.array(ruleArbitrary, { maxLength: 3 }),
      subjects: fc.array(subjectArbitrary, { maxLength: 3 }),
      refKind: fc.constantFrom("Role", "ClusterRole"),
      refName: names,
      isRemoval: fc.boolean(),
    })
    .map(({ kind, name, namespace, rules, subjects, refKind, refName, isRemoval }) => {
      const metadata = kind.startsWith("Cluster") ? { name } : { name, namespace };
      const roleRef = { kind: kind === "RoleBinding" ? refKind : "ClusterRole", name: refName };
      const body = kind.endsWith("Binding") ? { subjects, roleRef } : { rules };
      return { kind, object: { metadata, ...body } satisfies JsonObject, isRemoval };
    }),
  { maxLength: 30 },
);

const questionArbitrary = fc.record({
  who: fc.record({
    name: fc.constantFrom("bob", "team", "system:serviceaccount:n1:ci", "ann"),
    groups: fc.subarray(["team", "bob"]),
    extra: fc.constant({}),
  }),
  what: fc.oneof(
    fc.record({
      kind: fc.constant("resource" as const),
      verb: fc.constantFrom("get", "list", "delete"),
      group: fc.constantFrom("", "example.dev", "other"),
      resource: fc.constantFrom("widgets", "gears"),
      subresource: fc.constantFrom("", "status", "scale"),
      namespace: fc.constantFrom("", "n1", "n2"),
      name: fc.constantFrom("", "w1", "w3"),
    }),
    fc.record({
      kind: fc.constant("path" as const),
      verb: fc.constantFrom("get", "post"),
      path: fc.constantFrom("/a", "/a/x", "/b", "/bx", "/c"),
    }),
  ),
});

test("a user may get something by any rule for get, of any namespace, name or group", () => {
  const everyUser = user("joe", ["system:authenticated"]);
  const bound = { kind: "Group", name: "system:authenticated" };
  const withRule = (rule: PolicyRule): Rbac => {
    const rbac = createRbac();
    for (const object of bootstrapPolicy()) put(rbac, object);
    rbac.put("Role", role("own", [rule], "team"));
    rbac.put("RoleBinding", binding("own", { kind: "Role", name: "own" }, [bound], "team"));
    return rbac;
  };
  const named = { ...everyWidget, resourceNames: ["one"] };
  equal(withRule(named).mayGetAny(everyUser), true);
  equal(withRule({ ...named, verbs: ["*"] }).mayGetAny(everyUser), true);
  equal(withRule({ ...named, verbs: ["list"] }).mayGetAny(everyUser), false);
  equal(withRule({ ...named, verbs: ["list"] }).mayGetAny(user("x", ["system:masters"])), true);
});
