// Integers beyond 2^53: whatever a client does with them, it gets the same digits back. Kubernetes
// keeps every int64, and clients store ids, sizes and times in nanoseconds in them.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { onEachStore } from "./stores.ts";
import { pick, pickList, pickText } from "./server.ts";
import type { KubeServer, Reply, RequestHeaders } from "./server.ts";
import { applyPatch, jsonPatch, mergePatch, strategicPatch } from "./widget-kinds.ts";
import { jsonPatch as patchAnswer, startWebhookServer } from "./webhook-server.ts";
import type { WebhookServer } from "./webhook-server.ts";

const big = 9_223_372_036_854_775_807n;
const odd = 9_007_199_254_740_993n;
const low = -9_223_372_036_854_775_808n;
const path = "/apis/int64.dev/v1/namespaces/default/numbers";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const yaml: RequestHeaders = { "content-type": "application/yaml", accept: "application/yaml" };

const id = { type: "integer", format: "int64" };
const spec = {
  type: "object",
  "x-kubernetes-validations": [
    { rule: "!has(self.id) || self.id != 9007199254740992", message: "id must not be 2^53" },
    { rule: "!has(self.next) || self.next == self.id + 1", message: "next must follow id" },
  ],
  properties: {
    id,
    next: id,
    kept: { ...id, default: odd },
    low: { ...id, minimum: 0, maximum: big },
    huge: { ...id, minimum: 2n ** 60n, multipleOf: 2n ** 54n },
    choice: { ...id, enum: [odd, big] },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["id"],
      items: { type: "object", required: ["id"], properties: { id, name: { type: "string" } } },
    },
    password: { type: "string", "x-setpoint-field-rule": "secret" },
    set: { type: "array", "x-kubernetes-list-type": "set", items: id },
  },
};

function definition(clientConfig: object): object {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const other = { openAPIV3Schema: { ...schema.openAPIV3Schema, description: "Another version." } };
  const additionalPrinterColumns = [
    { name: "Id", type: "integer", jsonPath: ".spec.id" },
    { name: "Text", type: "string", jsonPath: ".spec.id" },
  ];
  const v1 = { name: "v1", served: true, storage: true, schema, additionalPrinterColumns };
  const selectableFields = [{ jsonPath: ".spec.id" }];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "numbers.int64.dev" },
    spec: {
      group: "int64.dev",
      scope: "Namespaced",
      names: { plural: "numbers", singular: "number", kind: "Number" },
      versions: [
        { ...v1, selectableFields },
        { name: "v2", served: true, storage: false, schema: other },
      ],
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig, conversionReviewVersions: ["v1"] },
      },
    },
  };
}

function mutator(clientConfig: object): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "int64" },
    webhooks: [
      {
        name: "one.int64.dev",
        clientConfig,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        rules: [
          {
            apiGroups: ["int64.dev"],
            apiVersions: ["*"],
            resources: ["*"],
            operations: ["CREATE"],
          },
        ],
        objectSelector: { matchLabels: { hooked: "yes" } },
      },
    ],
  };
}

function number(name: string, content: object, labels?: object): object {
  const metadata = { name, ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: "int64.dev/v1", kind: "Number", metadata, spec: content };
}

