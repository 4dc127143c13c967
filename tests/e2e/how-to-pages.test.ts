// How-to pages about the engine, typed as they stand; page.ts says how.
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "./newcomer.ts";
import { stepsOf } from "./page.ts";
import type { Typed } from "./page.ts";

const starts = (command: string, line: string): Typed => ({
  kind: "starts",
  command,
  printed: [line],
});

test("docs/how-to/pause-protect-detach.md is as it says", async () => {
  const [board, server] = [await freePort(), await freePort()];
  await using somebody = await newcomer({
    SETPOINT_LISTEN: `127.0.0.1:${server}`,
    KUBECONFIG: "setpoint-data/kubeconfig",
  });
  const page = await readFile(join(root, "docs/how-to/pause-protect-detach.md"), "utf8");
  const examples = join(somebody.home, "examples/board");
  await cp(join(root, "examples/board"), examples, { recursive: true });
  for (const file of ["board.mjs", "notice.ts"]) {
    const text = await readFile(join(examples, file), "utf8");
    await writeFile(join(examples, file), withPorts(text, { 8099: board }));
  }
  await mkdir(join(somebody.home, "bin"));
  await symlink(join(root, "bin/setpoint"), join(somebody.home, "bin/setpoint"));
  await somebody.play([
    starts("node examples/board/board.mjs", "the board is up"),
    starts("bin/setpoint dev --module examples/board/notice.ts", "Setpoint is ready on ..."),
    ...stepsOf(withPorts(page, { 8099: board })),
  ]);
});
