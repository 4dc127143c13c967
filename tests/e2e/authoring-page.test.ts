// docs/authoring-a-kind.md, typed by a newcomer from an empty folder to the end; page.ts says how.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "./newcomer.ts";
import { stepsOf } from "./page.ts";

const page = await readFile(join(root, "docs/authoring-a-kind.md"), "utf8");

test("a newcomer comes from nothing to a kind that survives a crash", async () => {
  const [board, server] = [await freePort(), await freePort()];
  await using somebody = await newcomer({ SETPOINT_LISTEN: `127.0.0.1:${server}` });
  await symlink(root, join(somebody.home, "setpoint"));
  const here = withPorts(page, { 8099: board, 7443: server })
    .replaceAll("/home/you", somebody.home)
    // Long enough for people is too long for a test.
    .replaceAll("20_000", "4_000");
  await somebody.play(stepsOf(here));
});

test("the files of the page are those of the examples, which are checked", async () => {
  const files = stepsOf(page).filter((step) => step.kind === "write");
  assert.ok(files.length > 5);
  for (const { file, text } of files) {
    const example = join(root, "examples/board", file);
    if (existsSync(example)) assert.equal(text, await readFile(example, "utf8"), file);
  }
});