onEachStore("integers of 64 bits", (server: () => KubeServer) => {
  let hooks: WebhookServer;
  const send = async (...request: Parameters<KubeServer["request"]>): Promise<Reply> =>
    await server().request(...request);
  const ok = async (...request: Parameters<KubeServer["request"]>): Promise<unknown> => {
    const { status, text, json } = await send(...request);
    assert.ok(status < 300, `${status} ${text}`);
    return json;
  };
  const refused = async (content: object): Promise<string> => {
    const { status, json } = await send("POST", path, number("refused", content));
    assert.equal(status, 422);
    return pickText(json, "message");
  };

  before(async () => {
    hooks = await startWebhookServer();
    hooks.on("/convert", (review) => {
      const apiVersion = String(pick(review, "request.desiredAPIVersion"));
      const objects = pickList(review, "request.objects");
      const convertedObjects = objects.map((one) => Object.assign(one as object, { apiVersion }));
      const uid = pick(review, "request.uid");
      const response = { uid, result: { status: "Success" }, convertedObjects };
      const head = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" };
      return JSON.stringify({ ...head, response });
    });
    hooks.on("/mutate", (review) => {
      const seen = pick(review, "request.object.spec.id") as bigint;
      return patchAnswer([{ op: "add", path: "/spec/next", value: seen + 1n }]);
    });
    const config = (place: string): object => ({
      url: hooks.url(place),
      caBundle: hooks.caBundle,
    });
    await ok("POST", definitions, definition(config("/convert")));
    await ok(
      "POST",
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
      mutator(config("/mutate")),
    );
  });
  after(async () => await hooks[Symbol.asyncDispose]());

  it("survive creation, reading, defaults, lists, watches and history", async () => {
    const free = { list: [big, low, { deep: odd }], text: "9007199254740993", share: 0.5 };
    const made = await ok("POST", path, number("a", { id: big, free }));
    const expected = { id: big, free, kept: odd };
    assert.deepEqual(pick(made, "spec"), expected);
    const { text } = await send("GET", `${path}/a`);
    assert.match(text, /"id":9223372036854775807[,}]/);
    assert.deepEqual(pick(await ok("GET", path), "items.0.spec"), expected);
    const at = pickText(made, "metadata.resourceVersion");
    await ok("PATCH", `${path}/a`, { spec: { free: { list: null } } }, mergePatch);
    const exact = `${path}?resourceVersion=${at}&resourceVersionMatch=Exact`;
    assert.deepEqual(pick(await ok("GET", exact), "items.0.spec"), expected);
    using watch = await server().watch(`${path}?watch=1&resourceVersion=${Number(at) - 1}`);
    const [frame] = await watch.take(1);
    assert.deepEqual(pick(frame, "object.spec"), expected);
  });

  it("survive next to a secret, which is encrypted and hidden", async () => {
    const made = await ok("POST", path, number("sealed", { id: big, password: "a b c d" }));
    assert.deepEqual(pick(made, "spec"), { id: big, kept: odd });
    const patched = await ok("PATCH", `${path}/sealed`, { spec: { id: odd } }, mergePatch);
    assert.deepEqual(pick(patched, "spec"), { id: odd, kept: odd });
  });

  it("survive every kind of patch, and a write that changes nothing is none", async () => {
    const one = `${path}/b`;
    const first = await ok("POST", path, number("b", { id: odd, free: { x: big } }));
    const again = await ok("PUT", one, first);
    const revision = pickText(first, "metadata.resourceVersion");
    assert.equal(pickText(again, "metadata.resourceVersion"), revision);
    const same = await ok("PATCH", one, { spec: { id: odd } }, mergePatch);
    assert.equal(pickText(same, "metadata.resourceVersion"), revision);
    const replaced = await ok(
      "PATCH",
      one,
      JSON.stringify([
        { op: "test", path: "/spec/id", value: odd },
        { op: "replace", path: "/spec/id", value: odd + 2n },
        { op: "copy", from: "/spec/free/x", path: "/spec/free/y" },
      ]),
      jsonPatch,
    );
    assert.deepEqual(pick(replaced, "spec.free"), { x: big, y: big });
    assert.equal(pick(replaced, "spec.id"), odd + 2n);
    const wrong = JSON.stringify([{ op: "test", path: "/spec/id", value: odd + 1n }]);
    assert.equal((await send("PATCH", one, wrong, jsonPatch)).status, 422);
    const account = "/api/v1/namespaces/default/serviceaccounts/default";
    const metadata = { generation: odd };
    assert.ok((await send("PATCH", account, { metadata }, strategicPatch)).status < 500);
  });

  it("survive server-side apply, as values, keys and members of sets", async () => {
    const config = (items: readonly object[]): string =>
      JSON.stringify(number("c", { id: odd, items, set: [big, odd] }));
    const by = (manager: string): string => `${path}/c?fieldManager=${manager}`;
    await ok("PATCH", by("one"), config([{ id: odd, name: "a" }]), applyPatch);
    const added = await ok(
      "PATCH",
      by("two"),
      JSON.stringify(number("c", { items: [{ id: odd + 1n, name: "b" }] })),
      applyPatch,
    );
    assert.deepEqual(pick(added, "spec.items"), [
      { id: odd, name: "a" },
      { id: odd + 1n, name: "b" },
    ]);
    const owned = JSON.stringify(pick(added, "metadata.managedFields"));
    assert.ok(owned.includes(String.raw`k:{\"id\":9007199254740993}`), owned);
    assert.ok(owned.includes("v:9223372036854775807"), owned);
    const taken = await send("PATCH", by("three"), config([]), applyPatch);
    assert.equal(taken.status, 200, taken.text);
    const fought = JSON.stringify(number("c", { id: odd + 1n }));
    assert.equal((await send("PATCH", by("three"), fought, applyPatch)).status, 409);
  });

  it("survive YAML in both directions", async () => {
    const text = `apiVersion: int64.dev/v1\nkind: Number\nmetadata: {name: d}\nspec: {id: ${big}}`;
    const { status, text: answer } = await send("POST", path, text, yaml);
    assert.equal(status, 201, answer);
    assert.match(answer, /^ {2}id: 9223372036854775807$/m);
  });

  it("are compared exactly by schemas and by CEL", async () => {
    assert.match(await refused({ id: 2 ** 53 }), /id must not be 2\^53/);
    assert.match(await refused({ id: odd, next: odd + 2n }), /next must follow id/);
    assert.match(
      await refused({ low }),
      /-9223372036854775808: spec\.low in body should be greater/,
    );
    assert.match(
      await refused({ huge: 5 }),
      /spec\.huge in body should be greater than or equal to/,
    );
    assert.match(await refused({ huge: big }), /spec\.huge in body should be a multiple of/);
    await ok("POST", path, number("huge", { huge: 2n ** 60n }));
    assert.match(await refused({ choice: odd + 1n }), /Unsupported value: 9007199254740994/);
    assert.match(await refused({ set: [odd, odd] }), /Duplicate value: 9007199254740993/);
    await ok("POST", path, number("e", { id: odd, next: odd + 1n, choice: big, low: big }));
  });

  it("are floats beyond 64 bits, which an integer field refuses", async () => {
    const body = '{"apiVersion":"int64.dev/v1","kind":"Number","metadata":{"name":"f"},"spec":';
    const wrong = await send("POST", path, `${body}{"kept":18446744073709551616}}`);
    assert.equal(wrong.status, 422, wrong.text);
    assert.match(wrong.text, /must be of type integer: \\"number\\"/);
    const { text } = await send("POST", path, `${body}{"free":{"x":18446744073709551615}}}`);
    assert.match(text, /"x":18446744073709552000/);
  });

  it("survive webhooks that convert and mutate", async () => {
    const made = await ok("POST", path, number("g", { id: odd }, { hooked: "yes" }));
    assert.equal(pick(made, "spec.next"), odd + 1n);
    const other = await ok("GET", `${path.replace("/v1/", "/v2/")}/g`);
    assert.equal(pick(other, "spec.id"), odd);
    assert.equal(pick(other, "spec.kept"), odd);
  });

  it("are found by field selectors and shown in tables", async () => {
    await ok("POST", path, number("h", { id: 9_007_199_254_740_997n }));
    const found = await ok("GET", `${path}?fieldSelector=spec.id=9007199254740997`);
    assert.deepEqual(
      pickList(found, "items").map((item) => pick(item, "metadata.name")),
      ["h"],
    );
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = await ok("GET", `${path}/h`, undefined, { accept });
    assert.deepEqual(pickList(table, "rows.0.cells").slice(1), [
      9_007_199_254_740_997n,
      "9007199254740997",
    ]);
  });

  it("survive history, diff and rollback over REST", async () => {
    const one = `${path}/i`;
    const made = await ok("POST", path, number("i", { id: odd }));
    const first = pickText(made, "metadata.resourceVersion");
    await ok("PATCH", one, { spec: { id: odd + 1n } }, mergePatch);
    const named = "numbers.int64.dev/i?namespace=default";
    const diff = await ok("GET", `/api/v1/diff/${named}`);
    const change = { kind: "replace", path: "/spec/id", old: odd, new: odd + 1n };
    assert.deepEqual(pickList(diff, "changes"), [change]);
    await ok("POST", `/api/v1/rollback/${named}`, { to: Number(first) });
    assert.equal(pick(await ok("GET", one), "spec.id"), odd);
    const rows = "/api/v1/resources/numbers.int64.dev?sort=-columns.id&limit=2&filter=columns.id";
    const page = await ok("GET", `${rows}>=9007199254740993`);
    assert.equal(pick(page, "items.0.columns.id"), big);
    const next = `${rows}>=9007199254740993&cursor=${pickText(page, "next")}`;
    assert.ok(pickList(await ok("GET", next), "items").length > 0);
    const none = await ok(
      "GET",
      "/api/v1/resources/numbers.int64.dev?filter=columns.id=9007199254740992",
    );
    assert.deepEqual(pickList(none, "items"), []);
  });
});
