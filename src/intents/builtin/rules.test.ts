import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { kindId } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource } from "../../kernel/resource.ts";
import { builtinKinds } from "./builtin-kinds.ts";
import { toCoreEvent, toNewEvent } from "./event-shapes.ts";
import { builtinRules } from "./rules.ts";
import type { KindRules } from "./rules.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";

const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";
const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const webhook = {
  name: "a.b.c",
  clientConfig: { url: "https://x.y/z" },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

describe("rules of built-in kinds", () => {
  it("exist for every stored kind", () => {
    const ids = builtinKinds.map(kindId);
    assert.deepEqual([...builtinRules.keys()].sort(), [...ids].sort());
  });

  it("are idempotent where they default", () => {
    for (const [id, { defaulting }] of builtinRules) {
      if (defaulting === undefined) continue;
      const once = defaulting(resource({ spec: {}, status: {} }));
      assert.deepEqual(defaulting(once), once, id);
    }
  });
});

describe("namespaces", () => {
  const rules = rulesOf("namespaces");

  it("carry their name as a label, a phase and the finalizer of the server", () => {
    const made = rules.prepareForCreate?.(rules.defaulting?.(resource({})) ?? resource({}));
    assert.deepEqual(made?.metadata.labels, { "kubernetes.io/metadata.name": "x" });
    assert.deepEqual(made?.spec, { finalizers: ["kubernetes"] });
    assert.deepEqual(made?.status, { phase: "Active" });
  });

  it("keep status and finalizers from the main endpoint", () => {
    const old = resource({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
    const next = resource({ spec: { finalizers: [] }, status: { phase: "Terminating" } });
    const made = rules.prepareForUpdate?.(next, old, "");
    assert.deepEqual([made?.spec, made?.status], [old.spec, old.status]);
    assert.deepEqual(rules.prepareForUpdate?.(next, old, "finalize").spec, { finalizers: [] });
  });

  it("are held by the finalizers of their spec, and some forever", () => {
    assert.equal(rules.isHeld?.(resource({ spec: { finalizers: ["kubernetes"] } })), true);
    assert.equal(rules.isHeld?.(resource({ spec: {} })), false);
    const message = 'namespaces "default" is forbidden: this namespace may not be deleted';
    assert.throws(() => rules.checkDelete?.(resource({}, "default")), { message });
  });

  it("have finalizers with qualified names", () => {
    assert.deepEqual(refusals("namespaces", { spec: { finalizers: ["foo", "a/b"] } }), [
      'spec.finalizers: Invalid value: "foo": name is neither a standard finalizer name nor is ' +
        "it fully qualified",
    ]);
  });
});

describe("configuration and secrets", () => {
  it("have keys that can be names of files", () => {
    assert.deepEqual(
      refusals("configmaps", { data: { "..": "", ok: "" }, binaryData: { ok: "" } }),
      [
        "data[..]: Invalid value: \"..\": must not be '..'",
        'data[ok]: Invalid value: "ok": duplicate of key present in binaryData',
      ],
    );
    assert.match(
      refusals("secrets", { data: { "a b": "" } }).join(""),
      /^data\[a b\]: Invalid value: "a b": a valid config key must consist of/,
    );
  });

  it("are at most one MiB large", () => {
    const data = { a: "x".repeat(1_048_577) };
    const tooLong = "Too long: may not be more than 1048576 bytes";
    assert.deepEqual(refusals("configmaps", { data }), [`[]: ${tooLong}`]);
    const bytes = { a: Buffer.alloc(1_048_577).toString("base64") };
    assert.deepEqual(refusals("secrets", { data: bytes }), [`data: ${tooLong}`]);
  });

  it("never change once they are immutable", () => {
    const frozen = "Forbidden: field is immutable when `immutable` is set";
    const old = { immutable: true, data: { a: "1" } };
    assert.deepEqual(changes("configmaps", old, { data: { a: "2" } }), [
      `immutable: ${frozen}`,
      `data: ${frozen}`,
    ]);
    assert.deepEqual(changes("secrets", old, { immutable: true, data: { a: "2" } }), [
      `data: ${frozen}`,
    ]);
  });

  it("turn plain text of a secret into data, over what is there", () => {
    const { defaulting } = rulesOf("secrets");
    const made = defaulting?.(resource({ data: { a: "AA==", b: "AA==" }, stringData: { a: "b" } }));
    assert.deepEqual(made?.["data"], { a: "Yg==", b: "AA==" });
    assert.equal(made?.["type"], "Opaque");
    assert.ok(made !== undefined && !Object.hasOwn(made, "stringData"));
  });

  it("ask secrets of well-known types for their keys", () => {
    const missing = (type: string, data: JsonObject = {}): readonly string[] =>
      refusals("secrets", { type: `kubernetes.io/${type}`, data });
    assert.deepEqual(missing("tls"), [
      "data[tls.crt]: Required value",
      "data[tls.key]: Required value",
    ]);
    assert.deepEqual(missing("basic-auth", { username: "" }), []);
    assert.deepEqual(missing("ssh-auth", { "ssh-privatekey": "" }), [
      "data[ssh-privatekey]: Required value",
    ]);
    assert.deepEqual(missing("dockerconfigjson", { ".dockerconfigjson": "WzFd" }), [
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ' +
        "json: cannot unmarshal array into Go value of type map[string]interface {}",
    ]);
    assert.deepEqual(missing("service-account-token"), [
      "metadata.annotations[kubernetes.io/service-account.name]: Required value",
    ]);
  });

  it("keep the type of a secret", () => {
    const problem = 'type: Invalid value: "b": field is immutable';
    assert.deepEqual(changes("secrets", { type: "a" }, { type: "b" }), [problem]);
  });
});

describe("quotas and limits", () => {
  it("bring quantities into their short form, or refuse the body", () => {
    const { defaulting } = rulesOf("resourcequotas");
    const made = defaulting?.(resource({ spec: { hard: { cpu: 0.5, memory: "1024Mi" } } }));
    assert.deepEqual(made?.spec, { hard: { cpu: "500m", memory: "1Gi" } });
    assert.throws(
      () => defaulting?.(resource({ spec: { hard: { cpu: "x" } } })),
      /^SetpointError: ResourceQuota in version "v1" cannot be handled as a ResourceQuota: quanti/,
    );
  });

  it("limit a bounded number of resources, unless more are stored", () => {
    const hardOf = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`count/r${at}`, "1"]));
    const most = limits.maxQuotaResources;
    assert.deepEqual(refusals("resourcequotas", { spec: { hard: hardOf(most) } }), []);
    assert.deepEqual(refusals("resourcequotas", { spec: { hard: hardOf(20_000) } }), [
      `spec.hard: Too many: 20000: must have at most ${most} items`,
    ]);
    const old = resource({ spec: { hard: hardOf(most + 2) } });
    const { validateUpdate } = rulesOf("resourcequotas");
    const update = (count: number): number =>
      validateUpdate?.(resource({ spec: { hard: hardOf(count) } }), old).length ?? -1;
    assert.deepEqual([update(most + 2), update(most + 3)], [0, 1]);
  });

  it("know the resources that can be limited", () => {
    const hard = { foo: "1", "count/configmaps": "500m", pods: "-1" };
    assert.deepEqual(refusals("resourcequotas", { spec: { hard } }), [
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
      'spec.hard[count/configmaps]: Invalid value: "500m": must be an integer',
      'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  it("fill in the limits of containers and refuse those out of order", () => {
    const item = { type: "Container", max: { cpu: "1" }, min: { cpu: "2" } };
    const { defaulting } = rulesOf("limitranges");
    const made = defaulting?.(resource({ spec: { limits: [item] } }));
    const filled = { ...item, default: { cpu: "1" }, defaultRequest: { cpu: "1" } };
    assert.deepEqual(made?.spec, { limits: [filled] });
    assert.deepEqual(refusals("limitranges", { spec: { limits: [item] } }), [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": ' +
        "min value 2 is greater than default request value 1",
      'spec.limits[0].default[cpu]: Invalid value: "2": ' +
        "min value 2 is greater than default value 1",
    ]);
  });
});

describe("leases and events", () => {
  it("have durations and counts that make sense", () => {
    const spec = { leaseDurationSeconds: 0, leaseTransitions: -1 };
    assert.deepEqual(refusals("leases.coordination.k8s.io", { spec }), [
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });

  it("lie where their object does", () => {
    assert.deepEqual(refusals("events", { involvedObject: { namespace: "other" } }), [
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
  });

  it("are held to more when they come in the newer shape", () => {
    const event = {
      regarding: { namespace: "ns" },
      eventTime: "2024-01-01T00:00:00.000000Z",
      reportingController: "a/b",
      reportingInstance: "i",
      action: "a",
      reason: "r",
      type: "Normal",
    };
    const id = "events.events.k8s.io";
    assert.deepEqual(refusals(id, event), []);
    assert.deepEqual(refusals(id, { ...event, deprecatedCount: 1, type: "X" }), [
      'type: Invalid value: "": has invalid value: X',
      'count: Invalid value: "": needs to be unset',
    ]);
    assert.deepEqual(changes(id, event, { ...event, action: "b" }), [
      'action: Invalid value: "b": field is immutable',
    ]);
  });

  it("change their shape and back without loss", () => {
    const event = { apiVersion: "v1", kind: "Event", message: "m", count: 2, other: [1] };
    const fresh = toNewEvent(event);
    assert.deepEqual(fresh, {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      note: "m",
      deprecatedCount: 2,
      other: [1],
    });
    assert.deepEqual(toCoreEvent(fresh), event);
  });
});

describe("roles and bindings", () => {
  it("grant something to somebody", () => {
    assert.deepEqual(refusals(`roles.${rbac}`, { rules: [{}] }), [
      "rules[0].verbs: Required value: verbs must contain at least one value",
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ]);
    assert.deepEqual(refusals(`rolebindings.${rbac}`, { subjects: [{ kind: "Foo", name: "a" }] }), [
      'roleRef.apiGroup: Unsupported value: "": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
      "roleRef.name: Required value",
      'subjects[0].kind: Unsupported value: "Foo": supported values: ' +
        '"ServiceAccount", "User", "Group"',
    ]);
  });

  it("default the groups of roles and subjects", () => {
    const { defaulting } = rulesOf(`rolebindings.${rbac}`);
    const subjects = [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s" },
    ];
    const made = defaulting?.(resource({ roleRef: { kind: "Role", name: "r" }, subjects }));
    assert.deepEqual(made?.["roleRef"], { kind: "Role", name: "r", apiGroup: rbac });
    assert.deepEqual(made?.["subjects"], [
      { kind: "User", name: "u", apiGroup: rbac },
      subjects[1],
    ]);
  });

  it("never change their role", () => {
    const ref = { apiGroup: rbac, kind: "ClusterRole", name: "a" };
    const other = { ...ref, name: "b" };
    assert.deepEqual(changes(`clusterrolebindings.${rbac}`, { roleRef: ref }, { roleRef: other }), [
      `roleRef: Invalid value: {"APIGroup":"${rbac}","Kind":"ClusterRole","Name":"b"}: ` +
        "cannot change roleRef",
    ]);
  });
});

describe("webhooks and policies", () => {
  const validating = `validatingwebhookconfigurations.${admission}`;
  const policies = `validatingadmissionpolicies.${admission}`;
  const bindings = `validatingadmissionpolicybindings.${admission}`;

  it("are defaulted", () => {
    const { defaulting } = rulesOf(`mutatingwebhookconfigurations.${admission}`);
    const service = { name: "s", namespace: "n" };
    const hook = { ...webhook, clientConfig: { service } };
    const made = defaulting?.(resource({ webhooks: [hook] }));
    assert.deepEqual(made?.["webhooks"], [
      {
        ...hook,
        clientConfig: { service: { ...service, port: 443 } },
        rules: [{ ...rule, scope: "*" }],
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        reinvocationPolicy: "Never",
      },
    ]);
  });

  it("need a qualified name, no side effects, and a review they understand", () => {
    const hook = { name: "a.b", clientConfig: {}, timeoutSeconds: 31, sideEffects: "Some" };
    assert.deepEqual(refusals(validating, { webhooks: [hook] }), [
      'webhooks[0].name: Invalid value: "a.b": ' +
        "should be a domain with at least three segments separated by dots",
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: ' +
        '"None", "NoneOnDryRun"',
      "webhooks[0].timeoutSeconds: Invalid value: 31: " +
        "the timeout value must be between 1 and 30 seconds",
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
      "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
    ]);
    assert.deepEqual(refusals(validating, { webhooks: [webhook] }), []);
  });

  it("are not held to newer demands than the stored one kept", () => {
    const old = { ...webhook, sideEffects: "Unknown" };
    assert.deepEqual(changes(validating, { webhooks: [old] }, { webhooks: [old] }), []);
  });

  it("match something and check something", () => {
    assert.deepEqual(refusals(policies, { spec: {} }), [
      "spec.matchConstraints: Required value",
      "spec.validations: Required value: " +
        "validations or auditAnnotations must contain at least one item",
      "spec.auditAnnotations: Required value: " +
        "validations or auditAnnotations must contain at least one item",
    ]);
    assert.deepEqual(refusals(bindings, { spec: { policyName: "p", paramRef: {} } }), [
      "spec.paramRef: Required value: one of name or selector must be specified",
      "spec.paramRef.parameterNotFoundAction: Required value",
      "spec.validationActions: Required value: at least one validation action is required",
    ]);
  });

  it("have rules without contradictions", () => {
    const bad = {
      operations: ["*", "X"],
      apiGroups: ["*", "a"],
      apiVersions: [""],
      resources: ["*/*", "a"],
    };
    const found = refusals(validating, { webhooks: [{ ...webhook, rules: [bad] }] });
    assert.deepEqual(found, [
      'webhooks[0].rules[0].operations: Invalid value: ["*","X"]: ' +
        "if '*' is present, must not specify other operations",
      'webhooks[0].rules[0].operations[1]: Unsupported value: "X": supported values: ' +
        '"*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'webhooks[0].rules[0].apiGroups: Invalid value: ["*","a"]: ' +
        "if '*' is present, must not specify other API groups",
      "webhooks[0].rules[0].apiVersions[0]: Required value",
      'webhooks[0].rules[0].resources: Invalid value: ["*/*","a"]: ' +
        "if '*/*' is present, must not specify other resources",
    ]);
  });
});

describe("definitions", () => {
  const rules = rulesOf("customresourcedefinitions.apiextensions.k8s.io");
  const spec = {
    names: { kind: "Widget", plural: "widgets" },
    versions: [{ name: "v1", storage: true }],
  };

  it("derive names, conversion and stored versions", () => {
    const made = rules.prepareForCreate?.(rules.defaulting?.(resource({ spec })) ?? resource({}));
    assert.deepEqual(made?.spec, {
      ...spec,
      names: { ...spec.names, singular: "widget", listKind: "WidgetList" },
      conversion: { strategy: "None" },
    });
    assert.deepEqual(made?.status, { storedVersions: ["v1"] });
  });

  it("remember every version that was stored", () => {
    const old = resource({ spec, status: { storedVersions: ["v1"], conditions: [] } });
    const next = resource({ spec: { ...spec, versions: [{ name: "v2", storage: true }] } });
    const made = rules.prepareForUpdate?.(next, old, "");
    assert.deepEqual(made?.status, { storedVersions: ["v1", "v2"], conditions: [] });
  });
});

function rulesOf(id: string): KindRules {
  const rules = builtinRules.get(id);
  assert.ok(rules !== undefined, id);
  return rules;
}

function refusals(id: string, content: JsonObject): readonly string[] {
  const { defaulting, validateCreate } = rulesOf(id);
  const given = resource(content);
  const errors = validateCreate?.(defaulting?.(given) ?? given) ?? [];
  return errors.map(fieldErrorText);
}

function changes(id: string, old: JsonObject, next: JsonObject): readonly string[] {
  const { validateUpdate } = rulesOf(id);
  const errors = validateUpdate?.(resource(next), resource(old)) ?? [];
  return errors.map(fieldErrorText);
}

function resource(content: Readonly<Record<string, Json>>, name = "x"): Resource {
  const metadata = {
    name,
    namespace: "ns",
    uid: "u",
    generation: 1,
    creationTimestamp: "2024-01-01T00:00:00Z",
  };
  return { apiVersion: "v1", kind: "Any", metadata, ...content };
}
