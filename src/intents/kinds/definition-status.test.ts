import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { cleanupFinalizer, markedForDeletion, terminatingStatus } from "./definition-deletion.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { conditionsOf } from "./definition-parts.ts";
import { definitionOf, widgetSpec, widgetVersion } from "./definition-samples.ts";
import { definitionStatus } from "./definition-status.ts";

const nowMs = Date.UTC(2030, 0, 1);
const now = "2030-01-01T00:00:00Z";
const later = nowMs + 60_000;

const accepted = {
  type: "NamesAccepted",
  status: "True",
  reason: "NoConflicts",
  message: "no conflicts found",
  lastTransitionTime: now,
};
const established = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
  lastTransitionTime: now,
};

function statusWith(spec: JsonObject, others: readonly JsonObject[] = [], status?: JsonObject) {
  return definitionStatus(definitionOf(spec, status), { others, nowMs });
}

function other(names: JsonObject, group = "example.dev"): JsonObject {
  return definitionOf({ ...widgetSpec, group }, { acceptedNames: names });
}

test("a definition without conflicts is accepted and established at once", () => {
  assert.deepEqual(statusWith(widgetSpec), {
    conditions: [accepted, established],
    acceptedNames: {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
    },
    storedVersions: ["v1"],
  });
});

test("the same status comes again while nothing changes", () => {
  const status = statusWith(widgetSpec);
  const again = definitionStatus(definitionOf(widgetSpec, status), { others: [], nowMs: later });
  assert.deepEqual(again, status);
});

test("names that another definition of the group has are refused, each with its reason", () => {
  const cases: readonly (readonly [JsonObject, string, string])[] = [
    [{ plural: "widgets" }, "PluralConflict", '"widgets" is already in use'],
    [{ shortNames: ["widget"] }, "SingularConflict", '"widget" is already in use'],
    [{ kind: "Widget" }, "KindConflict", '"Widget" is already in use'],
    [{ kind: "WidgetList" }, "ListKindConflict", '"WidgetList" is already in use'],
    [{ singular: "wd" }, "ShortNamesConflict", '"wd" is already in use'],
    [
      { singular: "wd", plural: "wds" },
      "ShortNamesConflict",
      '["wd" is already in use, "wds" is already in use]',
    ],
  ];
  const names = {
    plural: "widgets",
    singular: "widget",
    shortNames: ["wd", "wds"],
    kind: "Widget",
    listKind: "WidgetList",
  };
  for (const [taken, reason, message] of cases) {
    const status = statusWith({ ...widgetSpec, names }, [other(taken)]);
    assert.deepEqual(status["conditions"], [
      { ...accepted, status: "False", reason, message },
      {
        ...established,
        status: "False",
        reason: "NotAccepted",
        message: "not all names are accepted",
      },
    ]);
  }
});

test("the same names in another group are free", () => {
  const names = { plural: "widgets", kind: "Widget", listKind: "WidgetList" };
  const status = statusWith(widgetSpec, [other(names, "example.com")]);
  assert.deepEqual(status["conditions"], [accepted, established]);
});

test("names of built-in kinds of the group are taken", () => {
  const spec = {
    ...widgetSpec,
    group: "coordination.k8s.io",
    names: { plural: "leases", singular: "lease", kind: "Lease", listKind: "LeaseList" },
  };
  const [, names] = conditionsOf({ status: statusWith(spec) });
  assert.deepEqual([names?.status, names?.reason], ["False", "ListKindConflict"]);
});

test("an established definition keeps its name and stays served when a new one is taken", () => {
  const first = statusWith(widgetSpec);
  const names = { ...(widgetSpec["names"] as JsonObject), shortNames: ["wd"] };
  const taken = other({ plural: "wd", kind: "Wd" });
  const status = statusWith({ ...widgetSpec, names }, [taken], first);
  const [namesAccepted, still] = conditionsOf({ status });
  assert.equal(namesAccepted?.reason, "ShortNamesConflict");
  assert.deepEqual(still, established);
  assert.deepEqual(status["acceptedNames"], first["acceptedNames"]);
});

