// `setpoint connect import DOCUMENT --base-url URL`: proposes kinds for the resources of a service,
// from its own OpenAPI document. Prints what it found; --out writes files to review, --apply puts
// them on a server. Exit code 1 when nothing was found.
import type { CommandCall, RunCommand } from "../../../contract/command.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { secrecyText } from "../import/changes.ts";
import { importDocument } from "../import/import-document.ts";
import type { Imported, ImportTarget } from "../import/import-document.ts";
import { documentHeaders } from "./document-credentials.ts";
import type { CredentialFlags } from "./document-credentials.ts";
import { valueOf } from "./named-value.ts";
import { secretHint } from "./secret-hint.ts";

interface Flags extends CredentialFlags {
  readonly baseUrl: string;
  readonly group?: string;
  readonly connection?: string;
  readonly only?: readonly string[];
  readonly set?: readonly string[];
  readonly allowRef?: readonly string[];
  readonly out?: string;
  readonly apply?: boolean;
}

export const runImport: RunCommand = async (call) => {
  const flags = call.options as unknown as Flags;
  const [document = "", ...more] = call.args;
  const { baseUrl, group, connection, only, set = [], allowRef = [] } = flags;
  const imported = await importDocument({
    document,
    more,
    baseUrl,
    allowed: allowRef.map(originOf),
    values: Object.fromEntries(set.map(valueOf)),
    target: targetOf(call, flags),
    openHttp: call.openHttp,
    documentHeaders: documentHeaders(flags),
    ...(group === undefined ? {} : { group }),
    ...(connection === undefined ? {} : { connection }),
    ...(only === undefined ? {} : { only }),
  });
  if (call.isJson) call.printText(JSON.stringify(asJson(imported), undefined, 2));
  else show(call, imported, flags);
  if (imported.kinds.length === 0) call.setExitCode(1);
};

function targetOf(call: CommandCall, flags: Flags): ImportTarget {
  if (flags.out !== undefined) return { kind: "folder", folder: flags.out };
  return flags.apply === true ? { kind: "server", client: call.server() } : { kind: "none" };
}

const shownProblems = 20;

function show(call: CommandCall, imported: Imported, flags: Flags): void {
  const { proposal, kinds, problems, report, written } = imported;
  if (flags.group === undefined) {
    call.printError(`the group is ${proposal.group}; choose another with --group NAME`);
  }
  const isDry = flags.out === undefined && flags.apply !== true;
  if (isDry) for (const line of report.split("\n")) call.print(line);
  else {
    for (const { kind, changes } of kinds) {
      const { added = [], removed = [], reclassified = [], secrecy = [] } = changes ?? {};
      call.print(`${kind.name.kind} ${kind.binding.item}`);
      for (const path of added) call.print(`  new: ${path}`);
      for (const path of removed) call.print(`  gone: ${path}`);
      for (const { path, was, is } of reclassified) call.print(`  ${path} was ${was}, is ${is}`);
      for (const change of secrecy) call.print(`  ${secrecyText(change)}`);
    }
    call.print(writtenText(written.length, flags.out));
  }
  const hint = secretHint(proposal.connection);
  if (hint !== undefined) call.printError(hint);
  for (const { severity, file, pointer, message } of problems.slice(0, shownProblems)) {
    call.printError(`${severity}: ${file}#${pointer}: ${message}`);
  }
  const more = problems.length - shownProblems;
  if (more > 0) call.printError(`and ${more} more; see the report`);
}

/** Into a folder, or onto a server. */
function writtenText(count: number, folder: string | undefined): string {
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
    throw new SetpointError("config.invalid", `--allow-ref ${text} is not an origin`, {
      suggestion: "write https://HOST or https://HOST:PORT",
    });
  }
}
