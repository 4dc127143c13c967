import assert from "node:assert/strict";
import { test } from "node:test";
import {
  builtinKinds,
  extraSubresources,
  reviewKinds,
} from "../../../intents/builtin/builtin-kinds.ts";
import { inlineWork } from "../../../kernel/heavy-work.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { defineKind } from "../../../kernel/kind.ts";
import type { Kind } from "../../../kernel/kind.ts";
import { servedGroups } from "../discovery/served-groups.ts";
import { openApiFunctions } from "./built-document.ts";
import { widgetInput, widgets } from "./fixtures.ts";
import { openApiOf } from "./openapi.ts";
import type { DocumentWork, OpenApi, OpenApiCache } from "./openapi.ts";
import { embeddedApiVersionText, embeddedKindText } from "./type-texts.ts";

const conventions =
  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const api = openApiWith([widgets]);

const jobs: string[] = [];
let pauses = 0;
const work = inlineWork(openApiFunctions);
const by: DocumentWork = {
  run: (job) => {
    jobs.push(job.name);
    return work.run({ ...job, tenant: "" });
  },
  pause: async () => {
    pauses += 1;
  },
};

test("the index names every group and version with a hash in its address", async () => {
  const { paths } = parsed((await api.index(by)).bytes) as { readonly paths: JsonObject };
  const hash = (await api.document("apis/example.dev/v1", by))?.hash ?? "";
  assert.match(hash, /^[0-9A-F]{128}$/);
  assert.deepEqual(paths["apis/example.dev/v1"], {
    serverRelativeURL: `/openapi/v3/apis/example.dev/v1?hash=${hash}`,
  });
  assert.ok(paths["api/v1"]);
  assert.ok(paths["apis/rbac.authorization.k8s.io/v1"]);
  assert.equal(await api.document("apis/nowhere.dev/v1", by), undefined);
});

test("a defined kind has all paths, and the operations that kubectl looks for", async () => {
  const { paths, openapi } = await v3("apis/example.dev/v1");
  const root = "/apis/example.dev/v1";
  const one = `${root}/namespaces/{namespace}/widgets/{name}`;
  assert.equal(openapi, "3.0.0");
  assert.deepEqual(Object.keys(paths), [
    `${root}/namespaces/{namespace}/widgets`,
    one,
    `${one}/scale`,
    `${one}/status`,
    `${root}/widgets`,
  ]);
  const { patch, parameters } = paths[one] as { readonly patch: JsonObject; parameters: unknown };
  assert.deepEqual(namesOf(patch["parameters"]), [
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
  ]);
  assert.deepEqual(namesOf(parameters), ["name", "namespace", "pretty"]);
  assert.equal(patch["x-kubernetes-action"], "patch");
  assert.deepEqual(patch["x-kubernetes-group-version-kind"], {
    group: "example.dev",
    version: "v1",
    kind: "Widget",
  });
  assert.equal(patch["operationId"], "patchExampleDevV1NamespacedWidget");
  assert.deepEqual(patch["tags"], ["exampleDev_v1"]);
});

test("operations are named and described as kube-apiserver does", async () => {
  const texts = Object.values((await v3("api/v1")).paths).flatMap((item) =>
    Object.values(item as JsonObject)
      .filter((operation) => isJsonObject(operation))
      .map(({ operationId, description }) => [operationId, description].map(String).join(": ")),
  );
  for (const expected of [
    "listCoreV1ConfigMapForAllNamespaces: list or watch objects of kind ConfigMap",
    "listCoreV1NamespacedConfigMap: list or watch objects of kind ConfigMap",
    "createCoreV1NamespacedEvent: create an Event",
    "deleteCoreV1CollectionNamespacedSecret: delete collection of Secret",
    "readCoreV1NamespaceStatus: read status of the specified Namespace",
    "replaceCoreV1NamespaceFinalize: replace finalize of the specified Namespace",
    "createCoreV1NamespacedServiceAccountToken: create token of a ServiceAccount",
    "patchCoreV1NamespacedResourceQuota: partially update the specified ResourceQuota",
    "deleteCoreV1Namespace: delete a Namespace",
  ]) {
    assert.ok(texts.includes(expected), expected);
  }
  assert.ok(!texts.some((text) => text.startsWith("deleteCoreV1CollectionNamespace:")));
});

