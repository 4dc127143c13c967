import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { candidatesFor } from "./choose-target.ts";

const claim = (spec: JsonObject = {}): Resource =>
  ({ metadata: { name: "mine", uid: "u1" }, spec }) as unknown as Resource;
const target = (name: string, spec: JsonObject = {}, status: JsonObject = {}): Resource =>
  ({ metadata: { name, uid: name }, spec, status }) as unknown as Resource;
const names = (of: Resource, ...targets: readonly Resource[]): readonly string[] =>
  candidatesFor(of, targets).map(({ metadata }) => metadata.name);

test("a claim takes free targets, one that is reserved for it first", () => {
  const reserved = target("z", { claimRef: { name: "mine" } });
  assert.deepEqual(names(claim(), target("b"), reserved, target("a")), ["z", "a", "b"]);
  const other = target("other", { claimRef: { name: "other" } });
  assert.deepEqual(names(claim(), other), []);
  assert.deepEqual(names(claim({ targetName: "b" }), target("a"), target("b")), ["b"]);
});

test("a target that had a claim is never given to another one", () => {
  const taken = target("taken", {}, { claim: { name: "other", uid: "u2" }, phase: "Bound" });
  const released = target("old", {}, { claim: { name: "mine", uid: "u0" }, phase: "Released" });
  const failed = target("failed", {}, { phase: "Failed" });
  assert.deepEqual(names(claim(), taken, released, failed), []);
  const own = target("own", {}, { claim: { name: "mine", uid: "u1" } });
  assert.deepEqual(names(claim(), target("a"), own), ["own", "a"], "an interrupted run");
});
