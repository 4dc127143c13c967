// Runs one of our own programs as a child process under the Node.js that runs the tests, for tests
// about what crosses a process: output, signals, crashes and exit codes.
import { join } from "node:path";
import { root } from "../../tools/stages.ts";
import { startGuarded } from "./guarded.ts";
import type { Exit, Guarded } from "./guarded.ts";
import { killTree } from "./process-tree.ts";
import { within } from "./wait.ts";
import type { Limit } from "./wait.ts";

export interface ProgramOptions {
  readonly args?: readonly string[];
  /** Added to the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Flags for Node.js itself. */
  readonly nodeArgs?: readonly string[];
}

/** `file` is a .ts file, relative to the root of the repository. */
export async function startProgram(file: string, options: ProgramOptions = {}): Promise<Program> {
  const { args = [], env = {}, cwd = root, nodeArgs = [] } = options;
  const guarded = await startGuarded({
    command: process.execPath,
    args: [...nodeArgs, join(root, file), ...args],
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
  });
  return new Program(file, guarded);
}

export class Program implements AsyncDisposable {
  readonly pid: number;
  readonly #file: string;
  readonly #exited: Promise<Exit>;
  readonly #output = { stdout: "", stderr: "" };
  readonly #listeners = new Set<() => void>();
  #hasExited = false;

  constructor(file: string, guarded: Guarded) {
    this.pid = guarded.pid;
    this.#file = file;
    this.#exited = this.#follow(guarded);
  }

  /** The same as waitForExit, for as long as it takes. */
  get exited(): Promise<Exit> {
    return this.waitForExit({ limitMs: 2 ** 31 - 1 });
  }

  stdout(): string {
    return this.#output.stdout;
  }

  stderr(): string {
    return this.#output.stderr;
  }

  /** The first line of either output that matches, whether it has come already or is to come. */
  async waitForLine(pattern: RegExp, limit?: Limit): Promise<RegExpExecArray> {
    const what = `a line like ${String(pattern)}`;
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      const line = this.#firstLine(pattern);
      if (line !== undefined) resolve(line);
      else if (this.#hasExited) reject(this.#failure(`${this.#file} ended without ${what}`));
    };
    this.#listeners.add(look);
    look();
    try {
      return await this.#within(what, promise, limit);
    } finally {
      this.#listeners.delete(look);
    }
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
  }

  /** Ends the program and all it started, as a crash would. */
  async kill9(): Promise<Exit> {
    if (!this.#hasExited) await killTree(this.pid);
    return await this.waitForExit();
  }

  /** The program has ended and all of its output has arrived. */
  async waitForExit(limit?: Limit): Promise<Exit> {
    return await this.#within("the end", this.#exited, limit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill9();
  }

  async #follow(guarded: Guarded): Promise<Exit> {
    const drained = (["stdout", "stderr"] as const).map(async (name) => {
      for await (const chunk of guarded[name]?.setEncoding("utf8") ?? []) {
        this.#output[name] += String(chunk);
        this.#tell();
      }
    });
    const exit = await guarded.exited;
    await Promise.all(drained);
    this.#hasExited = true;
    this.#tell();
    return exit;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #firstLine(pattern: RegExp): RegExpExecArray | undefined {
    for (const text of [this.#output.stdout, this.#output.stderr]) {
      for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
        const match = pattern.exec(line);
        if (match !== null) return match;
      }
    }
    return undefined;
  }

  async #within<T>(what: string, answer: Promise<T>, limit?: Limit): Promise<T> {
    return await within(`${what} of ${this.#file}`, answer, {
      ...limit,
      explain: () => this.#printed(),
    });
  }

  #failure(message: string): Error {
    return new Error(`${message}\n${this.#printed()}`);
  }

  #printed(): string {
    return `stdout:\n${this.#output.stdout}\nstderr:\n${this.#output.stderr}`;
  }
}
