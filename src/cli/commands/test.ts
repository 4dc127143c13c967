// `setpoint test`: runs test files of modules with the program's own Node.js, in which `setpoint`
// and `setpoint/testing` can be imported from any folder.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import type { Command } from "commander";
import { resolveOwnNames } from "../../app/module-resolution.ts";
import { SetpointError } from "../../kernel/errors.ts";

export function addTest(program: Command): void {
  program
    .command("test")
    .argument("<files...>", "test files, in TypeScript or JavaScript")
    .description("run tests of modules")
    .action(async (files: readonly string[]) => await test(files));
}

async function test(files: readonly string[]): Promise<void> {
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) {
    throw new SetpointError("config.invalid", `the test file ${missing} does not exist`, {
      details: { file: missing },
      suggestion: "name files that are there, as in: setpoint test greeting.test.ts",
    });
  }
  resolveOwnNames();
  const events = run({ files: files.map((file) => resolve(file)), isolation: "none" });
  events.on("test:fail", () => {
    process.exitCode = 1;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text as string);
}
