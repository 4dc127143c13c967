/**
 * The contract of port.ts as tests, on real programs of this machine. An implementation calls it
 * from a test file of its own:
 *
 *   processContract("shell supervisor", (options) => openProcessRunner({ timers, ...options }));
 *
 * What needs a second process (the death of the caller) is tested beside the implementation.
 */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { ProcessRunner, ProgramLine, ProgramRequest, ProgramResult } from "../port.ts";

export type OpenRunner = (options?: {
  readonly maxRunning?: number;
  readonly maxWaiting?: number;
}) => ProcessRunner;

const mib = 1_048_576;
const folder = tmpdir();
const usual = { timeoutMs: 60_000, maxOutputBytes: mib };

/** A script run by `sh -c`: the only program that every machine of ours has. */
export function shell(script: string, more: Partial<ProgramRequest> = {}): ProgramRequest {
  return { program: "/bin/sh", args: ["-c", script], folder, limits: usual, ...more };
}

export function processContract(name: string, open: OpenRunner): void {
  describe(`the process port: ${name}`, () => {
    startingContract(open);
    outputContract(open);
    endingContract(open);
    queueContract(open);
  });
}

function textOf({ stdout }: ProgramResult): string {
  return stdout.bytes.toString("utf8");
}

function startingContract(open: OpenRunner): void {
  test("an exit code is data", async () => {
    await using runner = open();
    for (const code of [0, 3, 127]) {
      const { end } = await runner.run(shell(`exit ${code}`));
      assert.deepEqual(end, { kind: "exited", code });
    }
  });

  test("a signal from elsewhere is data", async () => {
    await using runner = open();
    const { end } = await runner.run(shell("kill -s USR1 $$"));
    assert.deepEqual(end, { kind: "signalled", signal: "SIGUSR1" });
  });

  test("the environment is empty unless given", async () => {
    await using runner = open();
    const none = await runner.run({ ...shell(""), program: "env", args: [] });
    assert.equal(textOf(none), "");
    const env = { GREETING: "a b\n$c", PATH: "/usr/bin:/bin" };
    const some = await runner.run({ ...shell(""), program: "env", args: ["-0"], env });
    assert.deepEqual(textOf(some).split("\0").filter(Boolean).toSorted(), [
      "GREETING=a b\n$c",
      "PATH=/usr/bin:/bin",
    ]);
  });

  test("no shell reads the arguments", async () => {
    await using runner = open();
    const args = ["%s|", "$HOME", "a b", "*", "; exit 1", "", "'\"", "-x"];
    const result = await runner.run({ ...shell(""), program: "printf", args });
    assert.equal(textOf(result), `${args.slice(1).join("|")}|`);
  });

  test("the program runs in its folder", async () => {
    await using runner = open();
    const result = await runner.run({ ...shell("pwd -P"), folder: "/" });
    assert.equal(textOf(result), "/\n");
  });

  test("the input is delivered whole, and is empty unless given", async () => {
    await using runner = open();
    const stdin = Buffer.alloc(3 * mib, "0123456789abcdef");
    const counted = await runner.run(shell("wc -c", { stdin }));
    assert.equal(textOf(counted).trim(), String(stdin.length));
    assert.equal(textOf(await runner.run(shell("wc -c"))).trim(), "0");
    const unread = await runner.run(shell("exit 4", { stdin }));
    assert.deepEqual(unread.end, { kind: "exited", code: 4 });
  });

  test("a missing program and a missing folder are data", async () => {
    await using runner = open();
    for (const program of ["/no/such/program", "no-such-program", "/etc/passwd"]) {
      const { end } = await runner.run({ ...shell(""), program });
      assert.deepEqual(end, { kind: "notFound", what: "program", path: program });
    }
    const { end } = await runner.run({ ...shell(""), folder: "/no/such/folder" });
    assert.deepEqual(end, { kind: "notFound", what: "folder", path: "/no/such/folder" });
  });

  test("a request that cannot be run as it is written is refused by its field", async () => {
    await using runner = open();
    const wrong: readonly (readonly [string, Partial<ProgramRequest>])[] = [
      ["program", { program: "bin/sh" }],
      ["program", { program: "" }],
      ["folder", { folder: "here" }],
      ["env", { env: { "a-b": "x" } }],
      ["args", { args: ["a\0b"] }],
    ];
    for (const [field, part] of wrong) {
      await assert.rejects(
        runner.run({ ...shell(""), ...part }),
        (error) => isSetpointError(error, "request.invalid") && error.details["field"] === field,
      );
    }
  });
}