test("stored versions only grow", () => {
  const versions = [
    { ...widgetVersion, storage: false },
    { ...widgetVersion, name: "v2" },
  ];
  const grown = statusWith({ ...widgetSpec, versions }, [], statusWith(widgetSpec));
  assert.deepEqual(grown["storedVersions"], ["v1", "v2"]);
  const shrunk = { ...grown, storedVersions: ["v2"] };
  assert.deepEqual(statusWith({ ...widgetSpec, versions }, [], shrunk)["storedVersions"], ["v2"]);
});

test("protected groups are told about their approval", () => {
  const cases = [
    ["", "False", "MissingAnnotation"],
    ["unapproved, test", "False", "UnapprovedAnnotation"],
    ["https://github.com/kubernetes/kubernetes/pull/1", "True", "ApprovedAnnotation"],
    ["please", "False", "InvalidAnnotation"],
  ] as const;
  for (const [value, status, reason] of cases) {
    const definition = definitionOf({ ...widgetSpec, group: "widgets.k8s.io" });
    const annotations = { "api-approved.kubernetes.io": value };
    const annotated = { ...definition, metadata: { ...definition.metadata, annotations } };
    const found = conditionsOf({ status: definitionStatus(annotated, { others: [], nowMs }) })[0];
    assert.deepEqual(
      [found?.type, found?.status, found?.reason],
      ["KubernetesAPIApprovalPolicyConformant", status, reason],
    );
  }
});

test("a webhook with an unreadable caBundle keeps a definition from being established", () => {
  const clientConfig = { url: "https://example.dev", caBundle: "Cg==" };
  const conversion = { strategy: "Webhook", webhook: { clientConfig } };
  const [, found] = conditionsOf({ status: statusWith({ ...widgetSpec, conversion }) });
  assert.deepEqual([found?.status, found?.reason], ["False", "InvalidCABundle"]);
  const fixed = { strategy: "Webhook", webhook: { clientConfig: { url: "https://example.dev" } } };
  const status = { conditions: [found ?? null] };
  const [again] = conditionsOf({
    status: statusWith({ ...widgetSpec, conversion: fixed }, [], status),
  });
  assert.equal(again?.status, "True");
});

test("defaults fill names, conversion, the webhook's port and the status", () => {
  const { conversion: none, ...spec } = widgetSpec;
  assert.deepEqual(none, { strategy: "None" });
  const names = { plural: "widgets", kind: "Widget" };
  const bare = definitionOf({ ...spec, names, preserveUnknownFields: false });
  assert.deepEqual(defaultDefinition(bare), {
    ...definitionOf(widgetSpec),
    status: {
      conditions: [],
      acceptedNames: { plural: "", kind: "" },
      storedVersions: ["v1"],
    },
  });
  const service = { name: "a", namespace: "b" };
  const conversion = { strategy: "Webhook", webhook: { clientConfig: { service } } };
  const whole = defaultDefinition(definitionOf({ ...spec, names, conversion }));
  assert.deepEqual((whole["spec"] as JsonObject)["conversion"], {
    strategy: "Webhook",
    webhook: { clientConfig: { service: { ...service, port: 443 } } },
  });
});

test("deletion marks a definition once and holds it until its documents are gone", () => {
  const status = statusWith(widgetSpec);
  const marked = markedForDeletion(definitionOf(widgetSpec, status), nowMs);
  assert.deepEqual(marked.metadata, {
    name: "widgets.example.dev",
    deletionTimestamp: now,
    finalizers: [cleanupFinalizer],
  });
  assert.deepEqual(markedForDeletion(marked, later), marked);
  const done = terminatingStatus(marked, { kind: "completed" }, later);
  assert.deepEqual(conditionsOf({ status: done }).at(-1), {
    type: "Terminating",
    status: "False",
    reason: "InstanceDeletionCompleted",
    message: "removed all instances",
    lastTransitionTime: "2030-01-01T00:01:00Z",
  });
});
