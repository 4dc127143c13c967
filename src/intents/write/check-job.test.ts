// A thread finds the same errors as the event loop: the job is encoded, decoded and run here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inlineWork } from "../../kernel/heavy-work.ts";
import type { HeavyJob, HeavyWork } from "../../kernel/heavy-work.ts";
import { defineKind } from "../../kernel/kind.ts";
import type { Resource } from "../../kernel/resource.ts";
import { builtinServedKinds } from "../kinds/builtin-served.ts";
import { definitionsKind } from "../kinds/definition-kinds.ts";
import { servedKind } from "../kinds/served-kind.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { LiveView } from "../live-view.ts";
import { checkFunctions, errorsByThread } from "./check-job.ts";
import { documentErrors } from "./document-errors.ts";
import { checkDocument } from "./finish.ts";

const alternatives = Array.from({ length: 300 }, (_, index) => ({ pattern: `^x${index}$` }));

const widgets = servedKind({
  kind: defineKind({
    group: "example.dev",
    names: { plural: "widgets", kind: "Widget" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                size: { type: "integer", maximum: 5 },
                big: { type: "integer", format: "int64" },
                color: { type: "string", enum: ["red", "blue"] },
                joined: { type: "array", items: { type: "string", anyOf: alternatives } },
                values: {
                  type: "array",
                  items: { type: "integer" },
                  "x-kubernetes-validations": [
                    { rule: "self.all(x, self.all(y, x + y >= 0))", message: "must add up" },
                  ],
                },
              },
              "x-kubernetes-validations": [
                { rule: "!has(oldSelf.size) || self.size >= oldSelf.size" },
              ],
            },
          },
        },
      },
    ],
  }),
});

const live = { all: () => [] } as unknown as LiveView;
const builtIn = builtinServedKinds({ live: () => live, clock: { nowMs: () => 0 } });

function widget(spec: object, metadata: object = {}): Resource {
  return {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: { name: "one", namespace: "default", uid: "u", resourceVersion: "1", ...metadata },
    spec,
  } as unknown as Resource;
}

async function same(served: ServedKind, resource: Resource, old?: Resource): Promise<number> {
  const document = { resource, old, subresource: "" };
  const target = { served, version: served.storage };
  const found = await errorsByThread(inlineWork(checkFunctions), target, document, "tenant");
  assert.deepEqual(found, documentErrors({ ...served, type: served.storage.type }, document));
  return found.length;
}

test("a thread finds the errors of a new document", async () => {
  assert.equal(await same(widgets, widget({ size: 1 })), 0);
  assert.equal(await same(widgets, widget({ size: 9, color: "green", values: [-1] })), 3);
  const far = { big: 9007199254740993n, size: 9007199254740995n };
  assert.ok((await same(widgets, widget(far))) > 0, "long integers are kept");
});

test("a thread finds the errors of a change", async () => {
  const old = widget({ size: 4 });
  assert.equal(await same(widgets, widget({ size: 3 }), old), 1);
  assert.equal(await same(widgets, widget({ size: 5 }), old), 0);
  assert.ok((await same(widgets, widget({ size: 4 }, { uid: "other" }), old)) > 0);
});

test("a thread finds the errors of a definition", async () => {
  const definitions = builtIn.find(({ id }) => id === definitionsKind);
  assert.ok(definitions !== undefined);
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "wrong", uid: "u" },
    spec: { group: "example.dev", names: { plural: "things", kind: "Thing" }, versions: [] },
  };
  assert.ok((await same(definitions, definition as unknown as Resource)) > 2);
});

/** Counts the jobs, and does them. */
function counted(): HeavyWork & { readonly jobs: HeavyJob[] } {
  const jobs: HeavyJob[] = [];
  const work = inlineWork(checkFunctions);
  return {
    jobs,
    run: (job) => {
      jobs.push(job);
      return work.run(job);
    },
  };
}

const admission = { mayChange: () => false } as never;
const caller = { tenant: "namespace default" } as never;
const place = { namespace: "default", name: "one", subresource: "" };

test("a document that takes long to check is checked by a thread, for its tenant", async () => {
  const heavy = counted();
  const target = { served: widgets, version: widgets.storage, ...place };
  const check = (count: number): Promise<void> | undefined => {
    const joined = Array.from({ length: count }, () => "x299");
    const resource = widget({ joined, color: "green" });
    return checkDocument({ admission, heavy }, { caller, target }, resource, undefined);
  };
  assert.throws(() => check(0), /Unsupported value: "green"/);
  assert.equal(heavy.jobs.length, 0);
  // Six million matches take much longer than is given.
  await assert.rejects(async () => await check(20_000), /Unsupported value: "green"/);
  assert.deepEqual(
    heavy.jobs.map(({ name, tenant }) => [name, tenant]),
    [["check-document", "namespace default"]],
  );
});

test("long rules are compiled by a thread", async () => {
  const numbers = Array.from({ length: 900 }, (_, index) => index);
  const rules = numbers.slice(0, 8).map((first) => ({
    rule: numbers.map((number) => `self.size != ${number + first}`).join(" && "),
  }));
  const spec = {
    type: "object",
    properties: { size: { type: "integer" } },
    "x-kubernetes-validations": rules,
  };
  const version = { name: "v1", served: true, storage: true };
  const schema = { type: "object", properties: { spec } };
  const kind = defineKind({ ...widgets.kind, versions: [{ ...version, schema }] });
  const served = servedKind({ kind });
  const heavy = counted();
  const target = { served, version: served.storage, ...place };
  const check = checkDocument(
    { admission, heavy },
    { caller, target },
    widget({ size: 7 }),
    undefined,
  );
  await assert.rejects(async () => await check, /failed rule/);
  assert.equal(heavy.jobs.length, 1);
});
