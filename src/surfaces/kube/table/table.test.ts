import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { defineKind, storageVersion } from "../../../kernel/kind.ts";
import type { Kind, PrinterColumn } from "../../../kernel/kind.ts";
import { prose } from "./column.ts";
import { partialObjectMetadata, partialObjectMetadataList } from "./partial-metadata.ts";
import { tableFor } from "./table.ts";

const nowMs = Date.parse("2026-01-01T00:02:30Z");
const metadata = {
  name: "a",
  namespace: "default",
  resourceVersion: "7",
  creationTimestamp: "2026-01-01T00:00:00Z",
};

test("a kind without printer columns shows its name and age, as kube-apiserver does", () => {
  const table = tableOf(widgets(), [{ metadata, spec: {} }]);
  const nameText = prose(
    "Name must be unique within a namespace. Is required when creating resources, ",
    "although some resources may allow a client to request the generation of an ",
    "appropriate name automatically. Name is primarily intended for creation idempotence ",
    "and configuration definition. Cannot be updated. More info: ",
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  );
  const ageText = prose(
    "CreationTimestamp is a timestamp representing the server time when this object was ",
    "created. It is not guaranteed to be set in happens-before order across separate ",
    "operations. Clients may not set this value. It is represented in RFC3339 form and is ",
    "in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: ",
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#",
    "metadata",
  );
  assert.deepEqual(table, {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "7" },
    columnDefinitions: [
      { name: "Name", type: "string", format: "name", description: nameText, priority: 0 },
      { name: "Age", type: "date", format: "", description: ageText, priority: 0 },
    ],
    rows: [
      {
        cells: ["a", "2m30s"],
        object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata },
      },
    ],
  });
});

test("printer columns show their values, and null for what is missing or of another type", () => {
  const columns: readonly PrinterColumn[] = [
    { name: "S", type: "string", jsonPath: ".spec.s", priority: 1, description: "mine" },
    { name: "I", type: "integer", jsonPath: ".spec.i", format: "int32" },
    { name: "N", type: "number", jsonPath: ".spec.n" },
    { name: "B", type: "boolean", jsonPath: ".spec.b" },
    { name: "D", type: "date", jsonPath: ".spec.d" },
  ];
  const rowOf = (spec: JsonObject): unknown =>
    cells(tableOf(widgets(columns), [{ metadata, spec }]));
  const d = "2026-01-01T00:02:00Z";
  assert.deepEqual(rowOf({ s: "x", i: 2, n: 1.5, b: false, d }), ["a", "x", 2, 1.5, false, "30s"]);
  assert.deepEqual(rowOf({}), ["a", null, null, null, null, null]);
  const swapped = rowOf({ s: 1, i: "2", n: true, b: 1, d: 3 });
  assert.deepEqual(swapped, ["a", "1", null, null, null, null]);
  assert.deepEqual(rowOf({ s: { b: "<", a: [1] }, i: 2.9, d: "soon" }), [
    "a",
    '{"a":[1],"b":"\\u003c"}',
    2,
    null,
    null,
    "<invalid>",
  ]);
  assert.deepEqual(rowOf({ s: 0.00001 }), ["a", "1e-05", null, null, null, null]);
  assert.deepEqual(definitions(tableOf(widgets(columns), [])).slice(1, 3), [
    { name: "S", type: "string", format: "", description: "mine", priority: 1 },
    {
      name: "I",
      type: "integer",
      format: "int32",
      description: "Custom resource definition column (in JSONPath format): .spec.i",
      priority: 0,
    },
  ]);
});

test("a column with an unreadable path ends the columns", () => {
  const columns: readonly PrinterColumn[] = [
    { name: "A", type: "string", jsonPath: ".spec.a" },
    { name: "Bad", type: "string", jsonPath: ".spec[" },
    { name: "C", type: "string", jsonPath: ".spec.c" },
  ];
  assert.deepEqual(names(tableOf(widgets(columns), [])), ["Name", "A"]);
});

