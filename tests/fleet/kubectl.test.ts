// Offerings and Organisations with the real kubectl.
import { equal, match } from "node:assert/strict";
import { test } from "node:test";
import { kubectlPaths, openKubectl } from "../peers/kubectl.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

test("kubectl apply of an unchanged Offering, Organisation and cluster says so", async () => {
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
});
