// Supervisors with real programs. The server is a process of its own, so that it can be killed or
// suspended. Processes are looked for in /proc, so these tests need Linux.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { openSupervisors } from "../../src/adapters/supervisor/open-supervisors.ts";
import type { SupervisedProgram, Supervisors } from "../../src/adapters/supervisor/port.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemTimers as timers } from "../../src/kernel/timers.ts";
import { isAlive } from "../peers/process-tree.ts";
import { waitUntil } from "../peers/wait.ts";

const skip = process.platform !== "linux";

describe("a supervisor", { skip }, () => {
  let root = "";
  let supervisors: Supervisors;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "setpoint-supervisor-"));
    supervisors = await openSupervisors({ timers, beatMs: 60_000 });
  });
  after(async () => {
    await supervisors?.[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  const folder = async (): Promise<string> => await mkdtemp(join(root, "run-"));

  it("reports exit code and output in files", async () => {
    const at = await folder();
    const supervisor = await supervisors.start(at);
    const end = await supervisor.run(shell(at, "one", "echo out; cat; echo err >&2; exit 3", "in"));
    assert.deepEqual(end, { reason: "exited", code: 3, signal: null });
    assert.equal(await readFile(join(at, "one.stdout"), "utf8"), "out\nin");
    assert.equal(await readFile(join(at, "one.stderr"), "utf8"), "err\n");
    const second = await supervisor.run({
      ...shell(at, "two", ""),
      program: "/usr/bin/env",
      args: [],
    });
    assert.equal(second.code, 0);
    assert.equal(await readFile(join(at, "two.stdout"), "utf8"), "PATH=/usr/bin:/bin\n");
    await supervisor.close();
    assert.equal(await supervisors.isRunning(at), false);
  });

  it("sends SIGINT to the program alone, and then ends what is left of its group", async () => {
    const at = await folder();
    const supervisor = await supervisors.start(at);
    const script = "trap 'echo interrupted; exit 1' INT; (trap '' INT; sleep 600) & echo $!; wait";
    const running = supervisor.run(shell(at, "one", script));
    const child = Number(await line(at, "one", /^\d+$/));
    supervisor.cancel("graceful");
    assert.deepEqual(await running, { reason: "cancelled", code: 1, signal: null });
    assert.match(await readFile(join(at, "one.stdout"), "utf8"), /interrupted/);
    assert.equal(isAlive(child), false);
    await supervisor.close();
  });

  it("kills a program that ignores signals when the end is forced", async () => {
    const at = await folder();
    const supervisor = await supervisors.start(at);
    const running = supervisor.run(shell(at, "one", "trap '' INT TERM; echo on; sleep 600; true"));
    await line(at, "one", /^on$/);
    supervisor.cancel("graceful");
    supervisor.cancel("force");
    assert.deepEqual(await running, { reason: "cancelled", code: null, signal: "SIGKILL" });
    await supervisor.close();
    assert.equal(await supervisors.isRunning(at), false);
  });

  const isOther = process.geteuid?.() !== 0;
  it("ends every process of a user that its program alone has", { skip: isOther }, async () => {
    const at = await folder();
    const supervisor = await supervisors.start(at);
    const user = { uid: 1_900_000_001, gid: 1_900_000_001, isOwn: true };
    const script = "setsid env -i /bin/sleep 600 & echo $!; exec sleep 0.2";
    const end = await supervisor.run({ ...shell(at, "one", script), folder: "/", user });
    assert.equal(end.code, 0);
    const escaped = Number((await readFile(join(at, "one.stdout"), "utf8")).trim());
    assert.ok(escaped > 1);
    assert.equal(isAlive(escaped), false);
    await supervisor.close();
    assert.equal(await supervisors.isRunning(at), false);
  });

  it(
    "finds and ends processes that left a supervisor that was killed",
    { skip: isOther },
    async () => {
      const at = await folder();
      const supervisor = await supervisors.start(at);
      const user = { uid: 1_900_000_002, gid: 1_900_000_002, isOwn: true };
      const script = "setsid env -i /bin/sleep 600 & echo $!; exec sleep 600";
      const running = supervisor.run({ ...shell(at, "one", script), folder: "/", user });
      const escaped = Number(await line(at, "one", /^\d+$/));
      process.kill(supervisor.pid, "SIGKILL");
      await running;
      assert.equal(isAlive(escaped), false);
      assert.equal(await supervisors.isRunning(at), false);
    },
  );

  it("ends a program that writes too much", async () => {
    const at = await folder();
    const supervisor = await supervisors.start(at);
    const program = { ...shell(at, "one", "while :; do echo flood; done"), maxOutputBytes: 1_000 };
    assert.equal((await supervisor.run(program)).reason, "outputLimit");
    await supervisor.close();
  });

  it("that is killed leaves no program", async () => {
    const at = await folder();
    const supervisor = await supervisors.start(at);
    const running = supervisor.run(shell(at, "one", "echo $$; exec sleep 600"));
    const pid = Number(await line(at, "one", /^\d+$/));
    process.kill(supervisor.pid, "SIGKILL");
    assert.equal((await running).reason, "vanished");
    assert.equal(isAlive(pid), false);
  });

  for (const [how, signal] of [
    ["is killed", "SIGKILL"],
    ["is suspended", "SIGSTOP"],
  ] as const) {
    it(`ends its program when the server ${how}`, async () => {
      const at = await folder();
      const server = await startServer(at, "run");
      const pid = Number(await line(at, "one", /^\d+$/));
      process.kill(server.pid, signal);
      await waitUntil("the program to end", () => !isAlive(pid), { limitMs: 30_000 });
      await waitUntil("the supervisor to end", async () => !(await supervisors.isRunning(at)));
      assert.equal((await supervisors.endOf(at, "one"))?.reason, "lost");
      server.kill();
    });
  }

  it("that is detached lets its program finish without the server", async () => {
    const at = await folder();
    const server = await startServer(at, "detach");
    await server.exited;
    assert.equal(await supervisors.isRunning(at), true);
    await waitUntil("the end", async () => (await supervisors.endOf(at, "one")) !== undefined);
    const end = await supervisors.endOf(at, "one");
    assert.deepEqual(end, { reason: "exited", code: 0, signal: null });
    await waitUntil("the supervisor to end", async () => !(await supervisors.isRunning(at)));
  });

  it("of a server that was killed can be ended by the next server", async () => {
    const at = await folder();
    const server = await startServer(at, "detach-long");
    await server.exited;
    const pid = Number(await line(at, "one", /^\d+$/));
    assert.equal(isAlive(pid), true);
    await supervisors.end(at, 100);
    assert.equal(isAlive(pid), false);
    assert.equal(await supervisors.isRunning(at), false);
  });

  it("of which only the program is left can be ended by the next server", async () => {
    const at = await folder();
    const server = await startServer(at, "run");
    const pid = Number(await line(at, "one", /^\d+$/));
    const { pid: supervisor } = JSON.parse(await readFile(join(at, "supervisor.json"), "utf8")) as {
      readonly pid: number;
    };
    process.kill(server.pid, "SIGSTOP");
    process.kill(supervisor, "SIGKILL");
    assert.equal(await supervisors.isRunning(at), true);
    await supervisors.end(at, 100);
    assert.equal(isAlive(pid), false);
    server.kill();
  });

  async function line(at: string, id: string, pattern: RegExp): Promise<string> {
    const look = async (): Promise<string | undefined> => {
      const text = await readFile(join(at, `${id}.stdout`), "utf8").catch(() => "");
      return text.split("\n").find((each) => pattern.test(each));
    };
    return await waitUntil(`${id} to print ${pattern}`, look);
  }
});

function shell(at: string, id: string, script: string, stdin?: string): SupervisedProgram {
  return {
    id,
    program: "/bin/sh",
    args: ["-c", script],
    env: { PATH: "/usr/bin:/bin" },
    folder: at,
    ...(stdin === undefined ? {} : { stdin }),
    timeoutMs: 600_000,
    graceMs: 1_000,
    maxOutputBytes: 1_000_000,
  };
}

interface ServerProcess {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  kill(): void;
}

/** A process that starts a supervisor in the folder: tests/adapters/supervisor-caller.ts. */
async function startServer(at: string, task: string): Promise<ServerProcess> {
  const script = join(import.meta.dirname, "supervisor-caller.ts");
  const until = String(systemClock.nowMs() + 600_000);
  const child = spawn(process.execPath, [script, at, task, until], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(createInterface({ input: child.stdout }), "line");
  return { pid: child.pid ?? 0, exited, kill: () => child.kill("SIGKILL") };
}
