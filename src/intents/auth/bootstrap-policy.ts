// The roles and bindings that every new store begins with, by the names and with the rules that
// Kubernetes gives them, so that bindings, charts and habits from there work here. Roles of node
// agents, schedulers and built-in controllers are left out: nothing here runs as them. The label
// and the annotation mark what a later version may complete; what people take away stays away when
// they set the annotation to "false".

import type { JsonObject } from "../../kernel/json.ts";
import { objectsAt, textAt } from "../../kernel/json-read.ts";
import { rbacGroup } from "./policy.ts";
import type { PolicyRule } from "./policy.ts";
import {
  authenticatedGroup,
  mastersGroup,
  serviceAccountsGroup,
  unauthenticatedGroup,
} from "./user.ts";

const read = ["get", "list", "watch"];
const write = ["create", "update", "patch", "delete", "deletecollection"];
const readWrite = [...read, ...write];

/** In the order in which they are to be created: roles before the bindings that name them. */
export function bootstrapPolicy(added: readonly AddedRules[] = []): readonly JsonObject[] {
  return [...clusterRoles.map((each) => withRules(each, added)), ...clusterRoleBindings];
}

/** Rules for all who have one of the roles "view", "edit" or "admin". */
export interface AddedRules {
  readonly role: "view" | "edit" | "admin";
  readonly rules: readonly PolicyRule[];
}

/** Added to the role that the named one aggregates. */
function withRules(clusterRole: JsonObject, added: readonly AddedRules[]): JsonObject {
  const name = textAt(clusterRole, "metadata", "name");
  const own = added.filter(({ role: into }) => name === `system:aggregate-to-${into}`);
  if (own.length === 0) return clusterRole;
  const more = own.flatMap(({ rules }) => rules.map((rule) => ({ ...rule })));
  return { ...clusterRole, rules: [...objectsAt(clusterRole, "rules"), ...more] };
}

const health = ["/livez", "/readyz", "/healthz"];
const healthAndVersion = [...health, "/version", "/version/"];

const viewRules: readonly PolicyRule[] = [
  on(
    read,
    "",
    "pods replicationcontrollers replicationcontrollers/scale serviceaccounts",
    "services services/status endpoints persistentvolumeclaims",
    "persistentvolumeclaims/status configmaps",
  ),
  on(
    read,
    "",
    "limitranges resourcequotas bindings events pods/status",
    "resourcequotas/status namespaces/status replicationcontrollers/status pods/log",
  ),
  on(read, "", "namespaces"),
  on(read, "discovery.k8s.io", "endpointslices"),
  on(
    read,
    "apps",
    "controllerrevisions statefulsets statefulsets/status statefulsets/scale",
    "daemonsets daemonsets/status deployments deployments/status",
    "deployments/scale replicasets replicasets/status replicasets/scale",
  ),
  on(read, "autoscaling", "horizontalpodautoscalers", "horizontalpodautoscalers/status"),
  on(read, "batch", "jobs", "cronjobs", "cronjobs/status", "jobs/status"),
  on(
    read,
    "extensions",
    "daemonsets daemonsets/status deployments deployments/scale",
    "deployments/status ingresses ingresses/status replicasets replicasets/scale",
    "replicasets/status replicationcontrollers/scale networkpolicies",
  ),
  on(read, "policy", "poddisruptionbudgets", "poddisruptionbudgets/status"),
  on(read, "networking.k8s.io", "networkpolicies", "ingresses", "ingresses/status"),
  // Beyond what Kubernetes has. It tells nothing of what its reader may not get anyway.
  on(["get"], "*", "*/why"),
  paths(["get"], ["/operations"]),
];

const podAccess = "pods/attach pods/proxy pods/exec pods/portforward";

