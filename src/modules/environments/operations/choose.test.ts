import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { deploymentOf } from "../environment/environment.ts";
import { chooseOperation } from "./choose.ts";
import type { OperationPhase, OperationType } from "./operation.ts";
import type { OperationRecord } from "./records.ts";

const wanted = deploymentOf({ templates: ["t.v1"], parameters: { size: 1 } });
const other = deploymentOf({ templates: ["t.v1"], parameters: { size: 2 } });

function operation(
  generation: number,
  phase: OperationPhase,
  deployment: JsonObject,
  type: OperationType = "Deploy",
): OperationRecord {
  const spec = { type, deployment: { ...deployment, generation, digest: "d" } };
  const name = `e.${type}-${generation}`;
  return { name, type, phase, spec, status: {}, resource: {} as never };
}

test("a deployment that no Operation has is a new Operation", () => {
  assert.deepEqual(chooseOperation([], wanted), { kind: "deploy", superseded: [] });
  const done = operation(1, "Succeeded", other);
  assert.deepEqual(chooseOperation([done], wanted), { kind: "deploy", superseded: [] });
});

test("Operations that never began are superseded by a newer deployment", () => {
  const waiting = operation(2, "AwaitingApproval", other);
  assert.deepEqual(chooseOperation([waiting], wanted), { kind: "deploy", superseded: [waiting] });
});

test("a deployment that is done is not repeated, also when it failed", () => {
  for (const phase of ["Succeeded", "Failed", "Cancelled"] as const) {
    assert.deepEqual(chooseOperation([operation(3, phase, wanted)], wanted), { kind: "nothing" });
  }
});

test("a destroyed environment is deployed again with the same deployment", () => {
  const operations = [
    operation(1, "Succeeded", wanted),
    operation(2, "Succeeded", wanted, "Destroy"),
  ];
  assert.equal(chooseOperation(operations, wanted).kind, "deploy");
});

test("the newest generation decides, not the order of names, and requests wait for it", () => {
  const request: OperationRecord = {
    ...operation(0, "Queued", {}, "Retry"),
    spec: { type: "Retry" },
  };
  const operations = [operation(10, "Queued", wanted), operation(9, "Succeeded", other), request];
  const choice = chooseOperation(operations, wanted);
  assert.ok(choice.kind === "pending" && choice.operation.name === "e.Deploy-10");
  const later = chooseOperation([operation(10, "Succeeded", wanted), request], wanted);
  assert.ok(later.kind === "start" && later.operation === request);
});
