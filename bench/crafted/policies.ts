/** Roles, reviews, quotas, webhooks and policies with many parts. */
import type { Crafted, CraftTarget } from "./request.ts";
import { make, numbered, post, send, times } from "./request.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const registration = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/{ns}/configmaps";
const authorization = "/apis/authorization.k8s.io/v1";

function created(name: string, path: string, body: (name: string) => object): Crafted {
  return {
    name,
    send: async (target, round) => {
      if (round > 0) await send(target, "DELETE", `${path}/${name}`);
      return await send(target, "POST", path, { metadata: { name }, ...body(name) });
    },
  };
}

interface Expressions {
  readonly validations?: readonly object[];
  readonly variables?: readonly object[];
  readonly matchConditions?: readonly object[];
  readonly auditAnnotations?: readonly object[];
  readonly resourceRules?: readonly object[];
}

const everyMap = [
  { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] },
];

function policy({ resourceRules = everyMap, ...spec }: Expressions): object {
  return { spec: { failurePolicy: "Fail", matchConstraints: { resourceRules }, ...spec } };
}

/** A policy that is bound, and a write that it decides about. */
function decided(name: string, spec: Expressions, write: object): Crafted {
  const path = `${registration}/validatingadmissionpolicies`;
  const binding = `${registration}/validatingadmissionpolicybindings`;
  return {
    name: `policy-decides-${name}`,
    prepare: async (target) => {
      await make(target, path, { metadata: { name }, ...policy(spec) });
      await make(target, binding, {
        metadata: { name },
        spec: { policyName: name, validationActions: ["Deny"] },
      });
    },
    send: async (target, round) => {
      const body = { metadata: { name: `decided-${name}-${round}` }, ...write };
      const answer = await send(target, "POST", maps, body);
      if (round > 0) {
        await send(target, "DELETE", `${binding}/${name}`);
        await send(target, "DELETE", `${path}/${name}`);
      }
      return answer;
    },
  };
}

function longExpression(chars: number): string {
  return times(Math.floor(chars / 24), (index) => `object.metadata.name != 'n${index}'`)
    .join(" && ")
    .slice(0, chars - 10)
    .replace(/ && [^&]*$/, "");
}

const owners = "object.metadata.ownerReferences";

const policies: readonly Crafted[] = [
  created("policy-many-validations", `${registration}/validatingadmissionpolicies`, () =>
    policy({
      validations: times(1_800, (index) => ({
        expression: `object.metadata.name.size() > ${index % 7} || object.kind == 'a${index}'`,
      })),
    }),
  ),
  created("policy-one-long-rule", `${registration}/validatingadmissionpolicies`, () =>
    policy({ validations: [{ expression: longExpression(60_000) }] }),
  ),
  created("policy-variables", `${registration}/validatingadmissionpolicies`, () =>
    policy({
      variables: times(2_000, (index) => ({
        name: `v${index}`,
        expression: index === 0 ? "object.metadata.name" : `variables.v${index - 1} + 'x'`,
      })),
      validations: [{ expression: "variables.v1999.size() > 0" }],
    }),
  ),
  created("policy-many-rules", `${registration}/validatingadmissionpolicies`, () =>
    policy({
      validations: [{ expression: "true" }],
      resourceRules: times(15_000, (index) => ({
        apiGroups: [`g${index}`],
        apiVersions: ["v1"],
        operations: ["*"],
        resources: [`r${index}`],
      })),
    }),
  ),
  decided(
    "many-rules",
    {
      validations: [{ expression: "true" }],
      resourceRules: [
        ...times(14_000, (index) => ({
          apiGroups: [`g${index}`],
          apiVersions: ["v1"],
          operations: ["*"],
          resources: [`r${index}`],
        })),
        ...everyMap,
      ],
    },
    { data: { a: "b" } },
  ),
  decided(
    "loops",
    {
      validations: times(60, (index) => ({
        expression: `object.data.all(x, object.data.all(y, x.size() + y.size() > ${index} - 100))`,
      })),
    },
    { data: numbered(300, "k", () => "v") },
  ),
  decided(
    "comparisons",
    {
      validations: times(30, (index) => ({
        expression: `${owners}.all(x, ${owners}.all(y, (x == y) || ${index} >= 0))`,
      })),
    },
    {
      metadata: {
        name: "decided-comparisons",
        ownerReferences: times(300, () => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: "n",
          uid: "u",
        })),
      },
    },
  ),
  decided(
    "objects",
    {
      validations: times(30, (index) => ({
        expression: `[1,2,3,4,5,6,7,8,9,10].all(x, object == object && x > ${-index - 1})`,
      })),
    },
    { data: numbered(20_000, "k", () => "v") },
  ),
  decided(
    "texts",
    {
      validations: times(30, (index) => ({
        expression: `'%s'.format([object.data]).size() > ${index}`,
      })),
    },
    { data: numbered(20_000, "k", () => "v") },
  ),
  decided(
    "annotations",
    {
      validations: [{ expression: "true" }],
      auditAnnotations: times(20, (index) => ({
        key: `a${index}`,
        valueExpression: "string(object.data.size())",
      })),
      matchConditions: times(60, (index) => ({
        name: `c${index}`,
        expression: `object.data.all(x, object.data[x].size() > ${index} - 100)`,
      })),
    },
    { data: numbered(20_000, "k", () => "v") },
  ),
];

