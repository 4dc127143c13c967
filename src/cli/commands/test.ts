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
    .description("run the tests of user modules")
    .action(async (files: readonly string[]) => await test(files));
}

async function test(files: readonly string[]): Promise<void> {
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) {
    throw new SetpointError("config.invalid", `the test file ${missing} does not exist`, {
      details: { file: missing },
      suggestion: "name existing files, for example: setpoint test greeting.test.ts",
    });
  }
  resolveOwnNames();
  const events = run({ files: files.map((file) => resolve(file)), isolation: "none" });
  events.on("test:fail", () => {
    process.exitCode = 1;
  });
  // A file in which nothing is tested passes as a test with the name of the file.
  const named = new Set<string>();
  events.on("test:pass", ({ name, nesting }) => {
    if (nesting === 0) named.add(name);
  });
  let count = 0;
  events.on("test:summary", ({ counts }) => {
    count = counts.tests;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text as string);
  const empty = files.find((file) => count === 0 || named.has(resolve(file)));
  if (empty !== undefined) throw untested(empty);
}

/** Most likely it is the module itself that was named. */
function untested(file: string): SetpointError {
  const beside = file.replace(/\.([cm]?[jt]s)$/, ".test.$1");
  return new SetpointError("config.invalid", `no tests in ${file}`, {
    details: { file },
    suggestion: existsSync(beside)
      ? `name the test file: setpoint test ${beside}`
      : "write tests with test() of node:test (see docs/authoring-a-kind.md) and name the file",
  });
}
