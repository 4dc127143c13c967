import assert from "node:assert/strict";
import { test } from "node:test";
import { openRig } from "./rig.ts";

test("an invalid health rule is refused, and the message names the field", async () => {
  await using rig = await openRig();
  const create = async (rule: Record<string, string>): Promise<unknown> =>
    await rig.create("HealthRule", "widgets", { rules: [{ kind: "Widget", ...rule }] });
  const refused = async (rule: Record<string, string>, why: RegExp): Promise<void> => {
    await assert.rejects(create(rule), why);
    assert.equal(await rig.read("HealthRule", "widgets"), undefined);
  };
  await refused({ healthy: "object." }, /spec\.rules\[0\]\.healthy: .*compilation failed/);
  await refused({ healthy: "other.x" }, /spec\.rules\[0\]\.healthy: .*undeclared reference/);
  await refused({ healthy: "1 + 1" }, /spec\.rules\[0\]\.healthy: .*must evaluate to bool/);
  await refused({ degraded: "true" }, /spec\.rules\[0\]\.healthy: Required value/);
  await refused(
    { healthy: "true", message: "1" },
    /spec\.rules\[0\]\.message: .*must evaluate to string/,
  );
  await create({ healthy: "object.status.phase == 'Up'", message: "object.status.text" });

  const deployment = (healthy: string): Promise<unknown> =>
    rig.create("GitOpsDeployment", "shop", {
      source: { repoURL: "https://git.example/jane/shop.git", path: "deploy" },
      type: "manual",
      healthChecks: [{ kind: "Widget", healthy }],
    });
  await assert.rejects(deployment("("), /spec\.healthChecks\[0\]\.healthy: .*compilation failed/);
  await deployment("true");
});
