// A real server as a child process: started on a data folder (a fresh one unless told), stopped,
// crashed and started again on the same address, so that clients find it where it was.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import type { RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startProgram } from "./child.ts";
import type { Program } from "./child.ts";
import { serverFlags } from "./server-flags.ts";

export interface SetpointOptions {
  /** Another copy of src/cli/main.ts, relative to the root of the repository. */
  readonly program?: string;
  /** The data folder; one that is removed at the end when left out. */
  readonly data?: string;
  /** Where the server keeps its files, if that is not the data folder itself. */
  readonly readFrom?: string;
  /** Address of a PostgreSQL; the embedded store when left out. */
  readonly store?: string;
  /** Shared by servers of one PostgreSQL. */
  readonly keys?: string;
  /** More options of the command line. */
  readonly args?: readonly string[];
  /** Added to the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long to wait for the answer; for ever when left out. */
  readonly limitMs?: number;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
  };
}

/** A watch that is open; `events` grows as they come. */
export interface OpenWatch extends Disposable {
  readonly events: readonly WatchEvent[];
}

export async function startSetpoint(options: SetpointOptions = {}): Promise<Setpoint> {
  const isOwn = options.data === undefined;
  const folder = options.data ?? (await mkdtemp(join(tmpdir(), "setpoint-served-")));
  const server = new Setpoint(folder, options, isOwn);
  try {
    await server.start();
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

export class Setpoint implements AsyncDisposable {
  readonly folder: string;
  readonly #options: SetpointOptions;
  readonly #isOwn: boolean;
  #program: Program | undefined;
  #address = "127.0.0.1:0";

  constructor(folder: string, options: SetpointOptions, isOwn: boolean) {
    this.folder = folder;
    this.#options = options;
    this.#isOwn = isOwn;
  }

  get #files(): string {
    return this.#options.readFrom ?? this.folder;
  }

  get url(): string {
    return `https://${this.#address}`;
  }

  get kubeconfig(): string {
    return join(this.#files, "kubeconfig");
  }

  get token(): string {
    return readFileSync(join(this.#files, "admin.token"), "utf8").trim();
  }

  get ca(): string {
    return readFileSync(join(this.#files, "ca.crt"), "utf8");
  }

  get pid(): number | undefined {
    return this.#program?.pid;
  }

  /** What the running program has printed. */
  log(): string {
    return `${this.#program?.stdout()}${this.#program?.stderr()}`;
  }

  /** On the same data, and on the same address once there is one; returns when it is ready. */
  async start(more: readonly string[] = this.#options.args ?? []): Promise<void> {
    const { store, keys, env = {}, program = "src/cli/main.ts" } = this.#options;
    const args = ["serve", "--listen", this.#address, "--data", this.folder];
    if (store !== undefined) args.push("--store", store);
    if (keys !== undefined) args.push("--keys", keys);
    args.push(...more);
    const options = { args, nodeArgs: serverFlags, env };
    this.#program = await startProgram(program, options);
    const ready = await this.#program.waitForLine(/ready on https:\/\/(\S+)$/, {
      limitMs: 120_000,
    });
    this.#address = ready[1] ?? this.#address;
  }

  /** Asks the server to end, and returns its exit code. */
  async stop(): Promise<number | null> {
    this.#program?.signal("SIGTERM");
    const exit = await this.#program?.waitForExit({ limitMs: 120_000 });
    return exit?.code ?? null;
  }

  /** Ends the server with no chance to write anything more. */
  async kill9(): Promise<void> {
    await this.#program?.kill9();
  }

  /** The server does nothing at all until it is resumed, and does not know it afterwards. */
  pause(): void {
    this.#program?.signal("SIGSTOP");
  }

  resume(): void {
    this.#program?.signal("SIGCONT");
  }

  /** One request as the administrator. */
  async ask(path: string, given: Ask = {}): Promise<Answer> {
    const { method = "GET", body, headers = {}, limitMs } = given;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent =
      body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    // Node.js does not tell the length of a DELETE's body by itself.
    const length = { "content-length": String(sent?.length ?? 0) };
    const options = this.requestOptions({ ...length, ...headers });
    const signal = limitMs === undefined ? {} : { signal: AbortSignal.timeout(limitMs) };
    const asked = request(`${this.url}${path}`, { ...options, ...signal, method });
    asked.once("error", reject);
    asked.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks) });
      });
    });
    asked.end(sent);
    return await promise;
  }

  /** Opens a watch; it is on when this returns. */
  async watch(path: string): Promise<OpenWatch> {
    const { promise, resolve, reject } = Promise.withResolvers<OpenWatch>();
    const events: WatchEvent[] = [];
    const asked = request(`${this.url}${path}`, this.requestOptions());
    asked.once("error", reject);
    asked.once("response", (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      const lines = createInterface(response);
      lines.on("line", (line) => events.push(JSON.parse(line) as WatchEvent));
      lines.on("error", () => undefined); // The server may end at any time: what came has come.
      resolve({ events, [Symbol.dispose]: () => asked.destroy() });
    });
    asked.end();
    return await promise;
  }

  /** What a request needs to be trusted and to trust. */
  requestOptions(headers: Readonly<Record<string, string>> = {}): RequestOptions {
    const always = { "content-type": "application/json", accept: "application/json" };
    const authorization = `Bearer ${this.token}`;
    return { ca: this.ca, headers: { authorization, ...always, ...headers } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill9();
    if (this.#isOwn) await rm(this.folder, { recursive: true, force: true });
  }
}