function rules(count: number, more: object = {}): object {
  return {
    rules: times(count, (index) => ({
      apiGroups: [`g${index}`],
      resources: [`r${index}`],
      verbs: ["get", "list"],
      ...more,
    })),
  };
}

const rbacGroup = "rbac.authorization.k8s.io";

/** A user with many roles, who is not an administrator. */
async function prepareUser(target: CraftTarget): Promise<void> {
  for (let role = 0; role < 30; role++) {
    const name = `reviewed-${role}`;
    await make(target, `${rbac}/clusterroles`, {
      metadata: { name },
      ...rules(10_000, { resources: [`r${role}`] }),
    });
    await make(target, `${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name },
      subjects: [{ apiGroup: rbacGroup, kind: "User", name: "reviewed" }],
    });
  }
}

async function prepareBindings(target: CraftTarget): Promise<void> {
  for (let binding = 0; binding < 10; binding++) {
    await make(target, `${rbac}/namespaces/${target.namespace}/rolebindings`, {
      metadata: { name: `wide-${binding}` },
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "view" },
      subjects: times(20_000, (index) => ({
        apiGroup: rbacGroup,
        kind: "User",
        name: `u${binding}-${index}`,
      })),
    });
  }
}

function asUser(path: string, body: unknown): Crafted["send"] {
  return (target) =>
    target.ask(path.replace("{ns}", target.namespace), {
      method: "POST",
      body,
      headers: { "impersonate-user": "reviewed" },
    });
}

const access: readonly Crafted[] = [
  created("role-20000-rules", `${rbac}/clusterroles`, () => rules(20_000)),
  created("role-wide-rules", `${rbac}/clusterroles`, () => ({
    rules: times(20, () => ({
      apiGroups: times(2_000, (index) => `g${index}`),
      resources: times(2_000, (index) => `r${index}`),
      verbs: ["*"],
      resourceNames: times(2_000, (index) => `n${index}`),
    })),
  })),
  created("role-binding-subjects", `${rbac}/clusterrolebindings`, () => ({
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "view" },
    subjects: times(30_000, (index) => ({ apiGroup: rbacGroup, kind: "User", name: `u${index}` })),
  })),
  created("role-binding-bad-subjects", `${rbac}/clusterrolebindings`, () => ({
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "view" },
    subjects: times(40_000, () => ({ kind: "Bad" })),
  })),
  created("role-aggregation", `${rbac}/clusterroles`, () => ({
    aggregationRule: {
      clusterRoleSelectors: times(20_000, (index) => ({ matchLabels: { [`l${index}`]: "v" } })),
    },
  })),
  {
    name: "rules-review-of-many-roles",
    prepare: prepareUser,
    send: asUser(`${authorization}/selfsubjectrulesreviews`, {
      spec: { namespace: "crafted" },
    }),
  },
  {
    name: "access-review-of-many-roles",
    prepare: prepareUser,
    send: asUser(`${authorization}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { group: "none", resource: "none", verb: "get" } },
    }),
  },
  {
    name: "role-escalation-check",
    prepare: async (target) => {
      await prepareUser(target);
      await make(target, `${rbac}/clusterroles`, {
        metadata: { name: "role-writer" },
        rules: [{ apiGroups: [rbacGroup], resources: ["*"], verbs: ["create", "update"] }],
      });
      await make(target, `${rbac}/clusterrolebindings`, {
        metadata: { name: "role-writer" },
        roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "role-writer" },
        subjects: [{ apiGroup: rbacGroup, kind: "User", name: "reviewed" }],
      });
    },
    send: asUser(`${rbac}/clusterroles`, {
      metadata: { name: "escalating" },
      ...rules(15_000, { verbs: ["get", "list", "delete"] }),
    }),
  },
  {
    name: "access-review-groups",
    send: post(`${authorization}/subjectaccessreviews`, {
      spec: {
        user: "u",
        groups: times(20_000, (index) => `g${index}`),
        resourceAttributes: { resource: "configmaps", verb: "get", namespace: "crafted" },
      },
    }),
  },
  {
    name: "access-review-wide-bindings",
    prepare: prepareBindings,
    send: post(`${authorization}/subjectaccessreviews`, {
      spec: {
        user: "unknown",
        groups: times(8_000, (index) => `g${index}`),
        resourceAttributes: { resource: "configmaps", verb: "get", namespace: "crafted" },
      },
    }),
  },
  {
    name: "access-review-extra",
    send: post(`${authorization}/subjectaccessreviews`, {
      spec: {
        user: "u",
        extra: numbered(10_000, "k", () => ["v"]),
        nonResourceAttributes: { path: `/${"a".repeat(50_000)}`, verb: "get" },
      },
    }),
  },
  {
    name: "token-review-long",
    send: post("/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token: `${"a".repeat(80_000)}.${"b".repeat(80_000)}.c`, audiences: ["x"] },
    }),
  },
  {
    name: "token-review-audiences",
    send: post("/apis/authentication.k8s.io/v1/tokenreviews", {
      spec: { token: "x", audiences: times(20_000, (index) => `a${index}`) },
    }),
  },
  {
    name: "token-request-audiences",
    send: post("/api/v1/namespaces/{ns}/serviceaccounts/default/token", {
      spec: { audiences: times(9_000, (index) => `a${index}`) },
    }),
  },
  {
    name: "impersonated-groups",
    send: (target) =>
      target.ask(`/api/v1/namespaces/${target.namespace}/configmaps/none`, {
        headers: {
          "impersonate-user": "u",
          ...Object.fromEntries(times(700, (index) => [`impersonate-extra-k${index}`, "v"])),
        },
      }),
  },
];

