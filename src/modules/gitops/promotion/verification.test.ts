import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { DeployedComponent } from "./binding-plan.ts";
import { decideVerification } from "./verification.ts";
import type { VerificationDecision } from "./verification.ts";

const checks = [{ name: "answers", expression: "deployments[0].resources.size() == 1" }];

interface Given {
  readonly status?: JsonObject;
  readonly snapshot?: string;
  readonly request?: string;
  readonly wanted?: JsonObject;
  readonly resources?: number;
  readonly isDeployed?: boolean;
  readonly atSeconds?: number;
}

function decide(given: Given): VerificationDecision {
  const { status = {}, snapshot = "v1", request = "", wanted = {}, resources = 0 } = given;
  const annotations = request === "" ? {} : { "gitops.setpoint.dev/verify": request };
  const binding = { metadata: { name: "b", annotations }, spec: { snapshot }, status };
  const environment = { spec: { verification: { checks, ...wanted } } };
  const component = { component: "web", sync: "Synced", health: "Healthy", revision: "c" };
  const deployed = [{ ...component, resources: Array.from({ length: resources }, () => ({})) }];
  return decideVerification({
    binding: binding as unknown as Resource,
    environment: environment as unknown as Resource,
    deployed: deployed as unknown as readonly DeployedComponent[],
    isDeployed: given.isDeployed ?? true,
    nowMs: 1_000_000_000_000 + (given.atSeconds ?? 0) * 1_000,
  });
}

function statusAfter({ verification, verified }: VerificationDecision): JsonObject {
  return { verification: verification ?? null, verified: [...verified] };
}

test("a version without checks is verified when it is deployed", () => {
  const none = { wanted: { checks: [] } };
  assert.deepEqual(decide({ ...none, isDeployed: false }).verified, []);
  const deployed = decide(none);
  assert.deepEqual([deployed.verification, deployed.verified], [undefined, ["v1"]]);
});

test("an attempt runs until its checks pass, or its time is over", () => {
  assert.equal(decide({ isDeployed: false }).verification, undefined);
  const running = decide({});
  assert.equal(textAt(running.verification, "phase"), "Running");
  assert.equal(textAt(objectsAt(running.verification, "checks")[0], "message"), "is false");
  assert.equal(running.againMs, 5_000);
  const status = statusAfter(running);
  const passed = decide({ status, resources: 1, atSeconds: 20 });
  assert.equal(textAt(passed.verification, "phase"), "Passed");
  assert.equal(passed.verification?.["attempt"], 1);
  assert.deepEqual(passed.verified, ["v1"]);
  const failed = decide({ status, atSeconds: 300 });
  assert.equal(textAt(failed.verification, "phase"), "Failed");
  assert.deepEqual([failed.verified, failed.againMs], [[], undefined]);
});

test("a failed attempt is repeated at each request, and can pass", () => {
  const status = statusAfter(decide({ status: statusAfter(decide({})), atSeconds: 300 }));
  assert.equal(decide({ status, atSeconds: 9_000 }).verification?.["attempt"], 1, "no request");
  const again = decide({ status, request: "now", resources: 1, atSeconds: 400 });
  assert.deepEqual(
    [again.verification?.["attempt"], textAt(again.verification, "phase")],
    [2, "Passed"],
  );
  const same = decide({ status: statusAfter(again), request: "now", atSeconds: 500 });
  assert.equal(same.verification?.["attempt"], 2);
});

test("a version that passed stays verified when a later attempt fails", () => {
  const wanted = { repeatSeconds: 60, timeoutSeconds: 10 };
  const passed = decide({ wanted, resources: 1 });
  assert.equal(passed.againMs, 60_000);
  const second = decide({ wanted, status: statusAfter(passed), atSeconds: 60 });
  const failed = decide({ wanted, status: statusAfter(second), atSeconds: 70 });
  assert.deepEqual(
    [textAt(failed.verification, "phase"), failed.verified, failed.againMs],
    ["Failed", ["v1"], 60_000],
  );
  assert.equal(failed.verification?.["hasPassed"], true);
  const third = decide({ wanted, status: statusAfter(failed), resources: 1, atSeconds: 130 });
  assert.equal(textAt(third.verification, "phase"), "Passed");
});

test("another version has an attempt of its own", () => {
  const status = statusAfter(decide({ resources: 1 }));
  const next = decide({ status, snapshot: "v2", resources: 1, atSeconds: 5 });
  assert.equal(next.verification?.["attempt"], 1);
  assert.deepEqual(next.verified, ["v2", "v1"]);
  const back = decide({ status: statusAfter(next), atSeconds: 10 });
  assert.equal(back.verification?.["hasPassed"], false, "v1 was deployed again");
});
