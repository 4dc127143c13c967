import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { serverFlags } from "./server-flags.ts";

it("the benches run with the flags of the server", async () => {
  assert.ok(serverFlags.length > 0, "bin/setpoint has flags");
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
  assert.match(scripts["bench"] ?? "", new RegExp(` ${serverFlags.join(" ")} bench/main.ts$`));
});
