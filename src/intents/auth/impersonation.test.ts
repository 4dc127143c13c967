import { test } from "node:test";
import { deepEqual, equal, throws } from "node:assert/strict";
import { impersonate } from "./impersonation.ts";
import type { Access, Authorizer } from "./policy.ts";

const caller = { name: "admin", groups: [], extra: {} };

function recording(isAllowed: (access: Access) => boolean): Authorizer & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    authorize: (_user, access) => {
      if (access.kind === "path") return { allowed: false, reason: "" };
      const { verb, group, resource, subresource, namespace, name } = access;
      asked.push(`${verb} ${group}/${resource}/${subresource} ${namespace} ${name}`);
      return { allowed: isAllowed(access), reason: "" };
    },
  };
}

test("without the headers the caller stays who it is", () => {
  const authorizer = recording(() => false);
  equal(impersonate(caller, { accept: "x" }, authorizer), caller);
  deepEqual(authorizer.asked, []);
});

test("each part of the identity is asked for, and groups are completed", () => {
  const authorizer = recording(() => true);
  const user = impersonate(
    caller,
    {
      "impersonate-user": "bob",
      "impersonate-group": ["dev", "ops"],
      "impersonate-uid": "7",
      "impersonate-extra-acme.com%2fproject": ["a", "b"],
    },
    authorizer,
  );
  deepEqual(user, {
    name: "bob",
    uid: "7",
    groups: ["dev", "ops", "system:authenticated"],
    extra: { "acme.com/project": ["a", "b"] },
  });
  deepEqual(authorizer.asked, [
    "impersonate /users/  bob",
    "impersonate /groups/  dev",
    "impersonate /groups/  ops",
    "impersonate authentication.k8s.io/userextras/acme.com/project  a",
    "impersonate authentication.k8s.io/userextras/acme.com/project  b",
    "impersonate authentication.k8s.io/uids/  7",
  ]);
});

test("a service account is asked for in its namespace and brings its groups", () => {
  const authorizer = recording(() => true);
  const headers = { "impersonate-user": "system:serviceaccount:default:ci" };
  deepEqual(impersonate(caller, headers, authorizer).groups, [
    "system:serviceaccounts",
    "system:serviceaccounts:default",
    "system:authenticated",
  ]);
  deepEqual(authorizer.asked, ["impersonate /serviceaccounts/ default ci"]);
});

test("the anonymous user is not authenticated, whoever impersonates it", () => {
  const headers = { "impersonate-user": "system:anonymous" };
  deepEqual(
    impersonate(
      caller,
      headers,
      recording(() => true),
    ).groups,
    ["system:unauthenticated"],
  );
});

test("what may not be impersonated is refused in the words of Kubernetes", () => {
  const noGroups = recording((access) => access.kind === "resource" && access.resource === "users");
  throws(
    () => impersonate(caller, { "impersonate-user": "b", "impersonate-group": "dev" }, noGroups),
    {
      message:
        'groups "dev" is forbidden: User "admin" cannot impersonate resource "groups" in API ' +
        'group "" at the cluster scope',
    },
  );
  throws(
    () =>
      impersonate(
        caller,
        { "impersonate-group": "dev" },
        recording(() => true),
      ),
    {
      code: "request.invalid",
      message: "requested [{Group  dev    }] without impersonating a user",
    },
  );
});

test("a refusal does not grow with the headers that it quotes", () => {
  const groups = Array.from({ length: 100 }, (_, n) => `group-${n}-${"x".repeat(100)}`);
  throws(
    () =>
      impersonate(
        caller,
        { "impersonate-group": groups },
        recording(() => true),
      ),
    ({ message }: Error) => message.length < 300,
  );
});
