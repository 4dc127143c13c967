// docs/how-to/use-helm.md, typed with the real Helm next to a running server.
import assert from "node:assert/strict";
import { readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findHelm } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { newcomer } from "./newcomer.ts";
import { stepsOf } from "./page.ts";

test("a user of Helm installs, upgrades, rolls back and uninstalls an environment", async () => {
  const helm = findHelm();
  assert.ok(helm !== undefined, "run `npm run peers`");
  await using server = await startSetpoint();
  const path = `${dirname(helm)}:${process.env["PATH"] ?? ""}`;
  await using user = await newcomer({ PATH: path });
  await symlink(server.folder, join(user.home, "setpoint-data"));
  await user.play(stepsOf(await readFile(join(root, "docs/how-to/use-helm.md"), "utf8")));
});
