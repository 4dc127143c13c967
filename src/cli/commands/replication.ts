// `setpoint replication`: a second store that follows the first one, and the change of their roles.
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { storeLabel } from "../../app/config.ts";
import {
  demoteStore,
  followStore,
  lagText,
  promoteStore,
  readStoreStanding,
  rehearseSwitch,
  standingText,
} from "../../app/replication/operate.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { apiClient } from "../client/api-client.ts";
import { clientConfig } from "../client/kubeconfig-file.ts";
import { startDaemon } from "../daemon.ts";
import { printFindings } from "../print-findings.ts";
import { addStoreOptions, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

interface Flags extends StoreFlags {
  readonly from?: string;
  readonly fromKubeconfig?: string;
  readonly primary?: string;
  readonly primaryIsDown?: boolean;
  readonly epoch?: number;
  readonly output?: "json";
}

const from = (): Option =>
  new Option("--from <where>", "store of the primary: sqlite:PATH or postgres://...").env(
    "SETPOINT_REPLICATION_FROM",
  );
const fromKubeconfig = (): Option =>
  new Option(
    "--from-kubeconfig <file>",
    "instead of --from: kubeconfig of a user of the server that runs on the primary",
  );
const primary = (what: string): Option => new Option("--primary <address>", what);

export function addReplication(program: Command): void {
  const replication = program
    .command("replication")
    .description("keep a second store up to date, and change which one is the primary");
  addStoreOptions(replication.command("follow"))
    .description("make this store a secondary, and store what the primary commits until stopped")
    .addOption(from())
    .addOption(fromKubeconfig())
    .addOption(primary("address of the primary, which clients of this store receive"))
    .action(follow);
  addStoreOptions(replication.command("status"))
    .description("print the role and the place of this store, and how far it is behind --from")
    .addOption(from())
    .addOption(fromKubeconfig())
    .addOption(new Option("-o, --output <format>", "print one JSON object").choices(["json"]))
    .action(status);
  addStoreOptions(replication.command("rehearse"))
    .description("check that promote would succeed without loss, and change nothing")
    .addOption(from())
    .addOption(fromKubeconfig())
    .action(rehearse);
  addStoreOptions(replication.command("promote"))
    .description("make this secondary the primary: with --from without loss")
    .addOption(from())
    .addOption(fromKubeconfig())
    .addOption(primary("address of this store, which clients of the former primary receive"))
    .option("--primary-is-down", "the primary is lost or stopped; its last writes may be missing")
    .action(promote);
  addStoreOptions(replication.command("demote"))
    .description("make this store a secondary, which refuses writes")
    .addOption(primary("address of the other primary").makeOptionMandatory())
    .option("--epoch <number>", "its epoch, so that no earlier primary is followed", wholeNumber)
    .action(demote);
}

async function follow(flags: Flags, command: Command): Promise<void> {
  const config = storeConfigOf(flags, command);
  const { log, timers, stopping: signal } = startDaemon({ level: "info", form: "text" });
  const source = sourceOf(flags);
  if (source === undefined) throw noSource("following a primary needs its store or its server");
  await followStore(config, source, { address: flags.primary, log, timers, signal });
}

async function status(flags: Flags, command: Command): Promise<void> {
  const config = storeConfigOf(flags, command);
  const standing = await readStoreStanding(config, sourceOf(flags));
  if (flags.output === "json") {
    console.log(JSON.stringify(standing));
    return;
  }
  console.log(`${storeLabel(config.store)}: ${standingText(standing)}`);
  if (standing.lag !== undefined) console.log(lagText(standing.lag));
}

async function rehearse(flags: Flags, command: Command): Promise<void> {
  const source = sourceOf(flags);
  if (source === undefined) throw noSource("a rehearsal needs the store or the server");
  printFindings(await rehearseSwitch(storeConfigOf(flags, command), source));
}

async function promote(flags: Flags, command: Command): Promise<void> {
  const config = storeConfigOf(flags, command);
  const isForced = flags.primaryIsDown === true;
  const source = isForced ? undefined : sourceOf(flags);
  if (source === undefined && !isForced) {
    throw noSource("a promotion needs the primary, or --primary-is-down");
  }
  const promoted = await promoteStore(config, source, flags.primary);
  console.log(`${storeLabel(config.store)}: ${standingText(promoted)}`);
  if (!isForced) return;
  console.log("What the former primary committed last may be missing. Before it starts again, run");
  console.log(`  setpoint replication demote --primary ADDRESS --epoch ${promoted.epoch}`);
  console.log("on its store, and seed an empty store as its replacement.");
}

async function demote(flags: Flags, command: Command): Promise<void> {
  const config = storeConfigOf(flags, command);
  const standing = await demoteStore(config, flags.primary ?? "", flags.epoch);
  console.log(`${storeLabel(config.store)}: ${standingText(standing)}`);
}

function sourceOf({ from: where, fromKubeconfig: kubeconfig, data }: Flags) {
  if (kubeconfig !== undefined) {
    const config = clientConfig({ kubeconfig, data: data ?? "" });
    return { kind: "server", url: config.server, calls: apiClient(config) } as const;
  }
  return where === undefined ? undefined : ({ kind: "store", where } as const);
}

function noSource(message: string): SetpointError {
  return new SetpointError("config.invalid", message, {
    suggestion:
      "name the store of the primary with --from, or its server with --from-kubeconfig; only a " +
      "promotion after a loss needs neither: --primary-is-down",
  });
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}
