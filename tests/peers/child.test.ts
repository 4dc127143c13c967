import assert from "node:assert/strict";
import { test } from "node:test";
import { startProgram } from "./child.ts";
import { isAlive } from "./process-tree.ts";

const sample = "tests/peers/child-sample.ts";

test("a program's output, exit code and arguments are seen", async () => {
  await using program = await startProgram(sample, { args: ["leave"] });
  assert.deepEqual(await program.waitForExit(), { code: 3, signal: null });
  assert.match(program.stdout(), /^hello leave\n/);
  assert.equal(program.stderr(), "a complaint\n");
});

test("a line is found whether it came before or comes after the waiting began", async () => {
  await using program = await startProgram(sample, { args: ["stay"] });
  const [, word] = await program.waitForLine(/^hello (\w+)$/);
  assert.equal(word, "stay");
  assert.ok(await program.waitForLine(/^hello/));
  program.signal("SIGTERM");
  assert.ok(await program.waitForLine(/^asked to end$/));
  assert.deepEqual(await program.waitForExit(), { code: 0, signal: null });
});

test("a line that never comes fails within the limit and shows what came instead", async () => {
  await using program = await startProgram(sample, { args: ["stay"] });
  await program.waitForLine(/^hello/);
  await assert.rejects(program.waitForLine(/never/, { limitMs: 50 }), /in vain.*\n.*\nhello stay/);
});

test("a program that ends without the awaited line fails at once", async () => {
  await using program = await startProgram(sample, { args: ["leave"] });
  await assert.rejects(program.waitForLine(/never/), /ended without a line/);
});

test("kill9 ends a program that ignores signals", async () => {
  await using program = await startProgram(sample, { args: ["stay"] });
  await program.waitForLine(/^hello/);
  assert.deepEqual(await program.kill9(), { code: null, signal: "SIGKILL" });
  assert.equal(isAlive(program.pid), false);
});

test("programs run under the Node.js of the tests, and so does what they start", async () => {
  await using program = await startProgram(sample, { args: ["leave"] });
  await program.waitForExit();
  assert.match(program.stdout(), new RegExp(`^node ${process.version}$`, "m"));
});