test("version 3 keeps everything a structural schema says", async () => {
  const schema = (await v3("apis/example.dev/v1")).components.schemas[
    "dev.example.v1.Widget"
  ] as JsonObject;
  const { properties, ...rest } = schema;
  assert.deepEqual(rest, {
    type: "object",
    description: "A thing.",
    required: ["spec"],
    "x-kubernetes-validations": [{ rule: "true" }],
    "x-kubernetes-group-version-kind": [{ group: "example.dev", kind: "Widget", version: "v1" }],
    "x-kubernetes-selectable-fields": [{ fieldPath: "spec.color" }],
  });
  const { spec, metadata } = properties as { readonly [key: string]: JsonObject };
  const metaSchema = {
    allOf: [{ $ref: `#/components/schemas/${objectMeta}` }],
    description: `Standard object's metadata. More info: ${conventions}#metadata`,
  };
  assert.deepEqual(metadata, metaSchema);
  assert.deepEqual(spec?.["properties"], {
    color: { type: "string", enum: ["red", "blue"], default: "red" },
    replicas: { type: "integer", format: "int32", minimum: 0 },
    port: {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
    },
    maybe: { type: "string", nullable: true },
    choice: { type: "string", oneOf: [{ pattern: "^a" }, { pattern: "^b" }] },
    free: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { a: { type: "string" } },
    },
    labels: { type: "object", additionalProperties: { type: "string" } },
    template: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: {
        apiVersion: {
          description: embeddedApiVersionText,
          type: "string",
        },
        kind: {
          description: embeddedKindText,
          type: "string",
        },
        metadata: metaSchema,
      },
      required: ["kind", "apiVersion"],
    },
  });
});

test("version 2 leaves open what it cannot say", async () => {
  const { definitions } = parsed((await api.v2("json", by)).bytes) as {
    readonly definitions: { readonly [name: string]: JsonObject };
  };
  const properties = propertiesOf(definitions["dev.example.v1.Widget"]);
  assert.deepEqual(properties["metadata"], {
    $ref: `#/definitions/${objectMeta}`,
    description: `Standard object's metadata. More info: ${conventions}#metadata`,
  });
  const spec = properties["spec"] as { readonly required: unknown; properties: JsonObject };
  assert.deepEqual(spec.required, ["color"]);
  const { color, port, maybe, choice, free, labels } = spec.properties;
  assert.deepEqual(color, { type: "string", enum: ["red", "blue"] });
  assert.deepEqual(port, { "x-kubernetes-int-or-string": true });
  assert.deepEqual(maybe, {});
  assert.deepEqual(choice, { type: "string" });
  assert.deepEqual(free, { "x-kubernetes-preserve-unknown-fields": true });
  assert.deepEqual(labels, { type: "object", additionalProperties: { type: "string" } });
});

test("a schema that keeps unknown fields at its root is open in version 2", async () => {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const open = widgetsWith(schema);
  const { definitions } = parsed((await openApiWith([open]).v2("json", by)).bytes) as {
    readonly definitions: JsonObject;
  };
  assert.deepEqual(definitions["dev.example.v1.Widget"], {
    type: "object",
    "x-kubernetes-group-version-kind": [{ group: "example.dev", kind: "Widget", version: "v1" }],
  });
});

test("a list refers to its items", async () => {
  const { schemas } = (await v3("apis/example.dev/v1")).components;
  assert.deepEqual(schemas["dev.example.v1.WidgetList"], {
    description: "WidgetList is a list of Widget",
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: typeProperty(schemas, "apiVersion"),
      items: {
        description: `List of widgets. More info: ${conventions}`,
        items: { $ref: "#/components/schemas/dev.example.v1.Widget" },
        type: "array",
      },
      kind: typeProperty(schemas, "kind"),
      metadata: {
        allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta" }],
        description: `Standard list metadata. More info: ${conventions}#types-kinds`,
      },
    },
    "x-kubernetes-group-version-kind": [
      { group: "example.dev", kind: "WidgetList", version: "v1" },
    ],
    "x-kubernetes-selectable-fields": [{ fieldPath: "spec.color" }],
  });
});

test("every reference of every document leads somewhere", async () => {
  const { paths } = parsed((await api.index(by)).bytes) as { readonly paths: JsonObject };
  for (const path of Object.keys(paths)) {
    const text = (await api.document(path, by))?.document.bytes.toString("utf8") ?? "";
    const names = Object.keys((await v3(path)).components.schemas);
    for (const name of referencesIn(text, "#/components/schemas/")) {
      assert.ok(names.includes(name), `${path}: ${name}`);
    }
  }
  const swagger = (await api.v2("json", by)).bytes;
  const { definitions } = parsed(swagger) as { readonly definitions: JsonObject };
  const found = referencesIn(swagger.toString("utf8"), "#/definitions/");
  assert.ok(found.size > 50);
  for (const name of found) assert.ok(definitions[name], name);
  assert.ok(!swagger.includes("#/components/"));
});

