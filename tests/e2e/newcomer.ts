// Somebody at a few terminals who types a page from its first line to its last, in a home folder of
// their own. Exports and the current folder stay from one command to the next, as they do in one
// terminal; what stays running has a terminal of its own, and the number 4242 in a page is the
// process that was started there last.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "../peers/child.ts";
import { startGuarded } from "../peers/guarded.ts";
import { waitUntil } from "../peers/wait.ts";
import { firstDifference } from "./page.ts";
import type { Step, Typed } from "./page.ts";

interface Terminal {
  readonly step: Typed;
  readonly program: Program;
}

/** How long a newcomer waits for anything. */
const patienceMs = 120_000;

export async function newcomer(env: Readonly<Record<string, string>> = {}): Promise<Newcomer> {
  const home = await mkdtemp(join(tmpdir(), "setpoint-newcomer-"));
  // At a terminal, curl does not tell of its progress in what it prints.
  await writeFile(join(home, ".curlrc"), "silent\nshow-error\n");
  return new Newcomer(home, env);
}

/** For programs of a page whose ports are part of the page. */
export async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.listen(0, "127.0.0.1", () => {
    const { port } = probe.address() as AddressInfo;
    probe.close(() => resolve(port));
  });
  return await promise;
}

/** The page with other ports, none of which is taken for a part of another number. */
export function withPorts(page: string, ports: Readonly<Record<string, number>>): string {
  return page.replaceAll(/\b\d+\b/g, (number) => String(ports[number] ?? number));
}

export class Newcomer implements AsyncDisposable {
  readonly home: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #terminals: Terminal[] = [];
  /** Commands whose effect lasts for as long as the terminal is open. */
  readonly #lasting: string[] = [];
  #folder = ".";

  constructor(home: string, env: Readonly<Record<string, string>>) {
    this.home = home;
    this.#env = { ...process.env, NODE_TEST_CONTEXT: undefined, HOME: home, ...env };
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#take(step);
    for (const { step, program } of this.#terminals) {
      if (step.kind === "stays") await this.#untilPrinted(step, program);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { program } of this.#terminals) await program[Symbol.asyncDispose]();
    await rm(this.home, { recursive: true, force: true });
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case "write":
        await mkdir(join(this.home, this.#folder), { recursive: true });
        return await writeFile(join(this.home, this.#folder, step.file), step.text);
      case "stop":
        return await this.#pressCtrlC(step.command);
      case "run":
        return this.#check(step, await this.#run(step.command));
      case "soon":
        return await this.#runUntilPrinted(step);
      default:
        return await this.#open(step);
    }
  }

  async #run(typed: string): Promise<string> {
    // Short commands need no watchdog: they end by themselves, or here with all they began.
    const options = { env: this.#env, cwd: this.home, detached: true };
    const child = spawn("sh", ["-c", this.#script(typed)], options);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    child.stdin.end();
    const impatience = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), patienceMs);
    await once(child, "close");
    clearTimeout(impatience);
    if (/^(export|cd) /.test(typed)) this.#lasting.push(typed);
    const [, folder] = /^cd (\S+)$/.exec(typed) ?? [];
    if (folder !== undefined) this.#folder = join(this.#folder, folder);
    return output;
  }

  async #runUntilPrinted(step: Typed): Promise<void> {
    let output = "";
    const isPrinted = async (): Promise<boolean> => {
      output = await this.#run(step.command);
      return firstDifference(this.#promises(step), output) === undefined;
    };
    await waitUntil(step.command, isPrinted, { limitMs: patienceMs }).catch(() => {
      this.#check(step, output);
    });
  }

  async #open(step: Typed): Promise<void> {
    const args = ["-c", this.#script(`exec ${step.command}`)];
    const task = { command: "sh", args, cwd: this.home, env: this.#env };
    const program = new Program(step.command, await startGuarded(task));
    this.#terminals.push({ step, program });
    // The first line is the header of a table; what follows it later is checked in the end.
    const isTable = step.kind === "stays";
    const first = isTable ? ["...", ...step.printed.slice(1, 2)] : step.printed;
    await this.#untilPrinted({ ...step, printed: first }, program);
  }

  async #untilPrinted(step: Typed, program: Program): Promise<void> {
    const output = (): string => program.stdout() + program.stderr();
    const begun = { ...step, printed: [...step.printed, "..."] };
    const promises = this.#promises(begun);
    const isPrinted = (): boolean => firstDifference(promises, output()) === undefined;
    await waitUntil(step.command, isPrinted, { limitMs: patienceMs }).catch(() => {
      this.#check(begun, output());
    });
  }

  async #pressCtrlC(command: string): Promise<void> {
    const at = this.#terminals.findLastIndex(({ step }) => step.command === command);
    const [terminal] = at < 0 ? [] : this.#terminals.splice(at, 1);
    assert.ok(terminal, `no terminal runs ${command}`);
    terminal.program.signal("SIGINT");
    await terminal.program.waitForExit({ limitMs: patienceMs });
  }

  #script(typed: string): string {
    return [...this.#lasting, this.#withProcess(typed)].join("\n");
  }

  #check(step: Typed, output: string): void {
    const difference = firstDifference(this.#promises(step), output);
    assert.equal(difference, undefined, `\n$ ${step.command}\nprinted:\n${output}`);
  }

  #promises({ printed }: Typed): readonly string[] {
    return printed.map((line) => this.#withProcess(line));
  }

  #withProcess(text: string): string {
    // Not in the middle of a port that happens to have these digits.
    return text.replaceAll(/\b4242\b/g, String(this.#terminals.at(-1)?.program.pid));
  }
}
