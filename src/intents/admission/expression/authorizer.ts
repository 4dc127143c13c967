// The `authorizer` of expressions: asks whether the user of the request, or a service account, may
// do something. A check costs so much that an expression can afford two of them.

import { fixed } from "../../../kernel/cel/costs.ts";
import { declare, member } from "../../../kernel/cel/functions.ts";
import type { FunctionDeclaration } from "../../../kernel/cel/functions.ts";
import { boolType, closedStructType, stringType } from "../../../kernel/cel/types.ts";
import { error, opaqueValues, textOf } from "../../../kernel/cel/values.ts";
import type { CelValue } from "../../../kernel/cel/values.ts";
import { dnsLabelProblems, subdomainProblems } from "../../../kernel/names.ts";
import type { Authorizer, Decision, PathAccess, ResourceAccess } from "../../auth/policy.ts";
import { serviceAccountGroups, serviceAccountUserName } from "../../auth/user.ts";
import { authenticatedGroup } from "../../auth/user.ts";
import type { UserInfo } from "../../auth/user.ts";

export const authorizerType = closedStructType("kubernetes.authorization.Authorizer");
export const resourceCheckType = closedStructType("kubernetes.authorization.ResourceCheck");
const pathCheckType = closedStructType("kubernetes.authorization.PathCheck");
const groupCheckType = closedStructType("kubernetes.authorization.GroupCheck");
const decisionType = closedStructType("kubernetes.authorization.Decision");

interface Asker {
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
}

interface PathCheck extends Asker {
  readonly path: string;
}

interface GroupCheck extends Asker {
  readonly group: string;
}

interface ResourceCheck extends Asker {
  readonly access: Omit<ResourceAccess, "kind" | "verb">;
}

const never = (): boolean => false;
const askers = opaqueValues<Asker>(authorizerType, never);
const paths = opaqueValues<PathCheck>(pathCheckType, never);
const groups = opaqueValues<GroupCheck>(groupCheckType, never);
const resources = opaqueValues<ResourceCheck>(resourceCheckType, never);
const decisions = opaqueValues<Decision>(decisionType, never);

export function authorizerValue(authorizer: Authorizer, user: UserInfo): CelValue {
  return askers.wrap({ authorizer, user });
}

/** A check of the resource of the request itself. */
export function resourceCheckValue(
  authorizer: Authorizer,
  user: UserInfo,
  access: ResourceCheck["access"],
): CelValue {
  return resources.wrap({ authorizer, user, access });
}

const checkCost = 350_000;

const onResource = (
  name: string,
  change: (access: ResourceCheck["access"], text: string) => ResourceCheck["access"],
): FunctionDeclaration =>
  declare(name, [
    member(
      `resourcecheck_${name.toLowerCase()}`,
      [resourceCheckType, stringType],
      resourceCheckType,
      (value, text) => {
        const check = resources.unwrap(value);
        return resources.wrap({ ...check, access: change(check.access, textOf(text)) });
      },
    ),
  ]);

export const authorizerFunctions: readonly FunctionDeclaration[] = [
  declare("path", [
    member("authorizer_path", [authorizerType, stringType], pathCheckType, (value, text) => {
      const path = textOf(text);
      if (path.trim() === "") return error("path must not be empty");
      return paths.wrap({ ...askers.unwrap(value), path });
    }),
  ]),
  declare("group", [
    member("authorizer_group", [authorizerType, stringType], groupCheckType, (value, text) =>
      groups.wrap({ ...askers.unwrap(value), group: textOf(text) }),
    ),
  ]),
  declare("serviceAccount", [
    member(
      "authorizer_serviceaccount",
      [authorizerType, stringType, stringType],
      authorizerType,
      serviceAccount,
    ),
  ]),
  declare("resource", [
    member(
      "groupcheck_resource",
      [groupCheckType, stringType],
      resourceCheckType,
      (value, text) => {
        const { authorizer, user, group } = groups.unwrap(value);
        const resource = textOf(text);
        if (resource.trim() === "") return error("resource must not be empty");
        const access = { group, resource, subresource: "", namespace: "", name: "" };
        return resources.wrap({ authorizer, user, access });
      },
    ),
  ]),
  onResource("subresource", (access, subresource) => ({ ...access, subresource })),
  onResource("namespace", (access, namespace) => ({ ...access, namespace })),
  onResource("name", (access, name) => ({ ...access, name })),
  // Roles know nothing of selectors: a check with one is answered as if it had none.
  onResource("fieldSelector", (access) => access),
  onResource("labelSelector", (access) => access),
  declare(
    "check",
    [
      member("pathcheck_check", [pathCheckType, stringType], decisionType, (value, verb) => {
        const { authorizer, user, path } = paths.unwrap(value);
        const access: PathAccess = { kind: "path", verb: textOf(verb), path };
        return decisions.wrap(authorizer.authorize(user, access));
      }),
      member(
        "resourcecheck_check",
        [resourceCheckType, stringType],
        decisionType,
        (value, verb) => {
          const { authorizer, user, access } = resources.unwrap(value);
          const whole: ResourceAccess = { kind: "resource", verb: textOf(verb), ...access };
          return decisions.wrap(authorizer.authorize(user, whole));
        },
      ),
    ],
    fixed(checkCost),
  ),
  declare("allowed", [
    member("decision_allowed", [decisionType], boolType, (v) => decisions.unwrap(v).allowed),
  ]),
  declare("reason", [
    member("decision_reason", [decisionType], stringType, (v) => decisions.unwrap(v).reason),
  ]),
  declare("errored", [member("decision_errored", [decisionType], boolType, () => false)]),
  declare("error", [member("decision_error", [decisionType], stringType, () => "")]),
];

function serviceAccount(...args: readonly CelValue[]): CelValue {
  const [value = null, first = null, second = null] = args;
  const [namespace, name] = [textOf(first), textOf(second)];
  if (subdomainProblems(name).length > 0) return error("Invalid service account name");
  if (dnsLabelProblems(namespace).length > 0) return error("Invalid service account namespace");
  const user: UserInfo = {
    name: serviceAccountUserName(namespace, name),
    groups: [...serviceAccountGroups(namespace), authenticatedGroup],
    extra: {},
  };
  return askers.wrap({ authorizer: askers.unwrap(value).authorizer, user });
}
