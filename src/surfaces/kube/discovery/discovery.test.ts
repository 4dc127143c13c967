import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { defineKind } from "../../../kernel/kind.ts";
import type { Kind, KindInput } from "../../../kernel/kind.ts";
import { discoveryOf } from "./discovery.ts";
import type { DiscoveryInput } from "./discovery.ts";
import type { EncodedDocument } from "./encoded-document.ts";

const allVerbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
const definedVerbs = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];
const subVerbs = ["get", "patch", "update"];

const namespaces = builtIn("", "Namespace", "namespaces", {
  scope: "Cluster",
  names: { plural: "namespaces", kind: "Namespace", shortNames: ["ns"] },
  subresources: { status: true },
});
const accounts = builtIn("", "ServiceAccount", "serviceaccounts", {
  names: { plural: "serviceaccounts", kind: "ServiceAccount", shortNames: ["sa"] },
});
const configMaps = builtIn("", "ConfigMap", "configmaps", {
  names: { plural: "configmaps", kind: "ConfigMap", shortNames: ["cm"] },
});
const newEvents = builtIn("events.k8s.io", "Event", "events", {});
const definitions = builtIn(
  "apiextensions.k8s.io",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  {
    scope: "Cluster",
  },
);
const reviews = [
  builtIn("authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews", {
    scope: "Cluster",
  }),
];
const widgets = defineKind({
  group: "example.dev",
  names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
  scope: "Namespaced",
  versions: [
    {
      name: "v1beta1",
      served: true,
      storage: false,
      schema: {},
    },
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {},
      subresources: {
        status: true,
        scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      },
    },
    { name: "v3", served: false, storage: false, schema: {} },
  ],
});

const input: DiscoveryInput = {
  kinds: [widgets, definitions, newEvents, accounts, namespaces, configMaps],
  reviews,
  subresources: [
    {
      parent: "namespaces",
      name: "finalize",
      group: "",
      version: "v1",
      kind: "Namespace",
      verbs: ["update"],
    },
    {
      parent: "serviceaccounts",
      name: "token",
      group: "authentication.k8s.io",
      version: "v1",
      kind: "TokenRequest",
      verbs: ["create"],
    },
  ],
  serverAddress: "127.0.0.1:6443",
};
const discovery = discoveryOf(input);

test("the core group's versions are listed with the server's address", () => {
  assert.deepEqual(json(discovery.api("plain")), {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:6443" }],
  });
});

test("groups come in the order of Kubernetes, others after them", () => {
  const names = discovery.groups.map((group) => group.name);
  const expected = [
    "",
    "events.k8s.io",
    "authorization.k8s.io",
    "apiextensions.k8s.io",
    "example.dev",
  ];
  assert.deepEqual(names, expected);
});

test("a group names its versions, the preferred one first", () => {
  const v1 = { groupVersion: "example.dev/v1", version: "v1" };
  const versions = [v1, { groupVersion: "example.dev/v1beta1", version: "v1beta1" }];
  const group = { name: "example.dev", versions, preferredVersion: v1 };
  assert.deepEqual(json(discovery.group("example.dev")), {
    kind: "APIGroup",
    apiVersion: "v1",
    ...group,
  });
  const list = json(discovery.apis("plain")) as { readonly groups: readonly unknown[] };
  assert.deepEqual(list.groups.at(-1), group);
  assert.equal(list.groups.length, 4);
  assert.equal(discovery.group("nowhere.dev"), undefined);
  assert.equal(discovery.group(""), undefined);
});

test("the resources of the core group are listed as kube-apiserver lists them", () => {
  assert.deepEqual(json(discovery.resources("", "v1")), {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [
      {
        name: "configmaps",
        singularName: "configmap",
        namespaced: true,
        kind: "ConfigMap",
        verbs: allVerbs,
        shortNames: ["cm"],
        storageVersionHash: "qFsyl6wFWjQ=",
      },
      {
        name: "namespaces",
        singularName: "namespace",
        namespaced: false,
        kind: "Namespace",
        verbs: allVerbs.filter((verb) => verb !== "deletecollection"),
        shortNames: ["ns"],
        storageVersionHash: "Q3oi5N2YM8M=",
      },
      {
        name: "namespaces/finalize",
        singularName: "",
        namespaced: false,
        kind: "Namespace",
        verbs: ["update"],
      },
      {
        name: "namespaces/status",
        singularName: "",
        namespaced: false,
        kind: "Namespace",
        verbs: subVerbs,
      },
      {
        name: "serviceaccounts",
        singularName: "serviceaccount",
        namespaced: true,
        kind: "ServiceAccount",
        verbs: allVerbs,
        shortNames: ["sa"],
        storageVersionHash: "pbx9ZvyFpBE=",
      },
      {
        name: "serviceaccounts/token",
        singularName: "",
        namespaced: true,
        group: "authentication.k8s.io",
        version: "v1",
        kind: "TokenRequest",
        verbs: ["create"],
      },
    ],
  });
});

