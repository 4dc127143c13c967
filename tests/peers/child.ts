// Runs one of our own programs as a child process under the Node.js that runs the tests, for tests
// about what crosses a process: output, signals, crashes and exit codes.
import { root } from "../../tools/stages.ts";
import { startGuarded } from "./guarded.ts";
import type { Exit } from "./guarded.ts";
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

export interface Program extends AsyncDisposable {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** The first line of either output that matches, whether it has come already or is to come. */
  waitForLine(pattern: RegExp, limit?: Limit): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  /** Ends the program and all it started, as a crash would. */
  kill9(): Promise<Exit>;
  /** The program has ended and all of its output has arrived. */
  waitForExit(limit?: Limit): Promise<Exit>;
}

/** `file` is a .ts file, relative to the root of the repository. */
export async function startProgram(file: string, options: ProgramOptions = {}): Promise<Program> {
  const { args = [], env = {}, cwd = root, nodeArgs = [] } = options;
  const guarded = await startGuarded({
    command: process.execPath,
    args: [...nodeArgs, new URL(file, `file://${root}/`).pathname, ...args],
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
  });
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const drained = (["stdout", "stderr"] as const).map(async (name) => {
    for await (const chunk of guarded[name]?.setEncoding("utf8") ?? []) {
      output[name] += String(chunk);
      changed();
    }
  });
  const exited = (async () => {
    const exit = await guarded.exited;
    await Promise.all(drained);
    return exit;
  })();
  const report = (): string => `stdout:\n${output.stdout}\nstderr:\n${output.stderr}`;

  const limited = async <T>(what: string, answer: Promise<T>, limit?: Limit): Promise<T> => {
    try {
      return await within(`${what} of ${file}`, answer, limit);
    } catch (error) {
      throw new Error(`${String(error)}\n${report()}`, { cause: error });
    }
  };
  const findLine = async (pattern: RegExp): Promise<RegExpExecArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      for (const text of [output.stdout, output.stderr]) {
        for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
          const match = pattern.exec(line);
          if (match !== null) return resolve(match);
        }
      }
    };
    listeners.add(look);
    look();
    const ended = exited.then(() =>
      reject(new Error(`${file} ended without a line like ${String(pattern)}\n${report()}`)),
    );
    try {
      return await promise;
    } finally {
      listeners.delete(look);
      void ended;
    }
  };

  let hasExited = false;
  void exited.then(() => (hasExited = true));
  const kill9 = async (): Promise<Exit> => {
    if (!hasExited) await killTree(guarded.pid);
    return await limited("the end", exited);
  };
  return {
    pid: guarded.pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    waitForLine: async (pattern, limit) =>
      await limited(`a line like ${String(pattern)}`, findLine(pattern), limit),
    signal: (name) => void process.kill(guarded.pid, name),
    kill9,
    waitForExit: async (limit) => await limited("the end", exited, limit),
    [Symbol.asyncDispose]: async () => void (await kill9()),
  };
}
