// What commands say about themselves when they are asked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { addClientOptions, namespaceNotUsed } from "./client-options.ts";
import { addOperations } from "./commands/operations.ts";
import { addReconcile } from "./commands/reconcile.ts";
import { addDev, addServe } from "./commands/serve.ts";
import { addWhy } from "./commands/why.ts";

function helpOf(add: (program: Command) => void): string {
  let text = "";
  const program = new Command("setpoint").configureOutput({
    writeOut: (more) => void (text += more),
    getOutHelpWidth: () => 1_000,
  });
  add(program);
  for (const command of program.commands) command.outputHelp();
  return text;
}

test("what a server is given counts instead of the list in its file, and the help says so", () => {
  for (const add of [addServe, addDev]) {
    assert.match(helpOf(add), /--module .* \(replaces modules in --config\);/);
    assert.match(helpOf(add), /--hosts .* \(replaces hosts in --config\)/);
  }
});

test("commands that ask about resources show examples, and what their exit codes mean", () => {
  assert.match(helpOf(addOperations), /^Examples:\n {2}setpoint operations /m);
  assert.match(helpOf(addWhy), /^Exit codes:\n {2}0 .*\n {2}1 .* it is not ready;/m);
  assert.match(helpOf(addWhy), /^Examples:\n {2}setpoint why /m);
  assert.match(helpOf(addReconcile), /^Exit codes:\n {2}0 .*\n {2}1 .* the run failed/m);
  assert.match(helpOf(addReconcile), /^Examples:\n {2}setpoint reconcile /m);
});

test("a command hides the namespace option if it has no use for it", () => {
  const add = (program: Command): void => {
    addClientOptions(program.command("import"), namespaceNotUsed);
  };
  assert.doesNotMatch(helpOf(add), /--namespace/);
  assert.match(helpOf(addWhy), /--namespace/);
});
