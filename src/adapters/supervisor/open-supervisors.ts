// The server's side of supervisors: starts them, sends beats while this process is able to, and
// finds those of earlier servers on the machine.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseExact } from "../../kernel/int64.ts";
import { limits } from "../../kernel/limits.ts";
import { moduleBeside } from "../../kernel/module-beside.ts";
import type { Timers } from "../../kernel/timers.ts";
import { programFile, readEnd, readIdentity, supervisorFile } from "./control-files.ts";
import type { Order } from "./order.ts";
import type { SupervisedEnd, SupervisedProgram, Supervisor, Supervisors } from "./port.ts";
import { hostIdentity, isAlive, isProgramAlive, isSignalled } from "./process-facts.ts";
import { killProgram } from "./process-facts.ts";
import type { ProcessIdentity } from "./process-facts.ts";

export interface SupervisorsInput {
  readonly timers: Timers;
  /** Without an order for so long, a supervisor ends its program: see the lease of claims. */
  readonly beatMs: number;
}

const script = fileURLToPath(moduleBeside(import.meta.url, "supervisor"));

export async function openSupervisors({ timers, beatMs }: SupervisorsInput): Promise<Supervisors> {
  const host = await hostIdentity();
  const open = new Set<LiveSupervisor>();
  return {
    host,
    find: findExecutable,
    start: async (folder) => {
      const supervisor = await LiveSupervisor.start(folder, timers, beatMs);
      open.add(supervisor);
      supervisor.onExit(() => open.delete(supervisor));
      return supervisor;
    },
    isRunning: isFolderRunning,
    end: (folder, graceMs) => endFolder(folder, graceMs, timers),
    endOf: async (folder, id) => readEnd(folder, id),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...open].map(async (supervisor) => await supervisor.close()));
    },
  };
}

const usualFolders = ["/usr/local/bin", "/usr/bin", "/bin"];

async function findExecutable(program: string): Promise<string | undefined> {
  const isPath = program.startsWith("/");
  for (const path of isPath ? [program] : usualFolders.map((folder) => join(folder, program))) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not there, or not executable.
    }
  }
  return undefined;
}

async function isFolderRunning(folder: string): Promise<boolean> {
  const supervisor = readIdentity(folder, supervisorFile);
  if (supervisor !== undefined && (await isAlive(supervisor))) return true;
  const program = readIdentity(folder, programFile);
  return program !== undefined && (await isProgramAlive(program));
}

/** The supervisor ends its program in order. Without one, this process does it. */
async function endFolder(folder: string, graceMs: number, timers: Timers): Promise<void> {
  const supervisor = readIdentity(folder, supervisorFile);
  if (supervisor !== undefined && (await isAlive(supervisor))) {
    isSignalled(supervisor.pid, "SIGTERM");
    isSignalled(supervisor.pid, "SIGCONT");
    const patienceMs = graceMs + limits.programSecondGraceMs + limits.programForceMs;
    if (!(await endedWithin(supervisor, patienceMs, timers))) {
      isSignalled(supervisor.pid, "SIGKILL");
    }
  }
  const program = readIdentity(folder, programFile);
  if (program === undefined || !(await isProgramAlive(program))) return;
  if (await isAlive(program)) {
    isSignalled(program.pid, "SIGINT");
    isSignalled(program.pid, "SIGCONT");
    await endedWithin(program, graceMs, timers);
  }
  while (await isProgramAlive(program)) {
    await killProgram(program);
    await timers.sleep(limits.supervisorPollMs);
  }
}

async function endedWithin(one: ProcessIdentity, ms: number, timers: Timers): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < ms; waitedMs += limits.supervisorPollMs) {
    if (!(await isAlive(one))) return true;
    await timers.sleep(limits.supervisorPollMs);
  }
  return !(await isAlive(one));
}

class LiveSupervisor implements Supervisor {
  readonly pid: number;
  readonly start: string;
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #timers: Timers;
  readonly #exited: Promise<void>;
  #stopBeats: () => void;
  #isDetached = false;
  #hasExited = false;

  private constructor(
    folder: string,
    child: ChildProcess,
    { pid, start }: ProcessIdentity,
    timers: Timers,
    beatMs: number,
  ) {
    this.pid = pid;
    this.start = start;
    this.#folder = folder;
    this.#child = child;
    this.#timers = timers;
    const exited = Promise.withResolvers<void>();
    this.#exited = exited.promise;
    child.once("exit", () => {
      this.#hasExited = true;
      this.#stopBeats();
      exited.resolve();
    });
    const beat = (): void => {
      this.#send({ kind: "beat" });
      this.#stopBeats = timers.after(Math.ceil(beatMs / 10), beat);
    };
    this.#stopBeats = () => undefined;
    beat();
  }

  static async start(folder: string, timers: Timers, beatMs: number): Promise<LiveSupervisor> {
    // Node.js prints warnings to stderr, which has no reader.
    const child = spawn(process.execPath, [script, folder, String(beatMs)], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const identity = Promise.withResolvers<ProcessIdentity>();
    const failed = (): void => {
      const message = "the supervisor of a program did not start";
      identity.reject(new Error(message));
    };
    child.once("error", failed);
    child.once("exit", failed);
    child.stdin.on("error", () => undefined);
    const lines = createInterface({ input: child.stdout });
    lines.once("line", (line) => identity.resolve(parseExact(line) as ProcessIdentity));
    return new LiveSupervisor(folder, child, await identity.promise, timers, beatMs);
  }

  onExit(run: () => void): void {
    void this.#exited.then(run);
  }

  async run(program: SupervisedProgram): Promise<SupervisedEnd> {
    this.#send({ kind: "run", program });
    for (;;) {
      const end = readEnd(this.#folder, program.id);
      if (end !== undefined) return end;
      if (this.#hasExited) break;
      await this.#timers.sleep(limits.supervisorPollMs);
    }
    // It was killed: its program has no parent that knows how it ends.
    await endFolder(this.#folder, program.graceMs, this.#timers);
    const last = readEnd(this.#folder, program.id);
    return last ?? { reason: "vanished", code: null, signal: null };
  }

  cancel(how: "graceful" | "force"): void {
    this.#send({ kind: "cancel", how });
  }

  async detach(untilMs: number): Promise<void> {
    this.#isDetached = true;
    this.#stopBeats();
    const sent = Promise.withResolvers<void>();
    this.#send({ kind: "detach", untilMs }, sent.resolve);
    await Promise.race([sent.promise, this.#exited]);
    this.#child.unref();
    this.#child.stdin?.end();
  }

  async close(): Promise<void> {
    this.#stopBeats();
    if (this.#isDetached) return;
    this.#child.stdin?.end();
    await this.#exited;
  }

  #send(order: Order, sent: () => void = () => undefined): void {
    if (this.#hasExited || this.#child.stdin?.writable !== true) return sent();
    this.#child.stdin.write(`${JSON.stringify(order)}\n`, () => sent());
  }
}