test("rows carry nothing, metadata or the whole object, and later watch events no columns", () => {
  const object = { metadata, spec: { a: 1 } };
  const kind = widgets();
  const version = storageVersion(kind);
  const none = tableFor(kind, version, [object], { nowMs, includeObject: "None" });
  assert.deepEqual(none["rows"], [{ cells: ["a", "2m30s"], object: null }]);
  const whole = tableFor(kind, version, [object], {
    nowMs,
    includeObject: "Object",
    withoutColumns: true,
    metadata: { resourceVersion: "9", continue: "next", remainingItemCount: 3 },
    version: "v1beta1",
  });
  assert.deepEqual(whole, {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1beta1",
    metadata: { resourceVersion: "9", continue: "next", remainingItemCount: 3 },
    columnDefinitions: null,
    rows: [{ cells: ["a", "2m30s"], object }],
  });
});

interface BuiltInCase {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly object: JsonObject;
  readonly columns: readonly string[];
  readonly cells: readonly unknown[];
}

const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";

const builtIns: readonly BuiltInCase[] = [
  {
    group: "",
    plural: "configmaps",
    kind: "ConfigMap",
    object: { data: { a: "1" }, binaryData: { b: "" } },
    columns: ["Name", "Data", "Age"],
    cells: ["a", 2, "2m30s"],
  },
  {
    group: "",
    plural: "secrets",
    kind: "Secret",
    object: { type: "Opaque", data: { a: "eA==" } },
    columns: ["Name", "Type", "Data", "Age"],
    cells: ["a", "Opaque", 1, "2m30s"],
  },
  {
    group: "",
    plural: "namespaces",
    kind: "Namespace",
    object: { status: { phase: "Active" } },
    columns: ["Name", "Status", "Age"],
    cells: ["a", "Active", "2m30s"],
  },
  {
    group: "",
    plural: "serviceaccounts",
    kind: "ServiceAccount",
    object: {},
    columns: ["Name", "Secrets", "Age"],
    cells: ["a", 0, "2m30s"],
  },
  {
    group: "",
    plural: "resourcequotas",
    kind: "ResourceQuota",
    object: {
      status: {
        hard: { "limits.cpu": "2", pods: "4", cpu: "1" },
        used: { pods: "1", cpu: "500m" },
      },
    },
    columns: ["Name", "Request", "Limit", "Age"],
    cells: ["a", "cpu: 500m/1, pods: 1/4", "limits.cpu: 0/2", "2m30s"],
  },
  {
    group: "coordination.k8s.io",
    plural: "leases",
    kind: "Lease",
    object: { spec: { holderIdentity: "me" } },
    columns: ["Name", "Holder", "Age"],
    cells: ["a", "me", "2m30s"],
  },
  {
    group: rbac,
    plural: "roles",
    kind: "Role",
    object: {},
    columns: ["Name", "Created At"],
    cells: ["a", "2026-01-01T00:00:00Z"],
  },
  {
    group: rbac,
    plural: "rolebindings",
    kind: "RoleBinding",
    object: {
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u1" },
        { kind: "User", name: "u2" },
        { kind: "Group", name: "g" },
        { kind: "ServiceAccount", namespace: "n", name: "s" },
      ],
    },
    columns: ["Name", "Role", "Age", "Users", "Groups", "ServiceAccounts"],
    cells: ["a", "Role/r", "2m30s", "u1, u2", "g", "n/s"],
  },
  {
    group: admission,
    plural: "validatingwebhookconfigurations",
    kind: "ValidatingWebhookConfiguration",
    object: { webhooks: [{}, {}] },
    columns: ["Name", "Webhooks", "Age"],
    cells: ["a", 2, "2m30s"],
  },
  {
    group: admission,
    plural: "validatingadmissionpolicies",
    kind: "ValidatingAdmissionPolicy",
    object: { spec: { validations: [{}], paramKind: { apiVersion: "v1", kind: "ConfigMap" } } },
    columns: ["Name", "Validations", "ParamKind", "Age"],
    cells: ["a", 1, "v1/ConfigMap", "2m30s"],
  },
  {
    group: admission,
    plural: "validatingadmissionpolicybindings",
    kind: "ValidatingAdmissionPolicyBinding",
    object: {
      spec: {
        policyName: "p",
        paramRef: {
          selector: {
            matchLabels: { b: "2", a: "1" },
            matchExpressions: [{ key: "k", operator: "In", values: ["x", "y"] }],
          },
        },
      },
    },
    columns: ["Name", "PolicyName", "ParamRef", "Age"],
    cells: [
      "a",
      "p",
      prose(
        "&LabelSelector{MatchLabels:map[string]string{a: 1,b: ",
        "2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Opera",
        "tor:In,Values:[x y],},},}",
      ),
      "2m30s",
    ],
  },
  {
    group: "apiextensions.k8s.io",
    plural: "customresourcedefinitions",
    kind: "CustomResourceDefinition",
    object: {},
    columns: ["Name", "Created At"],
    cells: ["a", "2026-01-01T00:00:00Z"],
  },
];

