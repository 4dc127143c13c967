// The suite of the port for the executors without a network; tests/fleet/ runs it against a server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { agentManifest } from "./agent-manifest.ts";
import { readCluster } from "./cluster.ts";
import { executorContract } from "./executor-contract.ts";
import { registerExecutor } from "./register-executor.ts";
import { sampleCluster } from "./sample-cluster.ts";
import { simulatorExecutor } from "./simulator-executor.ts";

executorContract("register", async () => ({
  executor: registerExecutor,
  settings: { kind: "register" },
}));

executorContract("simulator", async () => ({
  executor: simulatorExecutor,
  settings: { kind: "simulator", simulator: { provisionMs: 100_000 } },
}));

test("a simulated cluster can be refused with a reason", async () => {
  const simulator = { provisionError: "no machines" };
  const cluster = readCluster(sampleCluster({ executor: { kind: "simulator", simulator } }));
  const { signal } = new AbortController();
  const call = { cluster, access: undefined, phaseSinceMs: 0, nowMs: 0, signal };
  assert.deepEqual(await simulatorExecutor.check(call), { kind: "failed", reason: "no machines" });
});

const settings = {
  cluster: "east-1",
  controlPlane: { url: "https://cp.example", caBundle: "PEM" },
  token: "secret-token",
  namespace: "agents",
  image: "registry.example/setpoint:1",
  workload: "Deployment",
  groups: ["b.example", "a.example"],
} as const;

test("the manifest runs the agent with its credential, which is in the Secret only", () => {
  const objects = agentManifest(settings);
  const encoded = Buffer.from("secret-token").toString("base64");
  for (const object of objects) {
    const text = JSON.stringify(object);
    assert.equal(text.includes(encoded), textAt(object, "kind") === "Secret");
    assert.equal(text.includes("secret-token"), false);
  }
  const deployment = objects.find((object) => textAt(object, "kind") === "Deployment");
  const [container] = objectsAt(deployment, "spec", "template", "spec", "containers");
  assert.deepEqual(valueAt(container, "args"), [
    "agent",
    "--control-plane=https://cp.example",
    "--cluster=east-1",
    "--token-file=/var/run/setpoint/token",
    "--ca=/var/run/setpoint/ca.crt",
    "--apply-to=in-cluster",
  ]);
});

test("the manifest without groups has the rights for namespaces only", () => {
  const objects = agentManifest({ ...settings, workload: "None", groups: [] });
  assert.deepEqual(
    objects.map((object) => textAt(object, "kind")),
    ["Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Secret"],
  );
  assert.equal(objectsAt(objects[2], "rules").length, 1);
});
