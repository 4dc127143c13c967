import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ownDependency } from "./own-package.ts";

test("a module depends on the Setpoint that created it, as it was installed", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-init-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const root = join(folder, "installed", "node_modules", "setpoint");
  mkdirSync(root, { recursive: true });
  const module = join(folder, "module");

  assert.equal(ownDependency(module, root), "file:../installed/node_modules/setpoint");
  for (const [spec, expected] of [
    ["1.2.0", "1.2.0"],
    ["file:../downloads/setpoint-1.2.0.tgz", "file:../downloads/setpoint-1.2.0.tgz"],
  ] as const) {
    const manifest = JSON.stringify({ dependencies: { setpoint: spec } });
    writeFileSync(join(folder, "installed", "package.json"), manifest);
    assert.equal(ownDependency(module, root), expected);
  }
});
