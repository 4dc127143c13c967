// Whatever clients send, the server stays whole: it never fails inside, what it stores can be read
// again, and applying keeps its laws. Requests go through the real surface, so that every layer
// has its chance to be wrong.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as fc from "fast-check";
import { decodeDocument } from "../../src/kernel/document.ts";
import { isJsonObject } from "../../src/kernel/json.ts";
import { pick, pickList, startKubeServer } from "./server.ts";
import type { KubeServer, Reply } from "./server.ts";
import {
  apiVersion,
  applyPatch,
  configMap,
  configMaps,
  given,
  jsonPatch,
  mergePatch,
  setUpWidgets,
  strategicPatch,
  widget,
  widgets,
} from "./widget-kinds.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
  await setUpWidgets(server);
});

after(async () => {
  assert.deepEqual(server.errors, [], "no request makes the server log an error");
  assert.deepEqual(await server.store.verify(), []);
  await server.stop();
});

const runs = { numRuns: 250 };

/** Refusals are fine; failing inside is not. */
function isWhole(reply: Reply): void {
  assert.ok(reply.status >= 200 && reply.status <= 500, reply.text);
  assert.notEqual(pick(reply.json, "reason"), "InternalError", reply.text);
  assert.ok(reply.status !== 500 || pick(reply.json, "code") === 500, reply.text);
}

const key = fc.constantFrom(
  "size",
  "color",
  "tags",
  "ports",
  "plain",
  "limits",
  "whole",
  "free",
  "embedded",
  "replicas",
  "nope",
  "__proto__",
  "constructor",
  "",
  "$patch",
  "$retainKeys",
);
const anyJson = fc.jsonValue({ maxDepth: 3 });
const port = fc.record(
  {
    port: fc.integer({ min: 0, max: 3 }),
    protocol: fc.constantFrom("TCP", "UDP", 5),
    label: anyJson,
  },
  { requiredKeys: [] },
);
const value = fc.oneof(
  fc.integer({ min: -5, max: 200 }),
  fc.constantFrom("red", "blue", null, true, 1.5, -0, 1e21),
  fc.array(fc.constantFrom("a", "b", null, 1), { maxLength: 3 }),
  fc.array(port, { maxLength: 3 }),
  fc.dictionary(key, fc.constantFrom("x", null, 1, {}, [])),
  anyJson,
);
const spec = fc.oneof(fc.dictionary(key, value, { maxKeys: 5 }), anyJson);

const entry = fc.record(
  {
    manager: fc.constantFrom("m1", "m2", "", 5, null),
    operation: fc.constantFrom("Apply", "Update", "Nope"),
    apiVersion: fc.constantFrom(apiVersion, "other/v1", ""),
    time: fc.constantFrom("2024-01-01T00:00:00Z", "x", null),
    fieldsType: fc.constantFrom("FieldsV1", "FieldsV9"),
    subresource: fc.constantFrom("", "status", "scale"),
    fieldsV1: fc.oneof(
      anyJson,
      fc.dictionary(
        fc.constantFrom("f:spec", "f:metadata", "f:size", 'k:{"port":1}', 'v:"a"', "i:0", ".", "x"),
        fc.constantFrom(
          {},
          { ".": {} },
          { "f:size": {} },
          { 'k:{"port":1,"protocol":"TCP"}': {} },
          1,
        ),
      ),
    ),
  },
  { requiredKeys: [] },
);
const metadata = fc.record(
  {
    labels: fc.oneof(
      fc.dictionary(fc.constantFrom("a", "b/c", "x y"), fc.constantFrom("v", 1)),
      anyJson,
    ),
    annotations: fc.dictionary(fc.string({ maxLength: 4 }), fc.string({ maxLength: 4 })),
    finalizers: fc.oneof(
      fc.array(fc.constantFrom("x.y/z", "orphan", "?"), { maxLength: 2 }),
      anyJson,
    ),
    ownerReferences: fc.oneof(
      fc.array(fc.record({ uid: fc.constantFrom("u", 1), name: fc.constant("n") }), {
        maxLength: 2,
      }),
      anyJson,
    ),
    managedFields: fc.oneof(fc.array(entry, { maxLength: 3 }), anyJson),
    resourceVersion: fc.constantFrom("", "0", "1", "abc", "99999999999999999999", 7, null),
    uid: fc.constantFrom("", "u", 7),
    generation: fc.constantFrom(0, -1, 1.5, "x", 2 ** 63),
    creationTimestamp: fc.constantFrom(null, "x", "2024-01-01T00:00:00Z"),
    deletionTimestamp: fc.constantFrom(null, "2024-01-01T00:00:00Z"),
    name: fc.constantFrom("fuzzed", "other", null, 5),
    namespace: fc.constantFrom("test", "other", null, 5),
  },
  { requiredKeys: [] },
);
const document = fc.oneof(
  fc.record(
    {
      apiVersion: fc.constant(apiVersion),
      kind: fc.constant("Widget"),
      metadata,
      spec,
      status: spec,
    },
    { requiredKeys: ["apiVersion", "kind"] },
  ),
  anyJson,
);
const path = fc.constantFrom(
  "/spec",
  "/spec/size",
  "/spec/tags/-",
  "/spec/tags/-1",
  "/spec/ports/0",
  "/metadata/labels/a~1b",
  "/metadata/managedFields/0",
  "/__proto__/x",
  "",
  "spec",
);
const operation = fc.record(
  {
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "zip"),
    path,
    from: path,
    value,
  },
  { requiredKeys: ["op", "path"] },
);
const query = fc.constantFrom("", "?dryRun=All", "?fieldValidation=Strict", "?fieldManager=m");

