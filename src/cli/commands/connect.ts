// `setpoint connect import DOCUMENT --base-url URL`: proposes kinds for the resources of a service,
// from its own OpenAPI document. Prints what it found; --out writes files to review, --apply puts
// them on a server. Exit code 1 when nothing was found.
import { Option } from "commander";
import type { Command } from "commander";
import { importDocument } from "../../app/connect/import-document.ts";
import type { Imported, ImportTarget } from "../../app/connect/import-document.ts";
import { qualityOf, scoreDocuments } from "../../app/connect/score-documents.ts";
import type { SetScore, Tally } from "../../app/connect/score-documents.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { secretHint } from "../../app/connect/secret-hint.ts";
import { addImportObject } from "../import-object.ts";
import { plainText } from "../plain-text.ts";

interface Flags extends ClientFlags {
  readonly baseUrl: string;
  readonly group?: string;
  readonly connection?: string;
  readonly only?: readonly string[];
  readonly set?: readonly string[];
  readonly allowRef?: readonly string[];
  readonly out?: string;
  readonly apply?: boolean;
}

export function addConnect(program: Command): void {
  const connect = program
    .command("connect")
    .description("manage the resources of any REST service from its OpenAPI document");
  addScore(connect);
  addClientOptions(connect.command("import <documents...>"), "not used")
    .description("propose kinds for the resources of a service")
    .usage("DOCUMENT... --base-url URL [--out FOLDER | --apply] [options]")
    .requiredOption("--base-url <url>", "where the service is")
    .option("--group <name>", "API group of the kinds (default: from the host or the title)")
    .option("--connection <name>", "name of the Connection (default: from the group)")
    .option("--only <names...>", "only these kinds, by kind, plural or path")
    .option("--set <values...>", "values of path parameters, NAME=VALUE, the same for all")
    .option("--allow-ref <origins...>", "other origins that references may lead to")
    .addOption(new Option("--out <folder>", "write files to review").conflicts("apply"))
    .option("--apply", "put the kinds on the server at once")
    .action(async ([document = "", ...more]: readonly string[], flags: Flags) => {
      const { baseUrl, group, connection, only, set = [], allowRef = [] } = flags;
      const imported = await importDocument({
        document,
        more,
        baseUrl,
        allowed: allowRef.map(originOf),
        values: Object.fromEntries(set.map(valueOf)),
        target: targetOf(flags),
        ...(group === undefined ? {} : { group }),
        ...(connection === undefined ? {} : { connection }),
        ...(only === undefined ? {} : { only }),
      });
      if (flags.output === "json") console.log(JSON.stringify(asJson(imported), undefined, 2));
      else print(imported, flags);
      if (imported.kinds.length === 0) process.exitCode = 1;
    });
  addImportObject(connect);
}

function addScore(connect: Command): void {
  connect
    .command("score <folder>")
    .description("measure how well fields are classed, on documents that say what is true")
    .action(async (folder: string) => {
      const { tuning, heldOut, skipped } = await scoreDocuments(folder);
      console.log("set       services  resources   fields   class         P      R      F1");
      for (const line of [...scoreLines("tuning", tuning), ...scoreLines("held out", heldOut)]) {
        console.log(line);
      }
      console.log(`${skipped} files say too little or are no documents`);
    });
}

function scoreLines(name: string, { units, resources, scores }: SetScore): readonly string[] {
  const counts = [units, resources, scores.fields].map((count) => String(count).padStart(9));
  const line = (what: string, tally: Tally): string => {
    const { precision, recall, f1 } = qualityOf(tally);
    const numbers = [precision, recall, f1].map((one) => one.toFixed(3)).join("  ");
    return `${name.padEnd(9)}${counts.join("")}   ${what.padEnd(12)}${numbers}`;
  };
  return [line("read-only", scores.readOnly), line("create-only", scores.createOnly)];
}

function targetOf(flags: Flags): ImportTarget {
  if (flags.out !== undefined) return { kind: "folder", folder: flags.out };
  return flags.apply === true ? { kind: "server", client: clientFor(flags) } : { kind: "none" };
}

const shownProblems = 20;

function print({ proposal, kinds, problems, report, written }: Imported, flags: Flags): void {
  if (flags.group === undefined) {
    console.error(plainText(`the group is ${proposal.group}; --group NAME chooses another`));
  }
  const isDry = flags.out === undefined && flags.apply !== true;
  if (isDry) for (const line of report.split("\n")) console.log(plainText(line));
  else {
    for (const { kind, changes } of kinds) {
      const { added = [], removed = [], reclassified = [] } = changes ?? {};
      console.log(`${kind.name.kind} ${plainText(kind.binding.item)}`);
      for (const path of added) console.log(`  new: ${plainText(path)}`);
      for (const path of removed) console.log(`  gone: ${plainText(path)}`);
      for (const { path, was, is } of reclassified) {
        console.log(`  ${plainText(path)} was ${was}, is ${is}`);
      }
    }
    console.log(plainText(writtenText(written.length, flags.out)));
  }
  const hint = secretHint(proposal.connection);
  if (hint !== undefined) console.error(plainText(hint));
  for (const { severity, file, pointer, message } of problems.slice(0, shownProblems)) {
    console.error(plainText(`${severity}: ${file}#${pointer}: ${message}`));
  }
  const more = problems.length - shownProblems;
  if (more > 0) console.error(`and ${more} more; see the report`);
}

/** Into a folder, or onto a server. */
export function writtenText(count: number, folder: string | undefined): string {
  const what = folder === undefined ? "resource" : "file";
  const things = `${count} ${what}${count === 1 ? "" : "s"}`;
  return folder === undefined ? `${things} applied` : `${things} written to ${folder}`;
}

function asJson({ proposal, kinds, problems, written }: Imported): object {
  return {
    group: proposal.group,
    connection: proposal.connection,
    kinds: kinds.map(({ kind, definition, restKind, changes }) => ({
      id: kind.id,
      definition,
      restKind,
      ...(changes === undefined ? {} : { changes }),
      fields: [...kind.classified.judgements.values()],
    })),
    problems,
    written,
  };
}

function originOf(text: string): string {
  try {
    return new URL(text).origin;
  } catch {
    throw new SetpointError("config.invalid", `--allow-ref ${text} is no origin`, {
      suggestion: "give it as https://HOST or https://HOST:PORT",
    });
  }
}

function valueOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new SetpointError("config.invalid", `--set ${text} is not NAME=VALUE`);
}
