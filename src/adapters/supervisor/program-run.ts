// One program below a supervisor. The program is the leader of a process group of its own. Its
// output goes to files, so that it never waits for a reader and survives every process but itself.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import { endFile, programFile, writeControl } from "./control-files.ts";
import { outputFile } from "./port.ts";
import type { EndReason, SupervisedEnd, SupervisedProgram } from "./port.ts";
import { isProgramAlive, isSignalled, killProgram } from "./process-facts.ts";
import { startOf, startOfNew } from "./process-facts.ts";
import type { ProcessIdentity } from "./process-facts.ts";

export interface ProgramRun {
  /** Resolves after the end is in its file and no process of the group is left. */
  readonly ended: Promise<void>;
  end(reason: EndReason, how: "graceful" | "force"): void;
}

/** Begins when its process id is in a file: see `programFile`. */
const gate = 'IFS= read -r go <&3 || exit 125; exec 3<&-; unset PWD OLDPWD SHLVL _ go; exec "$@"';

export function runProgram(
  control: string,
  request: SupervisedProgram,
  timers: Timers,
): ProgramRun {
  const { id, program, args, env, folder, stdin, user } = request;
  const runAs = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const files = (["stdout", "stderr"] as const).map((stream) =>
    openSync(join(control, outputFile(id, stream)), "a", 0o600),
  );
  const [out = 1, err = 2] = files;
  const child = spawn("/bin/sh", ["-c", gate, "sh", program, ...args], {
    cwd: folder,
    env,
    detached: true,
    stdio: [stdin === undefined ? "ignore" : "pipe", out, err, "pipe"],
    ...runAs,
  });
  const run = new Ladder(child, request, timers);
  const sizes = (): number => files.reduce((sum, file) => sum + fstatSync(file).size, 0);
  const ended = follow(child, { control, request, run, timers, sizes }).finally(() => {
    for (const file of files) closeSync(file);
  });
  return { ended, end: (reason, how) => run.end(reason, how) };
}

interface Followed {
  readonly control: string;
  readonly request: SupervisedProgram;
  readonly run: Ladder;
  readonly timers: Timers;
  readonly sizes: () => number;
}

async function follow(child: ChildProcess, followed: Followed): Promise<void> {
  const { control, request, run, sizes } = followed;
  const exit = Promise.withResolvers<Omit<SupervisedEnd, "reason">>();
  child.once("error", () => {
    run.reason ??= "notStarted";
    exit.resolve({ code: null, signal: null });
  });
  child.once("exit", (code, signal) => exit.resolve({ code, signal }));
  const { pid } = child;
  if (pid !== undefined) {
    const start = startOfNew(pid) ?? (await startOf(pid)) ?? "";
    const { uid = 0, gid = 0, isOwn = false } = request.user ?? {};
    const identity = { pid, start, ...(isOwn ? { ownUser: { uid, gid } } : {}) };
    writeControl(control, programFile, identity);
    begin(child, request.stdin);
    run.started(identity);
  }
  const watch = new AbortController();
  const watched = watchOutput(followed, sizes, watch.signal);
  const end = await exit.promise;
  watch.abort();
  await watched;
  await run.finish();
  writeControl(control, endFile(request.id), { reason: run.reason ?? "exited", ...end });
}

function begin(child: ChildProcess, stdin: string | undefined): void {
  const pipe = child.stdio[3];
  if (pipe !== null && pipe !== undefined && "end" in pipe) {
    pipe.on("error", () => undefined);
    pipe.end("go\n");
  }
  // A program need not read its input.
  child.stdin?.on("error", () => undefined);
  if (stdin !== undefined) child.stdin?.end(stdin);
}

async function watchOutput(
  { request, run, timers }: Followed,
  sizes: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (sizes() > request.maxOutputBytes) run.end("outputLimit", "force");
    await timers.sleep(limits.programOutputCheckMs, signal).catch(() => undefined);
  }
}

/** Signals of increasing force. The first reason to end a program is the result. */
class Ladder {
  reason: EndReason | undefined;
  readonly #child: ChildProcess;
  readonly #request: SupervisedProgram;
  readonly #timers: Timers;
  readonly #steps: (() => void)[] = [];
  #isForced = false;
  #program: ProcessIdentity | undefined;

  constructor(child: ChildProcess, request: SupervisedProgram, timers: Timers) {
    this.#child = child;
    this.#request = request;
    this.#timers = timers;
  }

  started(program: ProcessIdentity): void {
    this.#program = program;
    this.#after(this.#request.timeoutMs, () => this.end("timedOut", "graceful"));
  }

  end(reason: EndReason, how: "graceful" | "force"): void {
    const isFirst = this.reason === undefined;
    this.reason ??= reason;
    if (isFirst) this.#signal("SIGINT");
    if (how === "force" && !this.#isForced) {
      this.#isForced = true;
      this.#after(limits.programForceMs, () => this.#killGroup());
      return;
    }
    if (!isFirst) return;
    this.#after(this.#request.graceMs, () => {
      this.#signal("SIGINT");
      this.#after(limits.programSecondGraceMs, () => this.#killGroup());
    });
  }

  /** Descendants that outlive the program are ended too. */
  async finish(): Promise<void> {
    for (const cancel of this.#steps) cancel();
    if (this.#program === undefined) return;
    while (await isProgramAlive(this.#program)) {
      await killProgram(this.#program);
      await this.#timers.sleep(limits.programOutputCheckMs);
    }
  }

  #after(ms: number, run: () => void): void {
    this.#steps.push(this.#timers.after(ms, run));
  }

  /** To the program alone: Terraform ends its own children in order. */
  #signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
    this.#child.kill("SIGCONT");
  }

  #killGroup(): void {
    if (this.#child.pid !== undefined) isSignalled(-this.#child.pid, "SIGKILL");
  }
}
