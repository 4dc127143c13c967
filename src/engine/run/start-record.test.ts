// What took its workers down is not cleared by a run that was refused before it could do anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { begunAfterRefusal, lossesOf } from "./start-record.ts";

function widget(reconcile: JsonObject = {}): Resource {
  const metadata = { name: "a", uid: "u", generation: 1, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "Widget", metadata, status: { reconcile } };
}

test("a resource that nobody was lost with has nothing held against it", () => {
  assert.equal(begunAfterRefusal(widget(), 1), undefined);
});

test("losses before a refused run count in the next claim", () => {
  // It was lost as it ran in its second claim, and says that it begins in its third.
  const begun = begunAfterRefusal(widget({ begun: { claim: 3, times: 2 } }), 3);
  assert.deepEqual(begun, { claim: 0, times: 1 });
  assert.equal(lossesOf(widget({ begun: begun ?? null }), 1), 1);
});

test("a loss in a claim that did not come to say that it began counts as one", () => {
  assert.deepEqual(begunAfterRefusal(widget(), 2), { claim: 0, times: 1 });
});

test("refusals in a row change nothing", () => {
  const held = { claim: 0, times: 1 };
  assert.deepEqual(begunAfterRefusal(widget({ begun: held }), 1), held);
  const said = { claim: 1, times: 2 };
  assert.deepEqual(begunAfterRefusal(widget({ begun: said }), 1), held);
});
