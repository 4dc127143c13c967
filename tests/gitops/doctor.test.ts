// `setpoint doctor` reports whether kustomizations and charts can be rendered on this machine.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { examineTools } from "../../src/modules/gitops/render/examine-tools.ts";
import { findHelm, findKubectl } from "../../tools/peers.ts";

test("doctor runs the tools in a sandbox, and names those that are missing", () => {
  const folder = mkdtempSync(join(tmpdir(), "gitops-doctor-"));
  try {
    const config = join(folder, "setpoint.yaml");
    writeFileSync(config, JSON.stringify({ gitops: { kubectl: "/no/kubectl", helm: findHelm() } }));
    const program = join(import.meta.dirname, "..", "..", "bin", "setpoint");
    const args = ["doctor", "--data", join(folder, "data"), "--config", config];
    const { stdout } = spawnSync(program, args, { encoding: "utf8" });
    assert.match(stdout, /warn +gitops +kustomizations are refused: the server has no program/);
    assert.match(stdout, /-> install \/no\/kubectl in .* gitops\.kubectl in the configuration/);
    assert.match(stdout, /ok +gitops +charts: .*helm runs in a sandbox/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a machine without user namespaces is named with the remedy", async () => {
  const openSandbox = async () => ({
    run: async () => ({ kind: "unavailable", message: "no user namespaces" }) as const,
  });
  const findings = await examineTools({ configuration: { kubectl: findKubectl() }, openSandbox });
  for (const { level, message, suggestion } of findings) {
    assert.equal(level, "warn");
    assert.match(message, /are refused: no user namespaces$/);
    assert.match(suggestion ?? "", /user\.max_user_namespaces/);
  }
});
