// Offerings and Organisations with the real kubectl.
import { equal, match } from "node:assert/strict";
import { test } from "node:test";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

test("kubectl shows what is unchanged, and warns of a cluster in no region", async () => {
  await using server = await startSetpoint();
  const [path = ""] = kubectlPaths();
  await using kubectl = await openKubectl(path, server.kubeconfig);
  const files = ["offering", "organisation", "clusters"].map(
    (name) => new URL(`../../examples/dinosaurs/${name}.yaml`, import.meta.url).pathname,
  );
  const args = files.flatMap((file) => ["-f", file]);
  const created = await kubectl.run(["apply", ...args]);
  equal(created.code, 0, created.stderr);
  await waitUntil("the Offering to be ready", async () => {
    const { stdout } = await kubectl.run(["get", "offerings", "--no-headers"]);
    return stdout.includes("True");
  });
  const { stdout, code, stderr } = await kubectl.run(["apply", ...args]);
  equal(code, 0, stderr);
  for (const line of stdout.trim().split("\n")) match(line, / unchanged$/);
  // A cluster on which nothing would be placed.
  const input = {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "DataPlaneCluster",
    metadata: { name: "lost" },
    spec: { provider: "aws", region: "us-eest-1", dns: "apps.lost.example.com" },
  };
  const lost = await kubectl.run(["create", "-f", "-"], { input });
  equal(lost.code, 0, lost.stderr);
  match(lost.stderr, /^Warning: spec\.region: no Offering has the region us-eest-1 of aws$/m);
});
