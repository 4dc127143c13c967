// `setpoint audit`: who changed what, newest first.
import type { Command } from "commander";
import { findKind } from "../client/find-kind.ts";
import { systemClock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { auditLines } from "../history-table.ts";
import { kindIdOf, restPath } from "../rest-request.ts";

interface Flags extends ClientFlags {
  readonly kind?: string;
  readonly name?: string;
  readonly actor?: string;
  readonly surface?: string;
  readonly type?: string;
  readonly trace?: string;
  readonly since?: string;
  readonly limit: string;
}

const explained = `
Records are derived from the log of changes, as far back as the server keeps its history. Reads and
refused requests are in the audit log file of the server: see --audit-log of setpoint serve.

Examples:
  setpoint audit --kind database -n team-a --since 2h
  setpoint audit --actor jane --type deleted`;

export function addAudit(program: Command): void {
  addClientOptions(program.command("audit"), "only changes in this namespace (default: all)")
    .description("list who changed what")
    .option("--kind <kind>", "only changes of this kind, by any name that kubectl accepts")
    .option("--name <name>", "only changes of resources with this name")
    .option("--actor <user>", "only changes by this user")
    .option("--surface <surface>", "only changes through this surface, such as kube or rest")
    .option("--type <type>", "only changes of this type: created, updated, deleted or erased")
    .option("--trace <id>", "only changes of this trace")
    .option(
      "--since <time>",
      "only changes since a time, such as 90s, 2h, 3d or 2026-01-31T08:00:00Z",
    )
    .option("--limit <count>", "number of records to list, up to 1000", "50")
    .addHelpText("after", explained)
    .action(async (flags: Flags) => {
      const client = clientFor(flags);
      const { namespace, name, actor, surface, type, trace: traceId, limit } = flags;
      const kind = flags.kind === undefined ? undefined : await findKind(client, flags.kind);
      const query = {
        namespace,
        name,
        actor,
        surface,
        type,
        traceId,
        limit,
        kind: kind === undefined ? undefined : kindIdOf(kind),
        since: flags.since === undefined ? undefined : sinceText(flags.since, systemClock.nowMs()),
      };
      const records = await client.get(restPath(["audit"], query));
      if (flags.output === "json") console.log(JSON.stringify(records, undefined, 2));
      else for (const line of auditLines(records)) console.log(line);
    });
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A time as the server takes it, from a time or a span before now. */
export function sinceText(text: string, nowMs: number): string {
  const [, count = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const span = Number(count) * (unitMs[unit] ?? 0);
  const atMs = unit === "" ? Date.parse(text) : nowMs - span;
  if (!Number.isNaN(atMs)) return new Date(Math.max(0, atMs)).toISOString();
  throw new SetpointError("config.invalid", `--since ${JSON.stringify(text)} is not a time`, {
    suggestion: "write a span such as 90s, 2h or 3d, or a time such as 2026-01-31T08:00:00Z",
  });
}