const others: readonly Crafted[] = [
  created("quota-many-names", "/api/v1/namespaces/{ns}/resourcequotas", () => ({
    spec: { hard: numbered(20_000, "count/r", () => "5") },
  })),
  created("quota-odd-amounts", "/api/v1/namespaces/{ns}/resourcequotas", () => ({
    spec: { hard: numbered(2_000, "requests.r", () => "9".repeat(1_000)) },
  })),
  created("limit-range-many", "/api/v1/namespaces/{ns}/limitranges", () => ({
    spec: {
      limits: times(10_000, () => ({
        type: "Container",
        max: { cpu: "2", memory: "1Gi" },
        min: { cpu: "1", memory: "1Mi" },
        default: { cpu: "1500m", memory: "500Mi" },
      })),
    },
  })),
  created("webhooks-many", `${registration}/validatingwebhookconfigurations`, () => ({
    webhooks: times(3_000, (index) => ({
      name: `w${index}.example.com`,
      clientConfig: { url: "https://127.0.0.1:1/x" },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      failurePolicy: "Ignore",
      matchConditions: [{ name: "c", expression: `object.metadata.name == 'n${index}'` }],
      rules: [{ apiGroups: ["x"], apiVersions: ["v1"], operations: ["*"], resources: ["x"] }],
    })),
  })),
  created("webhooks-many-rules", `${registration}/mutatingwebhookconfigurations`, () => ({
    webhooks: [
      {
        name: "w.example.com",
        clientConfig: { url: "https://127.0.0.1:1/x" },
        sideEffects: "None",
        admissionReviewVersions: times(20_000, (index) => `v${index}`),
        rules: times(15_000, () => ({
          apiGroups: ["x"],
          apiVersions: ["v1"],
          operations: ["CREATE"],
          resources: ["x"],
        })),
      },
    ],
  })),
  created("event-large", "/api/v1/namespaces/{ns}/events", () => ({
    involvedObject: { kind: "ConfigMap", name: "n", namespace: "crafted" },
    message: "m".repeat(1_000),
    reason: "r",
    type: "Normal",
    related: numbered(50_000, "unknown", () => 1),
  })),
  created("lease-large", "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", () => ({
    spec: { holderIdentity: "h".repeat(2_500_000) },
  })),
];

export const policyRequests: readonly Crafted[] = [...policies, ...access, ...others];
