import assert from "node:assert/strict";
import { test } from "node:test";
import { SetpointError } from "../../kernel/errors.ts";
import { Trouble } from "./trouble.ts";

test("each cause is told once, and the end once", () => {
  const lines: string[] = [];
  const at = (level: string) => (_: unknown, message: string) =>
    void lines.push(`${level} ${message}`);
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const trouble = new Trouble(log, { failing: "stuck", over: "well" });
  trouble.over();
  for (let i = 0; i < 50; i += 1) {
    trouble.failed(new SetpointError("store.full", `full ${i}`));
    trouble.failed(new SetpointError("store.unavailable", "gone"));
  }
  assert.deepEqual(lines, ["warn stuck", "warn stuck"]);
  trouble.over();
  trouble.over();
  trouble.failed(new SetpointError("store.full", "full"));
  assert.deepEqual(lines.slice(2), ["info well", "warn stuck"]);
});