function outputContract(open: OpenRunner): void {
  test("large outputs of both streams are complete", async () => {
    await using runner = open();
    const script = "head -c 2000000 /dev/zero; head -c 2000000 /dev/zero >&2";
    const limits = { ...usual, maxOutputBytes: 2_000_000 };
    const { end, stdout, stderr } = await runner.run(shell(script, { limits }));
    assert.deepEqual(end, { kind: "exited", code: 0 });
    for (const { bytes, isTruncated } of [stdout, stderr]) {
      assert.deepEqual([bytes.length, isTruncated], [2_000_000, false]);
    }
  });

  test("output beyond the limit ends the program", async () => {
    await using runner = open();
    const limits = { ...usual, maxOutputBytes: 1_000 };
    const { end, stdout } = await runner.run(shell("yes", { limits }));
    assert.deepEqual(end, { kind: "outputLimit", stream: "stdout" });
    assert.deepEqual([stdout.bytes.length, stdout.isTruncated], [1_000, true]);
  });

  test("output beyond the limit is dropped where the request says so", async () => {
    await using runner = open();
    const limits = { ...usual, maxOutputBytes: 10, onOutputLimit: "truncate" } as const;
    const script = "head -c 300000 /dev/zero >&2; echo done";
    const { end, stdout, stderr } = await runner.run(shell(script, { limits }));
    assert.deepEqual(end, { kind: "exited", code: 0 });
    assert.deepEqual([stdout.bytes.toString(), stdout.isTruncated], ["done\n", false]);
    assert.deepEqual([stderr.bytes.length, stderr.isTruncated], [10, true]);
  });

  test("lines are reported while the program runs", async () => {
    await using runner = open();
    const stopping = new AbortController();
    const lines: ProgramLine[] = [];
    const { end } = await runner.run(
      shell("echo first; echo other >&2; exec sleep 600", {
        signal: stopping.signal,
        onLine: (line) => {
          lines.push(line);
          if (lines.length === 2) stopping.abort();
        },
      }),
    );
    assert.deepEqual(end, { kind: "aborted" });
    const texts = lines.map(({ stream, text }) => `${stream} ${text}`).toSorted();
    assert.deepEqual(texts, ["stderr other", "stdout first"]);
  });
}

function endingContract(open: OpenRunner): void {
  test("a program that takes too long is ended, though it ignores SIGTERM", async () => {
    await using runner = open();
    const limits = { ...usual, timeoutMs: 100, graceMs: 50 };
    const script = "trap '' TERM; while :; do sleep 1; done";
    const { end } = await runner.run(shell(script, { limits }));
    assert.deepEqual(end, { kind: "timedOut", timeoutMs: 100 });
  });

  test("a program may use the grace period to clean up", async () => {
    await using runner = open();
    const stopping = new AbortController();
    const { end, stdout } = await runner.run(
      shell("trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.05; done", {
        signal: stopping.signal,
        onLine: () => stopping.abort(),
      }),
    );
    assert.deepEqual(end, { kind: "aborted" });
    assert.equal(stdout.bytes.toString(), "ready\ncleaned\n");
  });

  test("what onLine throws ends the program, and is thrown", async () => {
    await using runner = open();
    const onLine = (): never => {
      throw new Error("cannot read this line");
    };
    const run = runner.run(shell("echo line; exec sleep 600", { onLine }));
    await assert.rejects(run, /cannot read this line/);
  });

  test("a run that is aborted before it starts starts nothing", async () => {
    await using runner = open();
    const { end } = await runner.run(shell("exit 5", { signal: AbortSignal.abort() }));
    assert.deepEqual(end, { kind: "aborted" });
  });

  test("a program that leaves descendants behind does not keep the run open", async () => {
    await using runner = open();
    const { end, stdout } = await runner.run(shell("sleep 600 & echo left; exit 6"));
    assert.deepEqual(end, { kind: "exited", code: 6 });
    assert.equal(stdout.bytes.toString(), "left\n");
  });

  test("closing the runner ends every program", async () => {
    const runner = open();
    const results = Promise.all([1, 2].map(() => runner.run(shell("exec sleep 600"))));
    await runner[Symbol.asyncDispose]();
    assert.deepEqual(
      (await results).map(({ end }) => end.kind),
      ["aborted", "aborted"],
    );
    const late = await runner.run(shell("exit 0"));
    assert.deepEqual(late.end, { kind: "aborted" });
  });
}

function queueContract(open: OpenRunner): void {
  test("no more programs run at once than allowed", async () => {
    await using runner = open({ maxRunning: 2 });
    const log: string[] = [];
    const run = async (name: string): Promise<void> => {
      const onLine = ({ text }: ProgramLine): number => log.push(`${text} ${name}`);
      await runner.run(shell("echo start; echo end", { onLine: (line) => void onLine(line) }));
    };
    await Promise.all(["a", "b", "c", "d"].map(run));
    let running = 0;
    let most = 0;
    for (const line of log) {
      running += line.startsWith("start") ? 1 : -1;
      most = Math.max(most, running);
    }
    assert.ok(most <= 2, log.join(", "));
  });

  test("waiting programs start in the order of the calls", async () => {
    await using runner = open({ maxRunning: 1 });
    const log: string[] = [];
    const run = async (name: string): Promise<void> => {
      await runner.run(shell("echo", { onLine: () => void log.push(name) }));
    };
    await Promise.all(["a", "b", "c", "d"].map(run));
    assert.deepEqual(log, ["a", "b", "c", "d"]);
  });

  test("a run beyond the queue is refused, and one in it can be aborted", async () => {
    await using runner = open({ maxRunning: 1, maxWaiting: 1 });
    const stopping = new AbortController();
    const waiting = new AbortController();
    const first = runner.run(shell("exec sleep 600", { signal: stopping.signal }));
    const second = runner.run(shell("exit 0", { signal: waiting.signal }));
    assert.deepEqual((await runner.run(shell("exit 0"))).end, { kind: "busy" });
    waiting.abort();
    assert.deepEqual((await second).end, { kind: "aborted" });
    const third = runner.run(shell("exit 7"));
    stopping.abort();
    assert.deepEqual((await first).end, { kind: "aborted" });
    assert.deepEqual((await third).end, { kind: "exited", code: 7 });
  });
}
