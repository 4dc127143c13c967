// `setpoint serve`: one server in the foreground, and `setpoint dev`: the same with everything at
// its default, for trying things out. They print what to do next on standard output and log on
// standard error; SIGTERM and SIGINT stop them cleanly, a second one at once.
import { Option } from "commander";
import type { Command } from "commander";
import { parsedOption } from "../../app/config-sections.ts";
import {
  defaultHistory,
  defaultListen,
  defaultSecretRetention,
  serveConfig,
} from "../../app/config.ts";
import type { ServeConfig, ServeOptions } from "../../app/config.ts";
import { defaultConsoleListen } from "../../app/console/console-config.ts";
import { sectionsOf } from "../../app/declared-parts.ts";
import { builtInModules } from "../../app/modules.ts";
import type { ConfigurationField } from "../../contract/configuration.ts";
import type { RunningServer } from "../../app/serve.ts";
import { systemClock } from "../../kernel/clock.ts";
import { gatheredLines } from "../../telemetry/gathered-lines.ts";
import { levels, logger } from "../../telemetry/log.ts";
import type { LogForm } from "../../telemetry/log-form.ts";
import type { Level, Logger } from "../../telemetry/log.ts";
import { moduleOption } from "../module-option.ts";
import { isSecondary, serveSecondary } from "../serve-secondary.ts";
import type { SecondaryFlags } from "../serve-secondary.ts";
import { openDemo } from "../demo/demo.ts";
import type { Demo, DemoFlags } from "../demo/demo.ts";
import { addStoreOptions, configuredBy } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

interface Flags extends StoreFlags, ServeOptions {
  readonly logFormat?: LogForm;
}

/** How the two commands differ. */
interface Manner {
  readonly level: Level;
  /** Of what reconcilers log. */
  readonly runsLevel: Level;
  readonly form: LogForm;
  /** Whether somebody sits there and pressed Ctrl-C. */
  readonly isWatched: boolean;
  readonly demo?: Demo | undefined;
}

export function addServe(program: Command): void {
  addServeOptions(program.command("serve").alias("server"))
    .description("run a server in the foreground")
    .option("--primary", "of the primary cluster; the default, even with --primary-cluster-name")
    .addOption(
      new Option(
        "--primary-cluster-name <name>",
        "of a secondary of this cluster in primaryClusters of --config: follow it, do not listen",
      ).env("SETPOINT_PRIMARY_CLUSTER_NAME"),
    )
    .action(async (flags: Flags & SecondaryFlags, command: Command) => {
      if (isSecondary(flags)) return await serveSecondary(flags, command);
      const form = flags.logFormat ?? "json";
      const manner = { level: "info", runsLevel: "info", form, isWatched: false } as const;
      return await serve(configOf(flags, command), manner);
    });
}

export function addDev(program: Command): void {
  addServeOptions(program.command("dev"))
    .description("run a server for development: like serve, with a readable log")
    .option("--demo", "fill a new data folder with a live demo (npm start does)")
    .option("--empty", "without the demo, also if --demo is given")
    .action(async (flags: Flags & DemoFlags, command: Command) => {
      const config = anew(configOf(flags, command));
      const demo = await openDemo(config, flags);
      await serve(demo?.config ?? config, {
        level: "warn",
        // What the demo does is in the console; the terminal keeps showing what to try.
        runsLevel: demo?.runs === true && config.engine.modules.length === 0 ? "error" : "info",
        form: flags.logFormat ?? "text",
        isWatched: true,
        demo,
      });
    });
}

function addServeOptions(command: Command): Command {
  const common = addStoreOptions(command)
    .addOption(
      new Option("--listen <host:port>", "address to listen on")
        .env("SETPOINT_LISTEN")
        .default(defaultListen),
    )
    .addOption(
      new Option(
        "--hosts <names...>",
        "additional host names of the server (replaces hosts in --config)",
      )
        .env("SETPOINT_HOSTS")
        .argParser(addNames),
    )
    .addOption(
      new Option("--history <time>", "how long history is kept: 12h, 7d, forever")
        .env("SETPOINT_HISTORY")
        .default(defaultHistory),
    )
    .addOption(
      new Option(
        "--secret-retention <time>",
        "how long secrets of deleted resources stay in the history: 30m, 1h, forever",
      )
        .env("SETPOINT_SECRET_RETENTION")
        .default(defaultSecretRetention),
    )
    .addOption(moduleOption())
    .addOption(
      new Option(
        "--roles <roles>",
        "roles of this process, such as api or api,worker (default: both)",
      ).env("SETPOINT_ROLES"),
    )
    .addOption(
      new Option(
        "--slots <count>",
        "maximum number of concurrent reconcile runs (default: 64)",
      ).env("SETPOINT_SLOTS"),
    )
    .addOption(new Option("--isolate", "run each module in a thread of its own"))
    .addOption(new Option("--no-isolate", "run modules on the main thread"))
    .addOption(
      new Option("--log-level <level>", "least level that is logged (default: info; for dev: warn)")
        .choices(levels)
        .env("SETPOINT_LOG_LEVEL"),
    )
    .addOption(
      new Option("--log-format <form>", "log format (default: json; for dev: text)").choices([
        "json",
        "text",
      ]),
    )
    .addOption(
      new Option("--audit-policy <file>", "audit policy file (audit.k8s.io/v1); needs --audit-log"),
    )
    .addOption(
      new Option("--audit-log <file>", "file to write audit events to; needs --audit-policy"),
    )
    .addOption(new Option("--request-log <file>", "file to write a line to for each request"));
  addConsoleOptions(common);
  addCertificateOptions(common);
  addTraceOptions(common);
  for (const { fields } of sectionsOf(builtInModules)) {
    for (const field of Object.values(fields)) addFieldOption(common, field);
  }
  return common;
}

