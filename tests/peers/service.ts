// A real service that nobody here wrote, as a child process with an HTTP port on the loopback
// address and its data in a folder that goes away with it. It can be stopped, crashed and started
// again on the same data, runs as an account without rights when the tests run as root, and does
// not outlive the test process (see watchdog.ts).
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGuarded } from "./guarded.ts";
import type { Guarded } from "./guarded.ts";
import { killTree } from "./process-tree.ts";
import { waitUntil, within } from "./wait.ts";

const limitMs = 120_000;

export interface ServiceOptions {
  readonly name: string;
  readonly command: string;
  /** Of the command, for an HTTP port and a folder that belongs to the service. */
  readonly args: (place: Place) => readonly string[];
  /** Puts into the folder what the service needs before its first start. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** A path that is answered with 200 as soon as the service is there. */
  readonly readyPath: string;
  /** It is a program of this repository, which another account may not be able to read. */
  readonly isOurs?: boolean;
  /** In addition to the environment of the tests. */
  readonly env?: (folder: string) => Readonly<Record<string, string>>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Place {
  readonly folder: string;
  readonly port: number;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
  /** The body read as JSON; undefined when it is not. */
  readonly json: unknown;
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-service-"));
  const service = new Service(folder, options);
  try {
    await options.prepare?.(folder);
    await service.start();
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
  return service;
}

export class Service implements AsyncDisposable {
  readonly folder: string;
  readonly #options: ServiceOptions;
  #port = 0;
  #process: Guarded | undefined;

  constructor(folder: string, options: ServiceOptions) {
    this.folder = folder;
    this.#options = options;
  }

  /** Without a path; another one after a start that found its port taken. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** What the service has printed so far, in all its lives. */
  log(): string {
    return readFileSync(this.#logPath, "utf8");
  }

  /** One request past every proxy; an object goes out as JSON. */
  async ask(method: string, path: string, body?: unknown): Promise<ServiceAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...this.#options.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await response.text();
    return { status: response.status, text, json: jsonOf(text) };
  }

  /** On the same data, and on the same port unless somebody took it; returns when it answers. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (this.#port === 0) this.#port = await freePort();
      this.#process = await this.#launch();
      try {
        return await this.#ready(this.#process);
      } catch (error) {
        if (attempt === 3) throw error;
        await this.kill9();
        this.#port = 0;
      }
    }
  }

  /** Asks the service to end, and waits for it. */
  async stop(): Promise<void> {
    if (this.#process === undefined) return;
    process.kill(this.#process.pid, "SIGTERM");
    await this.#ended(this.#process);
  }

  async kill9(): Promise<void> {
    if (this.#process === undefined) return;
    await killTree(this.#process.pid);
    await this.#ended(this.#process);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill9();
    await rm(this.folder, { recursive: true, force: true });
  }

  get #logPath(): string {
    return join(this.folder, "service.log");
  }

  async #ended(running: Guarded): Promise<void> {
    await within(`${this.#options.name} to end`, running.exited, { limitMs });
    this.#process = undefined;
  }

  async #launch(): Promise<Guarded> {
    const { command, args, isOurs = false, env } = this.#options;
    const { folder } = this;
    const owner = isOurs ? undefined : accountWithoutRights();
    const outputFd = openSync(this.#logPath, "a");
    try {
      if (owner !== undefined) own(folder, owner);
      const given = args({ folder, port: this.#port });
      const task = { command, args: given, cwd: folder, folder, outputFd, ...owner };
      const environment = { ...process.env, ...env?.(folder) };
      return await startGuarded({ ...task, env: environment });
    } finally {
      closeSync(outputFd);
    }
  }

  async #ready(running: Guarded): Promise<void> {
    const { name, readyPath } = this.#options;
    let hasExited = false;
    void running.exited.then(() => (hasExited = true));
    const attempt = async (): Promise<boolean> => {
      if (hasExited) throw new Error(`${name} did not start:\n${this.log()}`);
      return await this.ask("GET", readyPath).then(
        ({ status }) => status === 200,
        () => false,
      );
    };
    await waitUntil(`${name} to answer`, attempt, { limitMs });
  }
}

export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.once("error", reject);
  probe.listen(0, "127.0.0.1", () => {
    const { port } = probe.address() as AddressInfo;
    probe.close(() => resolve(port));
  });
  return await promise;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export function accountWithoutRights(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) throw new Error("there is no account called nobody");
  return { uid: Number(uid), gid: Number(gid) };
}

export function own(folder: string, { uid, gid }: Owner): void {
  const ran = spawnSync("chown", ["-R", `${uid}:${gid}`, folder], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`chown failed: ${ran.stderr}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