test("built-in types have their names, patch keys and kinds", async () => {
  const { schemas } = (await v3("api/v1")).components;
  const configMap = schemas["io.k8s.api.core.v1.ConfigMap"] as JsonObject;
  assert.deepEqual(configMap["x-kubernetes-group-version-kind"], [
    { group: "", kind: "ConfigMap", version: "v1" },
  ]);
  const { ownerReferences } = propertiesOf(schemas[objectMeta]);
  assert.equal((ownerReferences as JsonObject)["x-kubernetes-patch-merge-key"], "uid");
});

test("no field of a built-in type has an empty schema, which kubectl cannot explain", async () => {
  const { paths } = parsed((await api.index(by)).bytes) as { readonly paths: JsonObject };
  for (const path of Object.keys(paths)) {
    assert.ok(!(await api.document(path, by))?.document.bytes.includes(":{},"), path);
  }
});

test("a document is made once, and kept when other kinds change", async () => {
  const cache: OpenApiCache = new Map();
  const first = openApiWith([widgets], cache);
  const own = "apis/example.dev/v1";
  const found = await first.document(own, by);
  const core = await first.document("api/v1", by);
  assert.equal((await first.document(own, by))?.document, found?.document);
  const changed = widgetsWith({ type: "object", description: "Another." });
  const second = openApiWith([changed], cache);
  assert.equal((await second.document("api/v1", by))?.document, core?.document);
  const next = await second.document(own, by);
  assert.notEqual(next?.hash, found?.hash);
  assert.notEqual(next?.document, found?.document);
  assert.equal(cache.size, 2);
});

test("a default that looks like a reference harms nobody", async () => {
  const $ref = "#/components/schemas/no.such.Thing";
  const property = {
    type: "object",
    default: { $ref },
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const kind = widgetsWith({ type: "object", properties: { spec: property } });
  assert.ok(await openApiWith([kind]).document("apis/example.dev/v1", by));
});

test("the document of a large kind is built by a thread, once, after a pause", async () => {
  const fields = Array.from({ length: 20_000 }, (_, index) => [`f${index}`, { type: "string" }]);
  const spec = { type: "object", properties: Object.fromEntries(fields) as JsonObject };
  const large = openApiWith([widgetsWith({ type: "object", properties: { spec } })]);
  jobs.length = 0;
  pauses = 0;
  const both = await Promise.all([large.v2("json", by), large.v2("json", by)]);
  assert.equal(both[0], both[1]);
  assert.ok(both[0].bytes.includes("f9999"));
  assert.deepEqual(jobs, ["openapi"]);
  assert.ok(pauses >= 1, `${pauses} pauses`);
  const found = await large.document("apis/example.dev/v1", by);
  assert.ok(found?.document.bytes.includes("f9999"));
  assert.deepEqual(jobs, ["openapi", "openapi"]);
});

function openApiWith(kinds: readonly Kind[], cache?: OpenApiCache): OpenApi {
  const groups = servedGroups({
    kinds: [...builtinKinds, ...kinds],
    reviews: reviewKinds,
    subresources: extraSubresources,
  });
  return openApiOf({ groups, serverVersion: "v1.33.0" }, cache);
}

function widgetsWith(schema: JsonObject): Kind {
  return defineKind({
    ...widgetInput,
    versions: [{ name: "v1", served: true, storage: true, schema }],
  });
}

interface V3Document {
  readonly openapi: string;
  readonly paths: JsonObject;
  readonly components: { readonly schemas: { readonly [name: string]: JsonObject } };
}

async function v3(path: string): Promise<V3Document> {
  const found = await api.document(path, by);
  assert.ok(found);
  return parsed(found.document.bytes) as V3Document;
}

function parsed(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString("utf8"));
}

function namesOf(parameters: unknown): readonly string[] {
  return (parameters as readonly { readonly name: string }[]).map(({ name }) => name);
}

function typeProperty(schemas: V3Document["components"]["schemas"], name: string): unknown {
  return propertiesOf(schemas["dev.example.v1.Widget"])[name];
}

function propertiesOf(schema: JsonObject | undefined): JsonObject {
  const properties = schema?.["properties"];
  return isJsonObject(properties) ? properties : {};
}

function referencesIn(text: string, prefix: string): ReadonlySet<string> {
  const pattern = new RegExp(`"\\$ref":"${prefix}([^"]+)"`, "g");
  return new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));
}