function addConsoleOptions(command: Command): void {
  command
    .addOption(new Option("--console", "serve the web console at /console/ (default)"))
    .addOption(new Option("--no-console", "do not serve the web console"))
    .addOption(
      new Option(
        "--console-listen <host:port>",
        "loopback address of the console without TLS (default: none; for dev: 127.0.0.1:7080)",
      ).env("SETPOINT_CONSOLE_LISTEN"),
    );
}

function addCertificateOptions(command: Command): void {
  command
    .addOption(
      new Option("--tls-cert <file>", "certificate in PEM, in place of a generated one").env(
        "SETPOINT_TLS_CERT",
      ),
    )
    .addOption(
      new Option("--tls-key <file>", "private key of --tls-cert, in PEM").env("SETPOINT_TLS_KEY"),
    )
    .addOption(
      new Option(
        "--tls-ca <file>",
        "authority that clients verify --tls-cert with (default: a public one)",
      ).env("SETPOINT_TLS_CA"),
    );
}

function addTraceOptions(command: Command): void {
  command
    .addOption(
      new Option(
        "--trace-endpoint <url>",
        "OTLP/HTTP collector to send traces to (default: none)",
      ).env("OTEL_EXPORTER_OTLP_ENDPOINT"),
    )
    .addOption(
      new Option("--trace-ratio <share>", "share of traces to record, 0 to 1 (default: 1)").env(
        "OTEL_TRACES_SAMPLER_ARG",
      ),
    )
    // For the environment alone: they may be secret, and other users see the command line.
    .addOption(new Option("--trace-headers <list>").env("OTEL_EXPORTER_OTLP_HEADERS").hideHelp());
}

/** The option for a key in the section of a module. */
function addFieldOption(command: Command, field: ConfigurationField): void {
  if (field.option === undefined) return;
  const option = new Option(field.option, field.summary);
  if (field.variable !== undefined) option.env(field.variable);
  command.addOption(option.argParser((text, before) => parsedOption(field, text, before)));
}

/** An environment variable holds all names in one text, with commas or spaces between them. */
function addNames(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(/[\s,]+/).filter((name) => name !== "")];
}

function configOf(flags: Flags, command: Command): ServeConfig {
  return configuredBy(flags, command, serveConfig);
}

/** Who tries something out has most likely just corrected what failed. */
function anew(config: ServeConfig): ServeConfig {
  const { engine, console: own } = config;
  return {
    ...config,
    engine: { ...engine, startsFresh: true, reloadsModules: true },
    console: { ...own, listen: own.listen ?? defaultConsoleListen },
  };
}

async function serve(config: ServeConfig, manner: Manner): Promise<void> {
  const { form, isWatched } = manner;
  const lines = gatheredLines(
    (text) => process.stderr.write(text),
    (run) => process.nextTick(run),
  );
  process.once("exit", lines.flush);
  const logAt = (level: Level): Logger => logger(lines.write, systemClock, level, form);
  const { logLevel } = config;
  const log = { ...logAt(logLevel ?? manner.level), runs: logAt(logLevel ?? manner.runsLevel) };
  // Loaded by who serves: every other command is there at once without it.
  const { startServer } = await import("../../app/serve.ts");
  const server = await startServer(config, log, { guardsProcess: true, watchdog: form });
  // Listened for before anybody is told: who reads the first line may ask for the end at once.
  const asked = new Promise<string>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  console.log(`Setpoint is ready on ${server.url}`);
  const link = isWatched ? await server.console.adminLink() : undefined;
  if (link !== undefined) console.log(`  open     ${link}`);
  console.log(`  use it   export KUBECONFIG=${server.kubeconfig}`);
  console.log("           kubectl api-resources");
  const { authorityFile } = server;
  const trust = authorityFile === undefined ? "" : `--cacert ${authorityFile} `;
  console.log(`  health   curl ${trust}${server.url}/readyz`);
  if (server.reconciled.length > 0) console.log(`  runs     ${server.reconciled.join(", ")}`);
  for (const file of server.broken) console.log(`  broken   ${file}: see the log`);
  console.log(`  stop     Ctrl-C, or kill -TERM ${process.pid}`);
  if (isWatched) server.console.prepare();
  const stopping = new AbortController();
  void manner.demo?.start({
    kubeconfig: server.kubeconfig,
    print: (line) => console.log(line),
    stopping: stopping.signal,
  });
  const signal = await asked;
  stopping.abort();
  tellOfStop(signal, server, log, isWatched);
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
    if (isWatched) console.log("stopped immediately; the next server repeats the interrupted runs");
    log.info({ signal: again }, "server stopped immediately");
    process.exit(1);
  };
  process.on("SIGTERM", endNow);
  process.on("SIGINT", endNow);
  const waits = server.outlook();
  log.info({ signal, waits }, "server stopping");
  if (isWatched && waits !== undefined) {
    console.log(`stopping: ${waits}; press Ctrl-C again to stop now`);
  }
}
