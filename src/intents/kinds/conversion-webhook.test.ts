import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { conversionWebhookOf, convertByWebhook } from "./conversion-webhook.ts";
import type { WebhookAnswer, WebhookRequest } from "./conversion-webhook-call.ts";
import { definitionOf, spec, webhook } from "./definition-samples.ts";

const uid = "705ab4f5-6393-11e8-b7cc-42010a800002";
const hook = {
  address: { kind: "url", url: "https://convert.example.dev/v" },
  caBundle: "",
  reviewVersions: ["v1"],
} as const;
const single = { apiVersion: "example.dev/v2" };
const list = { ...single, listKind: "WidgetList" };

function widget(change: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "ns", uid: "u", labels: { a: "1" }, ...metadata },
    spec: { size: 1 },
    ...change,
  };
}

const converted = widget({ apiVersion: "example.dev/v2", spec: { length: 1 } });

function review(response: Json, head: JsonObject = {}): string {
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response,
    ...head,
  });
}

function success(...convertedObjects: readonly Json[]): string {
  return review({ uid, result: { status: "Success" }, convertedObjects });
}

interface Try {
  readonly documents?: readonly JsonObject[];
  readonly target?: { readonly apiVersion: string; readonly listKind?: string };
  readonly status?: number;
  readonly contentType?: string;
  readonly reviewVersions?: readonly string[];
  readonly error?: Error;
}

async function convert(body: string, given: Try = {}) {
  const calls: (readonly [string, WebhookRequest])[] = [];
  const { documents = [widget()], target = single, status = 200 } = given;
  const { contentType = "application/json", reviewVersions = hook.reviewVersions } = given;
  const fetch = (url: string, request: WebhookRequest): Promise<WebhookAnswer> => {
    calls.push([url, request]);
    if (given.error !== undefined) return Promise.reject(given.error);
    return Promise.resolve({ status, contentType, body });
  };
  const ports = { fetch, timeoutMs: 30_000, ids: { uid: () => uid } };
  const result = await convertByWebhook({ ...hook, reviewVersions }, documents, target, ports);
  return { result, calls };
}

async function failure(body: string, given: Try = {}): Promise<string> {
  try {
    await convert(body, given);
  } catch (error) {
    assert(error instanceof Error);
    return error.message;
  }
  return "converted";
}

