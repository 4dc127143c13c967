// `setpoint completion SHELL`: a script that lets a shell complete commands and options.
import { Argument } from "commander";
import type { Command } from "commander";
import { completionScript, shells } from "../completion.ts";
import type { Shell } from "../completion.ts";

const help = `
Examples:
  eval "$(setpoint completion bash)"        in ~/.bashrc, or ~/.bash_profile on macOS
  source <(setpoint completion zsh)         in ~/.zshrc, after compinit
  setpoint completion fish | source         in ~/.config/fish/config.fish`;

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("print a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>", "your shell").choices([...shells]))
    .addHelpText("after", help)
    .action((shell: Shell) => console.log(completionScript(shell, program).trimEnd()));
}
