import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExpression } from "../../../kernel/cel/environment.ts";
import type { Program } from "../../../kernel/cel/environment.ts";
import { dynType } from "../../../kernel/cel/types.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { targetState } from "./target-state.ts";

function target(...conditions: readonly JsonObject[]): JsonObject {
  return { metadata: { generation: 2 }, status: { conditions } };
}

function condition(type: string, status: string, more: JsonObject = {}): JsonObject {
  return { type, status, reason: "R", message: "m", observedGeneration: 2, ...more };
}

function program(source: string): Program {
  const compiled = compileExpression(source, { variables: { resource: dynType } });
  assert.ok(compiled.kind === "compiled");
  return compiled.program;
}

function kindOf(given: JsonObject, readyWhen?: Program, hasStatus = true): string {
  return targetState({ target: given, readyWhen, hasStatus }).kind;
}

test("a target is ready by its condition for the present generation only", () => {
  assert.equal(kindOf(target(condition("Ready", "True"))), "ready");
  assert.equal(
    kindOf(target(condition("Ready", "True", { observedGeneration: 1 }))),
    "progressing",
  );
  assert.equal(kindOf(target()), "progressing");
  assert.equal(kindOf({}, undefined, false), "ready");
});

test("a target fails by its condition Synced, for the present generation only", () => {
  assert.equal(kindOf(target(condition("Synced", "False"))), "failed");
  const old = condition("Synced", "False", { observedGeneration: 1 });
  assert.equal(kindOf(target(old, condition("Ready", "True"))), "ready");
  const stopped = condition("Synced", "False", { reason: "Cancelled" });
  assert.equal(kindOf(target(stopped)), "cancelled");
});

test("readyWhen replaces the condition Ready, and a missing field is not an error yet", () => {
  const readyWhen = program("resource.status.phase == 'Up'");
  assert.equal(kindOf({ status: { phase: "Up" } }, readyWhen), "ready");
  assert.equal(kindOf({ status: { phase: "Down" } }, readyWhen), "progressing");
  assert.equal(kindOf({}, readyWhen), "progressing");
  assert.equal(kindOf(target(condition("Synced", "False")), readyWhen), "failed");
});