for (const { object, columns, cells: expected, ...identity } of builtIns) {
  test(`the built-in kind ${identity.kind} has the columns ${columns.join(", ")}`, () => {
    const table = tableOf(builtIn(identity), [{ metadata, ...object }]);
    assert.deepEqual(names(table), columns);
    assert.deepEqual(cells(table), expected);
  });
}

test("events of both groups show the same cells", () => {
  const columns = [
    "Last Seen",
    "Type",
    "Reason",
    "Object",
    "Subobject",
    "Source",
    "Message",
    "First Seen",
    "Count",
    "Name",
  ];
  const about = { kind: "Widget", name: "w", fieldPath: "spec.a" };
  const core = {
    metadata,
    type: "Normal",
    reason: "Made",
    message: " made \n",
    involvedObject: about,
    source: { component: "maker", host: "h" },
    firstTimestamp: "2026-01-01T00:00:30Z",
    lastTimestamp: "2026-01-01T00:02:29Z",
    count: 4,
  };
  const fresh = {
    metadata,
    type: "Normal",
    reason: "Made",
    note: "made",
    regarding: about,
    reportingController: "maker",
    reportingInstance: "h",
    eventTime: "2026-01-01T00:00:30.500000Z",
    series: { count: 4, lastObservedTime: "2026-01-01T00:02:28.500000Z" },
  };
  const names1 = { plural: "events", kind: "Event" };
  const coreTable = tableOf(builtIn({ group: "", ...names1 }), [core]);
  const freshTable = tableOf(builtIn({ group: "events.k8s.io", ...names1 }), [fresh]);
  const tail = ["Normal", "Made", "widget/w", "spec.a", "maker, h", "made"];
  assert.deepEqual(names(coreTable), columns);
  assert.deepEqual(cells(coreTable), ["1s", ...tail, "2m", 4, "a"]);
  assert.deepEqual(cells(freshTable), ["1s", ...tail, "119s", 4, "a"]);
  const priorities = definitions(coreTable).map((definition) => definition["priority"]);
  assert.deepEqual(priorities, [0, 0, 0, 0, 1, 1, 0, 1, 1, 1]);
});

test("an event without times or counts happened once, at an unknown time", () => {
  const kind = builtIn({ group: "", plural: "events", kind: "Event" });
  const table = tableOf(kind, [{ metadata, involvedObject: { kind: "Widget" } }]);
  const expected = ["<unknown>", "", "", "widget", "", "", "", "<unknown>", 1, "a"];
  assert.deepEqual(cells(table), expected);
});

test("partial metadata keeps nothing but metadata", () => {
  const object = { apiVersion: "v1", kind: "Secret", metadata, data: { a: "eA==" } };
  const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
  assert.deepEqual(partialObjectMetadata(object), partial);
  assert.deepEqual(partialObjectMetadataList([object], { resourceVersion: "9" }), {
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "9" },
    items: [partial],
  });
});

function widgets(printerColumns: readonly PrinterColumn[] = []): Kind {
  return defineKind({
    group: "example.dev",
    names: { plural: "widgets", kind: "Widget" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: {}, printerColumns }],
  });
}

function builtIn(identity: Pick<BuiltInCase, "group" | "plural" | "kind">): Kind {
  return defineKind({
    group: identity.group,
    names: { plural: identity.plural, kind: identity.kind },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: {} }],
    origin: "built-in",
  });
}

function tableOf(kind: Kind, objects: readonly JsonObject[]): JsonObject {
  return tableFor(kind, storageVersion(kind), objects, { nowMs });
}

interface TableShape {
  readonly columnDefinitions: readonly JsonObject[];
  readonly rows: readonly { readonly cells: unknown }[];
}

function definitions(table: JsonObject): readonly JsonObject[] {
  return (table as unknown as TableShape).columnDefinitions;
}

function names(table: JsonObject): readonly unknown[] {
  return definitions(table).map((definition) => definition["name"]);
}

function cells(table: JsonObject): unknown {
  return (table as unknown as TableShape).rows[0]?.cells;
}
