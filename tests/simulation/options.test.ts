// Whoever asks the simulation for help, or mistypes, is told how it is called.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { optionsIn, usage } from "./options.ts";

function simulate(...args: readonly string[]) {
  const main = join(root, "tests/simulation/main.ts");
  return spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
}

test("options are read, and mistakes in them told", () => {
  const given = optionsIn(["--seeds", "5", "--trace"], 2);
  const others = { shrink: false, planted: false };
  const wanted = { kind: "options", count: 5, from: 1, jobs: 2, trace: true, ...others };
  assert.deepEqual(given, wanted);
  const mistakes = [["--sedes", "5"], ["--seeds"], ["--seeds", "no"], ["--from", "0"], ["5"]];
  for (const args of mistakes) assert.equal(optionsIn(args, 2).kind, "mistake", args.join(" "));
  const mistyped = { kind: "mistake", message: "Unknown option '--sedes'" };
  assert.deepEqual(optionsIn(["--sedes", "5"], 2), mistyped);
  assert.deepEqual(optionsIn(["-h"], 2), { kind: "help" });
});

test("help ends with 0 and a mistake with 2, both with the usage and no stack", () => {
  const help = simulate("--help");
  assert.deepEqual([help.status, help.stdout, help.stderr], [0, `${usage}\n`, ""]);
  const mistyped = simulate("--sedes", "5");
  assert.deepEqual([mistyped.status, mistyped.stdout], [2, ""]);
  assert.equal(mistyped.stderr, `simulate: Unknown option '--sedes'\n\n${usage}\n`);
});
