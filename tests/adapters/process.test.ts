// The process adapter on this machine: the contract, and what takes a second process to see. Where
// processes are looked for, /proc is read, so those tests need Linux.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { processContract, shell } from "../../src/adapters/process/contract/suite.ts";
import { openProcessRunner } from "../../src/adapters/process/runner.ts";
import { systemTimers, timersFrom } from "../../src/kernel/timers.ts";
import { isAlive, processTree } from "../peers/process-tree.ts";
import { waitUntil, within } from "../peers/wait.ts";

const timers = systemTimers;

processContract("shell supervisor", (options) => openProcessRunner({ timers, ...options }));

const usual = { timeoutMs: 60_000, maxOutputBytes: 65_536 };

/** Starts a grandchild in a subshell, reports both process ids, and ignores SIGTERM. */
const family = "trap '' TERM; (sleep 600 & echo $!; wait) & echo $$; wait";

test("a timeout ends grandchildren", async () => {
  const limits = { ...usual, timeoutMs: 600_000, graceMs: 10 };
  /** The timeout comes when the family is complete. */
  let comes = (): void => undefined;
  const chosen = timersFrom((ms, run) => {
    if (ms !== limits.timeoutMs) return timers.after(ms, run);
    comes = run;
    return () => undefined;
  });
  await using runner = openProcessRunner({ timers: chosen });
  const pids: number[] = [];
  const { end } = await runner.run(
    shell(family, {
      limits,
      onLine: ({ text }) => {
        pids.push(Number(text));
        if (pids.length === 2) comes();
      },
    }),
  );
  assert.deepEqual(end, { kind: "timedOut", timeoutMs: 600_000 });
  await waitUntil("the family to end", () => !pids.some(isAlive));
});

test("a group that uses more memory than allowed is ended", async () => {
  await using runner = openProcessRunner({ timers });
  const mib = 1_048_576;
  // Two processes, neither of which is over the limit by itself. dd holds its block until the end.
  const hold = "dd if=/dev/zero bs=40M count=1000000 of=/dev/null";
  const { end } = await runner.run(
    shell(`${hold} & ${hold} & wait`, {
      limits: { ...usual, maxMemoryBytes: 64 * mib, graceMs: 10 },
    }),
  );
  assert.equal(end.kind, "memoryLimit");
  assert.ok(end.usedBytes > 64 * mib);
});

test("the kernel refuses a process memory far beyond the limit", async () => {
  await using runner = openProcessRunner({ timers });
  const limits = { ...usual, maxMemoryBytes: 64 * 1_048_576 };
  const args = ["if=/dev/zero", "bs=400M", "count=1", "of=/dev/null"];
  const { end, stderr } = await runner.run({ ...shell(""), program: "dd", args, limits });
  assert.deepEqual(end, { kind: "exited", code: 1 });
  assert.match(stderr.bytes.toString(), /memory exhausted/);
});

test("a program can run as another user", async () => {
  await using runner = openProcessRunner({ timers });
  const isRoot = process.getuid?.() === 0;
  const user = { uid: 65_534, gid: 65_534 };
  const { end, stdout } = await runner.run(shell("id -u; id -G", { folder: "/", user }));
  if (isRoot) assert.equal(stdout.bytes.toString(), "65534\n65534\n");
  else assert.deepEqual(end, { kind: "notStarted", code: "EPERM" });
});

interface Caller extends Disposable {
  readonly pid: number;
  /** The program and its grandchild. */
  readonly family: readonly number[];
  /** Below the caller: the program, its descendants and the watcher. */
  readonly everything: readonly number[];
}

/** Another process that runs the family, and reports the process ids that the family prints. */
async function startCaller(): Promise<Caller> {
  const caller = spawn(process.execPath, [join(import.meta.dirname, "process-caller.ts"), family], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid } = caller;
  assert.ok(pid !== undefined);
  const pids: number[] = [];
  const started = (async () => {
    for await (const line of createInterface({ input: caller.stdout })) {
      pids.push(Number(line));
      if (pids.length === 2) return;
    }
  })();
  await within("the family to start", started);
  return {
    pid,
    family: pids,
    everything: processTree(pid).slice(1),
    [Symbol.dispose]: () => caller.kill("SIGKILL"),
  };
}

test("the death of the caller by SIGKILL ends the program and its grandchild", async () => {
  using caller = await startCaller();
  const { pid, family: members, everything } = caller;
  assert.ok(members.every(isAlive));
  process.kill(pid, "SIGKILL");
  await waitUntil("the family to end", () => !members.some(isAlive));
  await waitUntil("the watcher to end", () => !everything.some(isAlive));
});

test("a watcher that was killed is replaced by one that knows the programs", async () => {
  using caller = await startCaller();
  const { pid, family: members, everything } = caller;
  const watcherOf = (): number | undefined =>
    processTree(pid).find((each) => commandOf(each).includes("watch-groups.sh"));
  const watcher = watcherOf();
  assert.ok(watcher !== undefined && everything.includes(watcher));
  process.kill(watcher, "SIGKILL");
  await waitUntil("another watcher", () => {
    const next = watcherOf();
    return next !== undefined && next !== watcher;
  });
  process.kill(pid, "SIGKILL");
  await waitUntil("the family to end", () => !members.some(isAlive));
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended since it was listed.
    return "";
  }
}
