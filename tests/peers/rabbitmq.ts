// A real RabbitMQ broker on free ports of the loopback address, with its data in a folder that is
// deleted with it. It has an epmd of its own, so that several can run at once. It can be stopped,
// killed and started again on the same data, and does not outlive the test process.
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { connectRabbitMq } from "../../src/adapters/amqp/rabbitmq/connection.ts";
import type { BrokerTls, ConnectBroker } from "../../src/adapters/amqp/port.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { findRabbitMq } from "../../tools/peers.ts";
import { startGuarded } from "./guarded.ts";
import type { Guarded } from "./guarded.ts";
import { killTree } from "./process-tree.ts";
import { accountWithoutRights, freePort, own } from "./service.ts";
import { waitUntil, within } from "./wait.ts";

const limitMs = 120_000;

/** Each user has a password that begins with its name. */
export const rabbitMqUsers = ["setpoint", "orders", "stranger", "shop"] as const;
export type RabbitMqUser = (typeof rabbitMqUsers)[number];
export const passwordOf = (user: RabbitMqUser): string => `${user}-only-for-tests`;

export interface RabbitMqOptions {
  /** Paths of PEM files: the broker then has a second port with TLS, which needs certificates. */
  readonly tls?: { readonly ca: string; readonly certificate: string; readonly key: string };
  /** Patterns of names; a user without an entry may do everything. */
  readonly permissions?: Partial<Record<RabbitMqUser, Permissions>>;
}

export interface Permissions {
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

const everything: Permissions = { configure: ".*", write: ".*", read: ".*" };

export async function startRabbitMq(options: RabbitMqOptions = {}): Promise<RabbitMq> {
  const program = findRabbitMq();
  if (program === undefined) throw new Error("no RabbitMQ here: run `npm run peers`");
  const folder = await mkdtemp(join(tmpdir(), "setpoint-rabbitmq-"));
  const broker = new RabbitMq(folder, program, options);
  try {
    await broker.start();
  } catch (error) {
    await broker[Symbol.asyncDispose]();
    throw error;
  }
  return broker;
}

export class RabbitMq implements AsyncDisposable {
  readonly folder: string;
  readonly #program: string;
  readonly #options: RabbitMqOptions;
  readonly #ports = { amqp: 0, tls: 0, epmd: 0, nodes: 0 };
  #names: Guarded | undefined;
  #process: Guarded | undefined;

  constructor(folder: string, program: string, options: RabbitMqOptions) {
    this.folder = folder;
    this.#program = program;
    this.#options = options;
  }

  get url(): string {
    return `amqp://127.0.0.1:${this.#ports.amqp}`;
  }

