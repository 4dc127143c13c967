// The real kubectl, run against a server: each copy of this has a home of its own, because kubectl
// caches there what it has discovered. Everything is bounded in time, and a failed expectation
// shows the command with all that it printed.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { findKubectl } from "../../tools/peers.ts";
import { waitUntil } from "./wait.ts";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Given on standard input: text as it is, anything else as JSON. */
  readonly input?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const limitMs = 120_000;

/** All that SETPOINT_KUBECTL lists, or else the one that was found. */
export function kubectlPaths(): readonly string[] {
  const listed = (process.env["SETPOINT_KUBECTL"] ?? "").split(delimiter).filter((p) => p !== "");
  if (listed.length > 0) return listed;
  const found = findKubectl();
  if (found === undefined) throw new Error("no kubectl here: run `npm run peers`");
  return [found];
}

/** The 32 of 1.32. */
export function kubectlMinor(path: string): number {
  const printed = spawnSync(path, ["version", "--client", "-o", "json"], { encoding: "utf8" });
  const minor = Number(/"minor": "(\d+)/.exec(printed.stdout)?.[1] ?? Number.NaN);
  assert.ok(Number.isInteger(minor), `${path} does not say its version: ${printed.stdout}`);
  return minor;
}

export async function openKubectl(path: string, kubeconfig: string): Promise<Kubectl> {
  const home = await mkdtemp(join(tmpdir(), "setpoint-kubectl-"));
  return new Kubectl({ path, kubeconfig, home });
}

export class Kubectl implements AsyncDisposable {
  readonly home: string;
  readonly #path: string;
  readonly #kubeconfig: string;

  constructor(place: { path: string; kubeconfig: string; home: string }) {
    this.home = place.home;
    this.#path = place.path;
    this.#kubeconfig = place.kubeconfig;
  }

  async run(args: readonly string[], { input, env = {}, cwd }: RunOptions = {}): Promise<Ran> {
    const child = spawn(this.#path, args, {
      env: { ...process.env, HOME: this.home, KUBECONFIG: this.#kubeconfig, ...env },
      ...(cwd === undefined ? {} : { cwd }),
      timeout: limitMs,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin.on("error", () => undefined); // It may end without reading: its code tells why.
    child.stdin.end(typeof input === "string" ? input : JSON.stringify(input ?? ""));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }

  /** What a command that succeeds prints. */
  async ok(args: readonly string[], options?: RunOptions): Promise<string> {
    const ran = await this.run(args, options);
    assert.equal(ran.code, 0, explain(args, ran));
    return ran.stdout;
  }

  /** What a command that fails complains about. */
  async refused(
    args: readonly string[],
    options?: RunOptions & { code?: number },
  ): Promise<string> {
    const ran = await this.run(args, options);
    assert.equal(ran.code, options?.code ?? 1, explain(args, ran));
    return ran.stderr;
  }

  /** A command that goes on, such as a watch, until it is disposed of. */
  follow(args: readonly string[]): Following {
    return new Following(args, this.#path, {
      ...process.env,
      HOME: this.home,
      KUBECONFIG: this.#kubeconfig,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}

export class Following implements AsyncDisposable {
  readonly #args: readonly string[];
  readonly #child;
  readonly #closed: Promise<unknown>;
  #stdout = "";
  #stderr = "";

  constructor(args: readonly string[], path: string, env: NodeJS.ProcessEnv) {
    this.#args = args;
    this.#child = spawn(path, args, { env, stdio: ["ignore", "pipe", "pipe"], timeout: limitMs });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    this.#closed = once(this.#child, "close");
  }

  get stdout(): string {
    return this.#stdout;
  }

  async waitFor(pattern: RegExp): Promise<string> {
    const seen = (): string | false => pattern.test(this.#stdout) && this.#stdout;
    return await waitUntil(String(pattern), seen, { limitMs: 120_000 }).catch((error: unknown) => {
      const ran = { code: this.#child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
      throw new Error(`${String(error)}\n${explain(this.#args, ran)}`);
    });
  }

  /** Waits until the command ends by itself. */
  async end(): Promise<Ran> {
    await this.#closed;
    return { code: this.#child.exitCode, stdout: this.#stdout, stderr: this.#stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }
}

function explain(args: readonly string[], { code, stdout, stderr }: Ran): string {
  return `kubectl ${args.join(" ")}: exit code ${code}\n${stdout}${stderr}`;
}