describe("whatever is sent", () => {
  const at = `${widgets}/fuzzed`;
  const json = { "content-type": "application/json" };

  const stillReadable = async (): Promise<void> => {
    const reply = await server.request("GET", at);
    if (reply.status === 404) {
      given(await server.request("POST", widgets, widget("fuzzed", { tags: ["a"] })), 201);
      return;
    }
    assert.deepEqual(
      [pick(given(reply), "kind"), pick(reply.json, "metadata.name")],
      ["Widget", "fuzzed"],
    );
  };

  it("documents are created, replaced or refused", async () => {
    await fc.assert(
      fc.asyncProperty(document, query, async (body, asked) => {
        const text = JSON.stringify(body);
        isWhole(await server.request("POST", `${widgets}${asked}`, text, json));
        isWhole(await server.request("PUT", `${at}${asked}`, text, json));
        isWhole(await server.request("PUT", `${at}/status${asked}`, text, json));
        await stillReadable();
      }),
      runs,
    );
  });

  it("patches of every type are applied or refused", async () => {
    const merge = fc.oneof(fc.record({ spec, metadata }, { requiredKeys: [] }), anyJson);
    const operations = fc.oneof(fc.array(operation, { maxLength: 4 }), anyJson);
    const config = fc.tuple(merge, fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        merge,
        operations,
        config,
        query,
        async (merged, performed, [part, isForced], asked) => {
          const send = async (
            to: string,
            body: unknown,
            headers: typeof mergePatch,
          ): Promise<void> => {
            isWhole(await server.request("PATCH", to, JSON.stringify(body) ?? "null", headers));
          };
          await send(`${at}${asked}`, merged, mergePatch);
          await send(`${at}${asked}`, performed, jsonPatch);
          const whole = isJsonObject(part) ? { ...widget("fuzzed"), ...part } : part;
          await send(`${at}?fieldManager=m&force=${isForced}`, whole, applyPatch);
          await send(`${at}/scale`, merged, mergePatch);
          await send(`${configMaps}/fuzzed`, merged, strategicPatch);
          await stillReadable();
        },
      ),
      runs,
    );
  });

  it("strategic patches of built-in kinds are applied or refused", async () => {
    given(await server.request("POST", configMaps, configMap("fuzzed", { data: { a: "b" } })), 201);
    const directive = fc.constantFrom("delete", "replace", "merge", "zip", 5);
    const owner = fc.record(
      { uid: fc.constantFrom("u", 1), name: fc.constant("n"), $patch: directive },
      { requiredKeys: [] },
    );
    const patch = fc.record(
      {
        $patch: directive,
        $retainKeys: fc.oneof(fc.array(fc.constantFrom("data", "metadata", 1)), anyJson),
        data: fc.oneof(
          fc.dictionary(fc.constantFrom("a", "$patch"), fc.constantFrom("x", null, 1)),
          anyJson,
        ),
        metadata: fc.record(
          {
            ownerReferences: fc.oneof(fc.array(owner, { maxLength: 3 }), anyJson),
            finalizers: fc.oneof(fc.array(fc.constantFrom("x.y/z", 1)), anyJson),
            "$setElementOrder/finalizers": fc.oneof(
              fc.array(fc.constantFrom("x.y/z", "q")),
              anyJson,
            ),
            "$deleteFromPrimitiveList/finalizers": fc.oneof(
              fc.array(fc.constantFrom("x.y/z")),
              anyJson,
            ),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(patch, async (body) => {
        isWhole(await server.request("PATCH", `${configMaps}/fuzzed`, body, strategicPatch));
        given(await server.request("GET", `${configMaps}/fuzzed`));
      }),
      runs,
    );
  });

  it("every stored document can be read", async () => {
    for (const kind of ["widgets.tests.example.dev", "configmaps"]) {
      const { records } = await server.store.list({ kind, limit: 1_000 });
      for (const { body, revision, key: stored } of records) {
        assert.equal(decodeDocument(body, revision).metadata.name, stored.name);
      }
    }
    assert.deepEqual(await server.store.verify(), []);
  });
});

// Lists that become empty are left out: Kubernetes itself breaks these laws for them.
describe("laws of applying", () => {
  const config = fc.record(
    {
      size: fc.integer({ min: 0, max: 100 }),
      name: fc.constantFrom("x", "y"),
      tags: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }),
      ports: fc.uniqueArray(fc.record({ port: fc.integer({ min: 1, max: 4 }) }), {
        selector: (one) => one.port,
        minLength: 1,
      }),
      plain: fc.array(fc.constantFrom("p", "q"), { minLength: 1, maxLength: 3 }),
      limits: fc.dictionary(fc.constantFrom("k", "l"), fc.constantFrom("1", "2"), { minKeys: 1 }),
      whole: fc.record({ a: fc.constantFrom("1", "2") }),
    },
    { requiredKeys: [] },
  );
  let count = 0;

  const apply = async (name: string, body: unknown, manager: string): Promise<Reply> => {
    const url = `${widgets}/${name}?fieldManager=${manager}&force=true`;
    return await server.request("PATCH", url, widget(name, body), applyPatch);
  };
  const fresh = (): string => `law${++count}`;
  /** The document as far as it does not depend on when it was written. */
  const withoutTimes = (object: unknown): unknown => {
    const owned = new Map<unknown, unknown>();
    for (const one of pickList(object, "metadata.managedFields")) {
      owned.set(pick(one, "manager"), pick(one, "fieldsV1"));
    }
    return { spec: pick(object, "spec"), owned };
  };
  const sortedSpec = (object: unknown): unknown => {
    const found = (pick(object, "spec") ?? {}) as Record<string, unknown>;
    const { tags } = found;
    return Array.isArray(tags) ? { ...found, tags: tags.map(String).sort() } : found;
  };

  it("applying the same again changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(config, config, async (first, second) => {
        const name = fresh();
        given(await apply(name, first, "m1"), 201);
        const once = given(await apply(name, second, "m1"));
        assert.deepEqual(given(await apply(name, second, "m1")), once);
      }),
      { numRuns: 80 },
    );
  });

  it("the last configuration alone counts", async () => {
    await fc.assert(
      fc.asyncProperty(config, config, async (first, second) => {
        const [long, short] = [fresh(), fresh()];
        given(await apply(long, first, "m1"), 201);
        const replaced = given(await apply(long, second, "m1"));
        const direct = given(await apply(short, second, "m1"), 201);
        assert.deepEqual(sortedSpec(replaced), sortedSpec(direct));
      }),
      { numRuns: 80 },
    );
  });

  it("configurations that have nothing in common commute", async () => {
    const left = fc.record(
      { size: fc.nat(100), plain: fc.constantFrom(["p"], ["q"]), whole: fc.constant({ a: "1" }) },
      { requiredKeys: [] },
    );
    const right = fc.record(
      { name: fc.constantFrom("x", "y"), limits: fc.constantFrom({ k: "1" }, { l: "2" }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(left, right, async (one, other) => {
        const [ab, ba] = [fresh(), fresh()];
        await apply(ab, one, "m1");
        const forth = given(await apply(ab, other, "m2"));
        await apply(ba, other, "m2");
        const back = given(await apply(ba, one, "m1"));
        assert.deepEqual(withoutTimes(forth), withoutTimes(back));
      }),
      { numRuns: 80 },
    );
  });

  it("what is applied is owned, and what is owned is there", async () => {
    await fc.assert(
      fc.asyncProperty(config, config, async (mine, theirs) => {
        const name = fresh();
        await apply(name, mine, "m1");
        const object = given(await apply(name, theirs, "m2"));
        const entries = pickList(object, "metadata.managedFields");
        const owned = (manager: string): string[] => {
          const found = entries.find((one) => pick(one, "manager") === manager);
          return Object.keys(pick(found, "fieldsV1.f:spec") ?? {})
            .filter((field) => field.startsWith("f:"))
            .map((field) => field.slice(2));
        };
        const present = Object.keys(pick(object, "spec") as object);
        for (const field of Object.keys(theirs)) assert.ok(owned("m2").includes(field), field);
        for (const field of [...owned("m1"), ...owned("m2")]) {
          assert.ok(present.includes(field), field);
        }
        for (const field of Object.keys(mine)) {
          const isKept = owned("m1").includes(field) || owned("m2").includes(field);
          assert.ok(isKept, `${field} is owned by somebody`);
        }
      }),
      { numRuns: 80 },
    );
  });
});
