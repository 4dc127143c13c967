// What commands say about themselves when they are asked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { addDev, addServe } from "./commands/serve.ts";

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
    assert.match(helpOf(add), /--module .* instead of the modules of --config;/);
    assert.match(helpOf(add), /--hosts .* instead of the hosts of --config/);
  }
});