test("the documents of other versions are sent and put back in their places", async () => {
  const ready = widget({ apiVersion: "example.dev/v2" }, { name: "ready" });
  const documents = [ready, widget(), ready];
  const { result, calls } = await convert(success(converted), { documents, target: list });
  assert.deepEqual(result, [ready, converted, ready]);
  const [url, request] = calls[0] ?? [];
  assert.equal(url, "https://convert.example.dev/v?timeout=30s");
  assert.deepEqual(JSON.parse(request?.body ?? ""), {
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: { uid, desiredAPIVersion: "example.dev/v2", objects: [widget()] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
});

test("nothing is sent when every document has the version", async () => {
  const { result, calls } = await convert("", { documents: [converted] });
  assert.deepEqual(result, [converted]);
  assert.deepEqual(calls, []);
});

test("labels and annotations are the webhook's, the rest of metadata is not", async () => {
  const metadata = {
    name: "w",
    namespace: "ns",
    uid: "u",
    annotations: { note: "x" },
    resourceVersion: "9",
    finalizers: ["f"],
  };
  const answer = { ...converted, metadata };
  const original = widget({}, { resourceVersion: "5", generation: 2 });
  const { result } = await convert(success(answer), { documents: [original] });
  assert.deepEqual(result[0]?.["metadata"], {
    name: "w",
    namespace: "ns",
    uid: "u",
    resourceVersion: "5",
    generation: 2,
    annotations: { note: "x" },
  });
});

const one = "conversion webhook for example.dev/v1, Kind=Widget";
const many = "conversion webhook for example.dev/v2, Kind=WidgetList";

function unmarshal(type: string): string {
  return (
    "failed: couldn't get version/kind; json parse error: json: cannot unmarshal " +
    `${type} into Go value of type struct { APIVersion string ` +
    '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  );
}

test("answers that are none are refused", async () => {
  const cases: readonly (readonly [string, string])[] = [
    [review(null), "failed: no response provided"],
    [
      review({}, { kind: "Other", apiVersion: "v1" }),
      'failed: no kind "Other" is registered for version "v1" in scheme ' +
        '"pkg/util/webhook/client.go:71"',
    ],
    [
      JSON.stringify({ response: {} }),
      "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, " +
        "got /, Kind=",
    ],
    [review({ uid: "x" }), `failed: expected response.uid="${uid}", got "x"`],
    [review({ uid, result: { status: "Failed", message: "no way" } }), "failed: no way"],
    [review({ uid }), "failed: response.result.status was '', not 'Success'"],
    [success(), "returned 0 objects, expected 1"],
    [success(converted, converted), "returned 2 objects, expected 1"],
    ["<html>", unmarshal("string")],
    ["[1]", unmarshal("array")],
    ["", "failed: 0-length response with status code: 200 and content type: application/json"],
  ];
  for (const [body, problem] of cases) assert.equal(await failure(body), `${one} ${problem}`);
  assert.equal(
    await failure("", { reviewVersions: ["v9"] }),
    "no supported conversion review versions",
  );
});

test("the older review is not asked for its uid and kind", async () => {
  const body = JSON.stringify({
    response: { result: { status: "Success" }, convertedObjects: [converted] },
  });
  const { result } = await convert(body, { reviewVersions: ["v1beta1", "v1"] });
  assert.deepEqual(result, [converted]);
});

test("objects that are not the ones sent are refused, one alone and in a list", async () => {
  const cases: readonly (readonly [JsonObject, string, string])[] = [
    [
      widget(),
      "returned invalid object at index 0: invalid groupVersion (expected example.dev/v2, " +
        "received example.dev/v1)",
      "returned invalid converted object at index 0: invalid groupVersion (expected " +
        "example.dev/v2, received example.dev/v1)",
    ],
    [
      { ...converted, kind: "Gadget" },
      "returned invalid object at index 0: invalid kind (expected Widget, received Gadget)",
      "returned invalid converted object at index 0: invalid kind (expected Widget, " +
        "received Gadget)",
    ],
    [
      { ...converted, metadata: { name: "x", namespace: "ns", uid: "u" } },
      "returned invalid object: must have the same name: w != x",
      "returned invalid converted object at index 0: must have the same name: w != x",
    ],
    [
      { ...converted, metadata: { name: "w", uid: "u" } },
      "returned invalid object: must have the same namespace: ns != ",
      "returned invalid converted object at index 0: must have the same namespace: ns != ",
    ],
    [
      { ...converted, metadata: { name: "w", namespace: "ns", uid: "v" } },
      "returned invalid object: must have the same UID: u != v",
      "returned invalid converted object at index 0: must have the same UID: u != v",
    ],
    [
      { ...converted, metadata: { name: "w", namespace: "ns", uid: "u", labels: { a: 1 } } },
      "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in " +
        "converted object",
      "returned invalid metadata in object at index 0: metadata.labels[a] must be a string, " +
        "but is int64 in converted object",
    ],
    [
      { ...converted, metadata: { name: "w", namespace: "ns", uid: "u", annotations: [] } },
      "returned invalid metadata: invalid metadata.annotations of type []interface {} in " +
        "converted object",
      "returned invalid metadata in object at index 0: invalid metadata.annotations of type " +
        "[]interface {} in converted object",
    ],
  ];
  for (const [object, alone, inList] of cases) {
    assert.equal(await failure(success(object)), `${one} ${alone}`);
    assert.equal(await failure(success(object), { target: list }), `${many} ${inList}`);
  }
});

test("what is no object at all is refused without further words", async () => {
  assert.equal(await failure(success(null)), "unexpected end of JSON input");
  assert.equal(
    await failure(success("x")),
    "json: cannot unmarshal string into Go value of type map[string]interface {}",
  );
  const nameless = { apiVersion: "example.dev/v2" };
  const text = `Object 'Kind' is missing in '${JSON.stringify(nameless)}'`;
  assert.equal(await failure(success(nameless)), text);
});

test("new labels must be labels, old ones may be what they were", async () => {
  const bad = { name: "w", namespace: "ns", uid: "u", labels: { "a b": "1" } };
  const text = await failure(success({ ...converted, metadata: bad }));
  assert.match(
    text,
    /returned invalid metadata: metadata\.labels: Invalid value: "a b": name part/,
  );
  const documents = [widget({}, { labels: { "a b": "1" } })];
  const { result } = await convert(success({ ...converted, metadata: bad }), { documents });
  assert.deepEqual(result[0]?.["metadata"], bad);
});

test("failures of the call are told as the client of Kubernetes tells them", async () => {
  const refusal = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const post = 'failed: Post "https://convert.example.dev/v?timeout=30s":';
  assert.equal(
    await failure("", { error: refusal }),
    `${one} ${post} dial tcp convert.example.dev:443: connect: connection refused`,
  );
  const late = Object.assign(new Error("late"), { name: "TimeoutError" });
  assert.equal(await failure("", { error: late }), `${one} ${post} context deadline exceeded`);
  assert.equal(
    await failure("boom\n", { status: 500, contentType: "text/plain" }),
    `${one} failed: an error on the server ("boom") has prevented the request from succeeding`,
  );
  assert.equal(
    await failure("{}", { status: 404 }),
    `${one} failed: the server could not find the requested resource`,
  );
  const status = JSON.stringify({ kind: "Status", status: "Failure", message: "not today" });
  assert.equal(await failure(status, { status: 503 }), `${one} failed: not today`);
});

test("a definition tells where its webhook is", () => {
  const service = { name: "a", namespace: "b", path: "/c" };
  assert.deepEqual(conversionWebhookOf(definitionOf(spec({ conversion: webhook({ service }) }))), {
    address: { kind: "service", name: "a", namespace: "b", port: 443, path: "/c" },
    caBundle: "",
    reviewVersions: ["v1"],
  });
  assert.equal(conversionWebhookOf(definitionOf(spec({}))), undefined);
});