test("events of the newer group are stored as those of the core group", () => {
  const { resources } = json(discovery.resources("events.k8s.io", "v1")) as {
    readonly resources: readonly { readonly storageVersionHash: string }[];
  };
  assert.equal(resources[0]?.storageVersionHash, "r2yiGXH7wu8=");
});

test("a defined kind has its subresources, and verbs in the order of definitions", () => {
  assert.deepEqual(json(discovery.resources("example.dev", "v1")), {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "example.dev/v1",
    resources: [
      {
        name: "widgets",
        singularName: "widget",
        namespaced: true,
        kind: "Widget",
        verbs: definedVerbs,
        shortNames: ["wd"],
        categories: ["all"],
        storageVersionHash: hashOf("example.dev/v1/Widget"),
      },
      {
        name: "widgets/status",
        singularName: "",
        namespaced: true,
        kind: "Widget",
        verbs: subVerbs,
      },
      {
        name: "widgets/scale",
        singularName: "",
        namespaced: true,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: subVerbs,
      },
    ],
  });
  assert.equal(discovery.resources("example.dev", "v3"), undefined);
  assert.ok(discovery.resources("example.dev", "v1beta1"));
});

test("aggregated discovery holds all groups but the core one at /apis", () => {
  const { items, ...rest } = json(discovery.apis("v2")) as { readonly items: readonly unknown[] };
  assert.deepEqual(rest, {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
  });
  assert.deepEqual(items[1], {
    metadata: { name: "authorization.k8s.io" },
    versions: [
      {
        version: "v1",
        resources: [
          {
            resource: "selfsubjectaccessreviews",
            responseKind: { group: "", version: "", kind: "SelfSubjectAccessReview" },
            scope: "Cluster",
            singularResource: "selfsubjectaccessreview",
            verbs: ["create"],
          },
        ],
        freshness: "Current",
      },
    ],
  });
  const widget = { group: "example.dev", version: "v1", kind: "Widget" };
  const scale = { group: "autoscaling", version: "v1", kind: "Scale" };
  const defined = items[3] as { readonly versions: readonly unknown[] };
  assert.deepEqual(defined.versions[0], {
    version: "v1",
    resources: [
      {
        resource: "widgets",
        responseKind: widget,
        scope: "Namespaced",
        singularResource: "widget",
        verbs: definedVerbs,
        shortNames: ["wd"],
        categories: ["all"],
        subresources: [
          { subresource: "status", responseKind: widget, verbs: subVerbs },
          { subresource: "scale", responseKind: scale, verbs: subVerbs },
        ],
      },
    ],
    freshness: "Current",
  });
});

test("aggregated discovery of /api is the core group, which has no name", () => {
  const { items } = json(discovery.api("v2beta1")) as {
    readonly items: readonly {
      readonly metadata: unknown;
      readonly versions: readonly unknown[];
    }[];
  };
  assert.equal(items.length, 1);
  assert.deepEqual(items[0]?.metadata, {});
});

test("documents carry their type, a strong tag of their bytes, and are made once", () => {
  const document = discovery.apis("v2");
  const digest = createHash("sha512").update(document.bytes).digest("hex").toUpperCase();
  assert.equal(document.etag, `"${digest}"`);
  assert.equal(
    document.contentType,
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  );
  assert.equal(discovery.apis("v2"), document);
  assert.notEqual(discovery.apis("v2beta1").etag, document.etag);
  assert.equal(discoveryOf(input).apis("v2").etag, document.etag);
});

test("a kind whose definition is being deleted takes no more writes but deletions", () => {
  const ending = discoveryOf({ ...input, terminating: new Set(["widgets.example.dev"]) });
  const { resources } = json(ending.resources("example.dev", "v1")) as {
    readonly resources: readonly { readonly verbs: readonly string[] }[];
  };
  assert.deepEqual(resources[0]?.verbs, ["delete", "deletecollection", "get", "list", "watch"]);
});

function builtIn(group: string, kind: string, plural: string, more: Partial<KindInput>): Kind {
  return defineKind({
    group,
    names: { plural, kind },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: {} }],
    origin: "built-in",
    ...more,
  });
}

function json(document: EncodedDocument | undefined): unknown {
  assert.ok(document);
  return JSON.parse(document.bytes.toString("utf8"));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}