  get tlsUrl(): string {
    return `amqps://localhost:${this.#ports.tls}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** A connection of our adapter, as this user. */
  connect(user: RabbitMqUser = "setpoint", tls?: BrokerTls): ConnectBroker {
    const login = { user, password: passwordOf(user) };
    const address = { url: tls === undefined ? this.url : this.tlsUrl, login, tls };
    return connectRabbitMq({
      address: async () => address,
      name: `test ${user}`,
      timers: systemTimers,
    });
  }

  log(): string {
    return existsSync(this.#logPath) ? readFileSync(this.#logPath, "utf8") : "";
  }

  /** On the same data and ports. */
  async start(): Promise<void> {
    if (this.#ports.amqp === 0) await this.#prepare();
    this.#names ??= await this.#launch("epmd", ["-port", String(this.#ports.epmd)]);
    const before = startsIn(this.log());
    this.#process = await this.#launch(this.#program, []);
    let hasExited = false;
    void this.#process.exited.then(() => (hasExited = true));
    await waitUntil(
      "RabbitMQ to start",
      () => {
        if (hasExited) throw new Error(`RabbitMQ did not start:\n${this.log().slice(-4_000)}`);
        return startsIn(this.log()) > before;
      },
      { limitMs },
    );
  }

  /** Asks the broker to end, and waits for it. */
  async stop(): Promise<void> {
    if (this.#process === undefined) return;
    process.kill(this.#process.pid, "SIGTERM");
    await within("RabbitMQ to end", this.#process.exited, { limitMs });
    this.#process = undefined;
  }

  async kill9(): Promise<void> {
    if (this.#process === undefined) return;
    await killTree(this.#process.pid);
    this.#process = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill9();
    if (this.#names !== undefined) await killTree(this.#names.pid);
    await rm(this.folder, { recursive: true, force: true });
  }

  get #logPath(): string {
    return join(this.folder, "rabbitmq.log");
  }

  async #prepare(): Promise<void> {
    for (const name of ["amqp", "tls", "epmd", "nodes"] as const) {
      this.#ports[name] = await freePort();
    }
    const { tls, permissions: given = {} } = this.#options;
    const users = rabbitMqUsers.map((name) => ({
      name,
      password: passwordOf(name),
      tags: "",
    }));
    const permissions = rabbitMqUsers.map((user) => {
      const { configure, write, read } = given[user] ?? everything;
      return { user, vhost: "/", configure, write, read };
    });
    const definitions = { users, vhosts: [{ name: "/" }], permissions };
    const definitionsPath = join(this.folder, "definitions.json");
    writeFileSync(definitionsPath, JSON.stringify(definitions));
    const lines = [
      `listeners.tcp.1 = 127.0.0.1:${this.#ports.amqp}`,
      `load_definitions = ${definitionsPath}`,
      "log.console = true",
      "log.console.level = info",
      "log.file = false",
      "disk_free_limit.absolute = 50MB",
      ...(tls === undefined ? [] : this.#tlsLines(tls)),
    ];
    writeFileSync(join(this.folder, "rabbitmq.conf"), `${lines.join("\n")}\n`);
    writeFileSync(join(this.folder, "enabled_plugins"), "[].\n");
  }

  #tlsLines({ ca, certificate, key }: NonNullable<RabbitMqOptions["tls"]>): readonly string[] {
    return [
      `listeners.ssl.1 = 127.0.0.1:${this.#ports.tls}`,
      `ssl_options.cacertfile = ${ca}`,
      `ssl_options.certfile = ${certificate}`,
      `ssl_options.keyfile = ${key}`,
      "ssl_options.verify = verify_peer",
      "ssl_options.fail_if_no_peer_cert = true",
    ];
  }

  async #launch(command: string, args: readonly string[]): Promise<Guarded> {
    const { folder } = this;
    const owner = accountWithoutRights();
    const outputFd = openSync(this.#logPath, "a");
    try {
      if (owner !== undefined) own(folder, owner);
      const env = { ...process.env, ...this.#environment() };
      return await startGuarded({ command, args, cwd: folder, folder, outputFd, env, ...owner });
    } finally {
      closeSync(outputFd);
    }
  }

  #environment(): Readonly<Record<string, string>> {
    const { folder } = this;
    const { epmd, nodes } = this.#ports;
    return {
      HOME: folder,
      PATH: ["/usr/bin", "/bin", process.env["PATH"] ?? ""].join(delimiter),
      ERL_EPMD_PORT: String(epmd),
      ERL_EPMD_ADDRESS: "127.0.0.1",
      // The process that is started is then the broker itself.
      RUNNING_UNDER_SYSTEMD: "true",
      RABBITMQ_NODENAME: `setpoint-${epmd}@localhost`,
      RABBITMQ_DIST_PORT: String(nodes),
      RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
      RABBITMQ_CONF_ENV_FILE: join(folder, "no-such-file"),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "enabled_plugins"),
      RABBITMQ_MNESIA_BASE: join(folder, "data"),
      RABBITMQ_LOG_BASE: join(folder, "log"),
      RABBITMQ_PID_FILE: join(folder, "pid"),
      RABBITMQ_GENERATED_CONFIG_DIR: join(folder, "generated"),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+S 2:2 +sbwt none",
    };
  }
}

function startsIn(log: string): number {
  return log.split("Server startup complete").length - 1;
}
