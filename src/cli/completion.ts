// Completion of commands and options in shells: a script that contains the whole tree of commands,
// so that completing a word starts no program. The command `completion` prints it.
import type { Command, Option } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** What can follow one command. */
interface Place {
  /** As in "/env/create"; empty for the program. */
  readonly path: string;
  readonly entries: readonly Entry[];
}

interface Entry {
  /** A command, or an option such as "--data". */
  readonly word: string;
  readonly summary: string;
  readonly takesValue: boolean;
}

const scripts: Readonly<Record<Shell, (name: string, places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function completionScript(shell: Shell, program: Command): string {
  return scripts[shell](program.name(), placesOf(program, ""));
}

function placesOf(command: Command, path: string): readonly Place[] {
  // As in the help: hidden commands and options are not offered, and inherited ones are.
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== "help");
  const options = help.visibleOptions(command);
  const entries = [...children.map(commandEntry), ...options.flatMap(optionEntry)];
  const below = children.flatMap((child) => placesOf(child, `${path}/${child.name()}`));
  return [{ path, entries }, ...below];
}

function commandEntry(command: Command): Entry {
  return { word: command.name(), summary: firstLine(command.description()), takesValue: false };
}

function optionEntry({ long, description, required, optional }: Option): readonly Entry[] {
  if (typeof long !== "string") return [];
  return [{ word: long, summary: firstLine(description), takesValue: required || optional }];
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** For bash 3.2 of macOS as well: it has no mapfile, and no `source` of a process substitution. */
function bashScript(name: string, places: readonly Place[]): string {
  const words = places.map(
    ({ path, entries }) =>
      `    ${quoted(path)}) words=${quoted(entries.map(({ word }) => word).join(" "))} ;;`,
  );
  return `# Completion of ${name} in bash. Load it with: eval "$(${name} completion bash)"
_${name}() {
  local at="" words="" word index
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$at/$word" in
      ${paths(places)}) at="$at/$word" ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
    ${valueOptions(places)}) return ;;
  esac
  case "$at" in
${words.join("\n")}
  esac
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen -W "$words" -- "$current")
}
complete -o default -F _${name} ${name}
`;
}

function zshScript(name: string, places: readonly Place[]): string {
  const entryText = ({ word, summary }: Entry): string =>
    quoted(`${word.replaceAll(":", String.raw`\:`)}:${summary}`);
  const entries = places.map(
    (place) => `    (${quoted(place.path)}) entries=(${place.entries.map(entryText).join(" ")}) ;;`,
  );
  return `#compdef ${name}
# Completion of ${name} in zsh. Load it with: source <(${name} completion zsh)
_${name}() {
  local at="" word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      (${paths(places)}) at="$at/$word" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
    (${valueOptions(places)}) _files; return ;;
  esac
  case "$at" in
${entries.join("\n")}
  esac
  _describe ${quoted(name)} entries || _files
}
compdef _${name} ${name}
`;
}

function fishScript(name: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ path, entries }) =>
    entries.map(({ word, summary, takesValue }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      const value = takesValue ? " -r" : "";
      const where = fishQuoted(`__${name}_at ${fishQuoted(path)}`);
      return `complete -c ${name} -n ${where} ${what}${value} -d ${fishQuoted(summary)}`;
    }),
  );
  const known = places.map(({ path }) => fishQuoted(path)).slice(1);
  return `# Completion of ${name} in fish. Load it with: ${name} completion fish | source
function __${name}_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
      case ${known.join(" ")}
        set at "$at/$word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function paths(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ path }) => path)
    .join("|");
}

function valueOptions(places: readonly Place[]): string {
  const words = places
    .flatMap(({ entries }) => entries)
    .filter(({ takesValue }) => takesValue)
    .map(({ word }) => word);
  return [...new Set(words)].join("|");
}

/** For bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