const editRules: readonly PolicyRule[] = [
  on(read, "", podAccess, "secrets", "services/proxy"),
  on(["impersonate"], "", "serviceaccounts"),
  on(write, "", "pods", podAccess),
  on(["create"], "", "pods/eviction"),
  on(
    write,
    "",
    "replicationcontrollers replicationcontrollers/scale serviceaccounts services",
    "services/proxy persistentvolumeclaims configmaps secrets events",
  ),
  on(["create"], "", "serviceaccounts/token"),
  on(
    write,
    "apps",
    "statefulsets statefulsets/scale daemonsets deployments deployments/scale",
    "deployments/rollback replicasets replicasets/scale",
  ),
  on(write, "autoscaling", "horizontalpodautoscalers"),
  on(write, "batch", "jobs", "cronjobs"),
  on(
    write,
    "extensions",
    "daemonsets deployments deployments/scale deployments/rollback ingresses",
    "replicasets replicasets/scale replicationcontrollers/scale networkpolicies",
  ),
  on(write, "policy", "poddisruptionbudgets"),
  on(write, "networking.k8s.io", "networkpolicies", "ingresses"),
  on(readWrite, "coordination.k8s.io", "leases"),
];

const clusterRoles: readonly JsonObject[] = [
  role("cluster-admin", [on(["*"], "*", "*"), paths(["*"], ["*"])]),
  role("system:discovery", [
    paths(
      ["get"],
      [...healthAndVersion, "/openapi", "/openapi/*", "/api", "/api/*", "/apis", "/apis/*"],
    ),
  ]),
  role("system:monitoring", [
    paths(["get"], ["/metrics", "/metrics/slis", ...health, ...health.map((path) => `${path}/*`)]),
  ]),
  role("system:basic-user", [
    on(["create"], "authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
    on(["create"], "authentication.k8s.io", "selfsubjectreviews"),
  ]),
  role("system:public-info-viewer", [paths(["get"], healthAndVersion)]),
  aggregated("admin"),
  aggregated("edit", "admin"),
  aggregated("view", "edit"),
  role(
    "system:aggregate-to-admin",
    [
      on(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
      on(readWrite, rbacGroup, "roles", "rolebindings"),
    ],
    "admin",
  ),
  role("system:aggregate-to-edit", editRules, "edit"),
  role("system:aggregate-to-view", viewRules, "view"),
  role("system:auth-delegator", [
    on(["create"], "authentication.k8s.io", "tokenreviews"),
    on(["create"], "authorization.k8s.io", "subjectaccessreviews"),
  ]),
  role("system:service-account-issuer-discovery", [
    paths(
      ["get"],
      [
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/",
        "/openid/v1/jwks",
        "/openid/v1/jwks/",
      ],
    ),
  ]),
];

const clusterRoleBindings: readonly JsonObject[] = [
  binding("cluster-admin", [mastersGroup]),
  binding("system:monitoring", ["system:monitoring"]),
  binding("system:discovery", [authenticatedGroup]),
  binding("system:basic-user", [authenticatedGroup]),
  binding("system:public-info-viewer", [authenticatedGroup, unauthenticatedGroup]),
  binding("system:service-account-issuer-discovery", [serviceAccountsGroup]),
];

/** Resources are written with spaces between them, over as many lines as they need. */
function on(verbs: readonly string[], group: string, ...resources: readonly string[]): PolicyRule {
  const names = resources.join(" ").split(" ").toSorted();
  return { apiGroups: [group], resources: names, verbs: verbs.toSorted() };
}

function paths(verbs: readonly string[], urls: readonly string[]): PolicyRule {
  return { nonResourceURLs: urls.toSorted(), verbs };
}

function role(name: string, rules: readonly PolicyRule[], into?: string): JsonObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: "ClusterRole",
    metadata: metadata(name, into),
    rules: rules.map((rule) => ({ ...rule })),
  };
}

/** Gathers the roles labelled for it, and may itself be labelled for another. */
function aggregated(name: string, into?: string): JsonObject {
  const clusterRoleSelectors = [{ matchLabels: { [aggregationLabel(name)]: "true" } }];
  return { ...role(name, [], into), aggregationRule: { clusterRoleSelectors } };
}

function binding(name: string, groups: readonly string[]): JsonObject {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: metadata(name),
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name },
    subjects: groups.map((group) => ({ apiGroup: rbacGroup, kind: "Group", name: group })),
  };
}

function metadata(name: string, into?: string): JsonObject {
  return {
    name,
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...(into === undefined ? {} : { [aggregationLabel(into)]: "true" }),
    },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}

function aggregationLabel(target: string): string {
  return `rbac.authorization.k8s.io/aggregate-to-${target}`;
}
