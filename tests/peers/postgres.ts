// A real PostgreSQL on a free loopback port, with its data in a folder that goes away with it.
// fsync stays on: the tests that crash it are about what survives. Creating a cluster takes more
// than a second, so a fresh one is kept in .cache/ and copied; each test gets a database copied
// from a template. No server outlives the test process (see watchdog.ts).
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { access, chown, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Client } from "pg";
import { findPostgres } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { startGuarded } from "./guarded.ts";
import type { Guarded } from "./guarded.ts";
import { killTree, pauseTree, resumeTree } from "./process-tree.ts";
import { waitUntil, within } from "./wait.ts";

const template = "setpoint_template";
const startLimitMs = 60_000;
const stopLimitMs = 60_000;

export interface PostgresOptions {
  /** Server settings on top of the defaults below. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Fills the template that every created database is a copy of. */
  readonly prepareTemplate?: (url: string) => Promise<void>;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error("no PostgreSQL here: run `npm run peers`");
  const owner = unprivilegedOwner();
  const folder = await mkdtemp(join(tmpdir(), "setpoint-postgres-"));
  await copyCluster(await cachedCluster(bin, owner), join(folder, "data"));
  own(folder, owner);
  const server = new Postgres({ bin, folder, owner, settings: options.settings ?? {} });
  try {
    await server.start();
    await options.prepareTemplate?.(server.url(template));
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

interface Place {
  readonly bin: string;
  readonly folder: string;
  readonly owner: Owner | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

export class Postgres implements AsyncDisposable {
  readonly #place: Place;
  #port = 0;
  #process: Guarded | undefined;
  #databases = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  url(database = "postgres"): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  get port(): number {
    return this.#port;
  }

  get folder(): string {
    return this.#place.folder;
  }

  /** The process id of the postmaster while it runs. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** What the server has logged so far, in all its lives. */
  log(): string {
    return readFileSync(this.#logPath, "utf8");
  }

  /** Copies the template and returns the name of the copy. */
  async createDatabase(): Promise<string> {
    const name = `test_${process.pid}_${++this.#databases}`;
    await this.#administer(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return name;
  }

  async dropDatabase(name: string): Promise<void> {
    await this.#administer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  }

  /** On the same data, and on the same port once there is one; returns when it answers. */
  async start(): Promise<void> {
    const wantsPort = this.#port === 0;
    for (let attempt = 1; ; attempt++) {
      if (wantsPort) this.#port = await freePort();
      this.#process = await this.#launch();
      try {
        return await this.#ready(this.#process);
      } catch (error) {
        // Another process may have taken the port between the finding and the starting.
        const wasTaken = this.log().includes("Address already in use");
        if (!wantsPort || !wasTaken || attempt === 3) throw error;
      }
    }
  }

  /** `fast` ends sessions and writes a checkpoint; `immediate` leaves that to the next start. */
  async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    const server = this.#process;
    if (server === undefined) return;
    resumeTree(server.pid);
    process.kill(server.pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
    await within("PostgreSQL to end", server.exited, { limitMs: stopLimitMs });
    this.#process = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Loss of power for the server: its every process ends at once, with no chance to write. */
  async kill9(): Promise<void> {
    const server = this.#process;
    if (server === undefined) return;
    await killTree(server.pid);
    await within("PostgreSQL to end", server.exited, { limitMs: stopLimitMs });
    this.#process = undefined;
  }

  /** The server neither answers nor refuses, as behind a network that drops everything. */
  pause(): void {
    if (this.#process !== undefined) pauseTree(this.#process.pid);
  }

  resume(): void {
    if (this.#process !== undefined) resumeTree(this.#process.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill9();
    await rm(this.#place.folder, { recursive: true, force: true });
  }

  get #logPath(): string {
    return join(this.#place.folder, "server.log");
  }

  async #launch(): Promise<Guarded> {
    const { bin, folder, owner, settings } = this.#place;
    const all = {
      port: String(this.#port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: folder,
      shared_buffers: "128MB",
      max_connections: "200",
      logging_collector: "off",
      ...settings,
    };
    const outputFd = openSync(this.#logPath, "a");
    try {
      return await startGuarded({
        command: join(bin, "postgres"),
        args: [
          "-D",
          join(folder, "data"),
          ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
        ],
        cwd: folder,
        folder,
        outputFd,
        ...owner,
      });
    } finally {
      closeSync(outputFd);
    }
  }

  async #ready(server: Guarded): Promise<void> {
    let hasExited = false;
    void server.exited.then(() => (hasExited = true));
    const attempt = async (): Promise<boolean> => {
      if (hasExited) throw new Error(`PostgreSQL did not start:\n${this.log()}`);
      return await this.#administer("SELECT 1").then(
        () => true,
        () => false,
      );
    };
    await waitUntil("PostgreSQL to answer", attempt, { limitMs: startLimitMs });
  }

  async #administer(statement: string): Promise<void> {
    const adminClient = new Client({ connectionString: this.url() });
    adminClient.on("error", () => undefined); // The query below fails too, and is not ignored.
    try {
      await adminClient.connect();
      await adminClient.query(statement);
    } finally {
      await adminClient.end();
    }
  }
}

/** PostgreSQL refuses to run as root: the account of its package, or else nobody's. */
function unprivilegedOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("running as root, and there is neither a postgres nor a nobody account");
}

/** A freshly made cluster to copy from: one for each PostgreSQL seen. */
async function cachedCluster(bin: string, owner: Owner | undefined): Promise<string> {
  const version = run(join(bin, "postgres"), ["--version"])
    .trim()
    .replaceAll(/[^\w.]+/g, "-");
  const cached = join(root, ".cache", `cluster-1-${version}`);
  if (await exists(cached)) return cached;
  const folder = await mkdtemp(join(tmpdir(), "setpoint-initdb-"));
  try {
    if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
    const data = join(folder, "data");
    const options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"];
    run(join(bin, "initdb"), ["-D", data, ...options, "--no-sync"], owner, folder);
    createTemplate(bin, data, owner);
    const draft = join(root, ".cache", basename(folder));
    await mkdir(join(root, ".cache"), { recursive: true });
    await copyCluster(data, draft);
    await rename(draft, cached).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true });
      if (!(await exists(cached))) throw error; // Another test process may have been faster.
    });
    return cached;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createTemplate(bin: string, data: string, owner: Owner | undefined): void {
  const statement = `CREATE DATABASE ${template};\n`;
  run(join(bin, "postgres"), ["--single", "-D", data, "postgres"], owner, data, statement);
}

async function copyCluster(from: string, to: string): Promise<void> {
  run("cp", ["-a", "--reflink=auto", from, to]);
  await access(join(to, "PG_VERSION"));
}

function own(folder: string, owner: Owner | undefined): void {
  if (owner !== undefined) run("chown", ["-R", `${owner.uid}:${owner.gid}`, folder]);
}

function run(
  command: string,
  args: readonly string[],
  owner?: Owner,
  cwd?: string,
  input = "",
): string {
  const ran = spawnSync(command, args, {
    encoding: "utf8",
    input,
    ...owner,
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (ran.status === 0) return ran.stdout;
  throw new Error(`${basename(command)} failed: ${ran.error?.message ?? ran.stdout + ran.stderr}`);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
  return await promise;
}
