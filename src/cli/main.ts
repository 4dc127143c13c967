// The command line. Each command is one file in commands/ that adds itself to the program; this file
// only names them, and turns what they throw into a message and an exit code.
import { Command } from "commander";
import { addVersion } from "./commands/version.ts";

const program = new Command("setpoint")
  .description("Keeps what is at what was asked for.")
  .showHelpAfterError()
  .showSuggestionAfterError();

addVersion(program);

await program.parseAsync();
