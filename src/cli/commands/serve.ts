// `setpoint serve`: one server in the foreground. It prints what to do next on standard output and
// logs on standard error; SIGTERM and SIGINT stop it cleanly, a second one at once.
import { Option } from "commander";
import type { Command } from "commander";
import { defaultListen, serveConfig } from "../../app/config.ts";
import type { ServeOptions } from "../../app/config.ts";
import { startServer } from "../../app/serve.ts";
import { systemClock } from "../../kernel/clock.ts";
import { logger } from "../../telemetry/log.ts";
import { addStoreOptions } from "../store-options.ts";

export function addServe(program: Command): void {
  addStoreOptions(program.command("serve"))
    .description("run a server in the foreground")
    .addOption(
      new Option("--listen <host:port>", "address to listen on")
        .env("SETPOINT_LISTEN")
        .default(defaultListen),
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const log = logger((line) => process.stderr.write(line), systemClock);
  const server = await startServer(serveConfig(options), log);
  console.log(`Setpoint is ready on ${server.url}`);
  console.log(`  use it   export KUBECONFIG=${server.kubeconfig}`);
  console.log("           kubectl api-resources");
  console.log(`  stop     Ctrl-C, or kill -TERM ${process.pid}`);
  const signal = await new Promise<string>((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  process.once("SIGTERM", () => process.exit(1));
  process.once("SIGINT", () => process.exit(1));
  log.info({ signal }, "server stopping");
  await server.stop();
}
