// `setpoint serve`: one server in the foreground, and `setpoint dev`: the same with everything at
// its default, for trying things out. They print what to do next on standard output and log on
// standard error; SIGTERM and SIGINT stop them cleanly, a second one at once.
import { Option } from "commander";
import type { Command } from "commander";
import { defaultHistory, defaultListen, serveConfig } from "../../app/config.ts";
import type { ServeConfig, ServeOptions } from "../../app/config.ts";
import type { RunningServer } from "../../app/serve.ts";
import { systemClock } from "../../kernel/clock.ts";
import { gatheredLines } from "../../telemetry/gathered-lines.ts";
import { logger } from "../../telemetry/log.ts";
import type { LogForm } from "../../telemetry/log-form.ts";
import type { Level, Logger } from "../../telemetry/log.ts";
import { addStoreOptions, configuredBy } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

interface Flags extends StoreFlags, ServeOptions {
  readonly logFormat?: LogForm;
}

/** How the two commands differ. */
interface Manner {
  readonly level: Level;
  readonly form: LogForm;
  /** Whether somebody sits there and pressed Ctrl-C. */
  readonly isWatched: boolean;
}

export function addServe(program: Command): void {
  addServeOptions(program.command("serve"))
    .description("run a server in the foreground")
    .action((flags: Flags, command: Command) =>
      serve(configOf(flags, command), {
        level: "info",
        form: flags.logFormat ?? "json",
        isWatched: false,
      }),
    );
}

export function addDev(program: Command): void {
  addServeOptions(program.command("dev"))
    .description("run a server for trying things out: as serve, but quiet, with a log for people")
    .action((flags: Flags, command: Command) =>
      serve(anew(configOf(flags, command)), {
        level: "warn",
        form: flags.logFormat ?? "text",
        isWatched: true,
      }),
    );
}

function addServeOptions(command: Command): Command {
  return addStoreOptions(command)
    .addOption(
      new Option("--listen <host:port>", "address to listen on")
        .env("SETPOINT_LISTEN")
        .default(defaultListen),
    )
    .addOption(
      new Option(
        "--hosts <names...>",
        "more names under which clients reach the server, instead of the hosts of --config",
      )
        .env("SETPOINT_HOSTS")
        .argParser(addNames),
    )
    .addOption(
      new Option("--history <time>", "how long old states are kept: 12h, 7d, forever")
        .env("SETPOINT_HISTORY")
        .default(defaultHistory),
    )
    .addOption(
      new Option(
        "--module <file>",
        "kinds and reconcilers to run, instead of the modules of --config; " +
          "may be given several times",
      )
        .env("SETPOINT_MODULES")
        .argParser(addFiles),
    )
    .addOption(
      new Option("--roles <roles>", "what this process does: api, worker (default: both)").env(
        "SETPOINT_ROLES",
      ),
    )
    .addOption(
      new Option("--slots <count>", "reconcilers that run at a time").env("SETPOINT_SLOTS"),
    )
    .addOption(
      new Option(
        "--log-format <form>",
        "json, or text for people (default: json; dev: text)",
      ).choices(["json", "text"]),
    )
    .addOption(new Option("--audit-policy <file>", "what to write to the audit log"))
    .addOption(new Option("--audit-log <file>", "where to write the audit log"));
}

/** An environment variable holds all names in one text, with commas or spaces between them. */
function addNames(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(/[\s,]+/).filter((name) => name !== "")];
}

/** As names, but a path may have spaces in it. */
function addFiles(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").filter((file) => file !== "")];
}

function configOf(flags: Flags, command: Command): ServeConfig {
  return configuredBy(flags, command, serveConfig);
}

/** Who tries something out has most likely just corrected what failed. */
function anew(config: ServeConfig): ServeConfig {
  return { ...config, engine: { ...config.engine, looksAnew: true } };
}

async function serve(config: ServeConfig, { level, form, isWatched }: Manner): Promise<void> {
  const lines = gatheredLines(
    (text) => process.stderr.write(text),
    (run) => process.nextTick(run),
  );
  process.once("exit", lines.flush);
  const log = logger(lines.write, systemClock, level, form);
  // Loaded by who serves: every other command is there at once without it.
  const { startServer } = await import("../../app/serve.ts");
  const server = await startServer(config, log, { guardsProcess: true });
  // Listened for before anybody is told: who reads the first line may ask for the end at once.
  const asked = new Promise<string>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  console.log(`Setpoint is ready on ${server.url}`);
  console.log(`  use it   export KUBECONFIG=${server.kubeconfig}`);
  console.log("           kubectl api-resources");
  console.log(`  health   curl --cacert ${server.authorityFile} ${server.url}/readyz`);
  if (server.reconciled.length > 0) console.log(`  runs     ${server.reconciled.join(", ")}`);
  console.log(`  stop     Ctrl-C, or kill -TERM ${process.pid}`);
  tellOfStop(await asked, server, log, isWatched);
  await server.stop();
  console.log("Setpoint has stopped");
  // A reconciler that ignored its end may hold timers or sockets, which would keep the process.
  process.exit(0);
}

/** What signals a process and then its group, as `timeout` does, asks once. */
const sameRequestMs = 300;

/** What the stop waits for; a second signal ends it. */
function tellOfStop(
  signal: string,
  server: Pick<RunningServer, "outlook">,
  log: Logger,
  isWatched: boolean,
): void {
  const askedMs = systemClock.nowMs();
  const endNow = (again: string): void => {
    if (Math.abs(systemClock.nowMs() - askedMs) < sameRequestMs) return;
    if (isWatched) console.log("ended at once; what was running is run again by the next server");
    log.info({ signal: again }, "server ended at once");
    process.exit(1);
  };
  process.on("SIGTERM", endNow);
  process.on("SIGINT", endNow);
  const waits = server.outlook();
  log.info({ signal, waits }, "server stopping");
  if (isWatched && waits !== undefined) {
    console.log(`stopping: ${waits}; Ctrl-C again to end now`);
  }
}
