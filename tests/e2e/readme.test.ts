// The README is a promise to a newcomer, so it is typed here as a newcomer types it: every block
// below `<!-- tested -->` is run by a shell in the clone, against a fresh server and with the real
// kubectl, and must print what the README says. `...` stands for anything.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import { waitUntil } from "../peers/wait.ts";

interface Step {
  readonly command: string;
  readonly printed: readonly string[];
  /** It goes on while the steps after it run, as in a terminal of its own. */
  readonly isStaying: boolean;
}

interface Running {
  readonly step: Step;
  readonly stop: () => Promise<void>;
  readonly output: () => string;
}

let clone = "";
let server: Program | undefined;

before(async () => {
  // What the README needs of a clone, without the server's data in the repository itself.
  clone = await mkdtemp(join(tmpdir(), "setpoint-readme-"));
  await cp(join(root, "examples"), join(clone, "examples"), { recursive: true });
  await mkdir(join(clone, "bin"));
  await symlink(join(root, "bin", "setpoint"), join(clone, "bin", "setpoint"));
  const args = ["dev", "--listen", "127.0.0.1:0"];
  server = await startProgram("src/cli/main.ts", { cwd: clone, args });
  await server.waitForLine(/ready on/);
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(clone, { recursive: true, force: true });
});

test("the README's first five minutes are as it says", { timeout: 60_000 }, async () => {
  const steps = stepsOf(await readFile(join(root, "README.md"), "utf8"));
  assert.ok(steps.length >= 10, "the README has tested blocks");
  const staying: Running[] = [];
  try {
    for (const step of steps) {
      if (step.isStaying) staying.push(await start(step));
      else checkPrinted(step, await run(step));
    }
    for (const { step, output } of staying) {
      await waitUntil(step.command, () => missing(step, output()) === undefined);
      checkPrinted(step, output());
    }
  } finally {
    for (const one of staying) await one.stop();
  }
});

/** The marked blocks, each line with a prompt being a step and the lines below it its output. */
function stepsOf(text: string): readonly Step[] {
  const blocks = text.matchAll(/^<!-- tested(: stays)? -->\n```console\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, stays, body = ""]) =>
    body
      .split(/^\$ /m)
      .slice(1)
      .map((part): Step => {
        const [command = "", ...printed] = part.trimEnd().split("\n");
        return { command, printed, isStaying: stays !== undefined };
      }),
  );
}

/** Exports of earlier steps stay in force, as they do in a terminal. */
const exported = new Map<string, string>();

function shell(command: string): ReturnType<typeof spawn> {
  const exports = [...exported].map(([name, value]) => `export ${name}=${value}`);
  const script = [...exports, command].join("\n");
  const env = { ...process.env, HOME: clone, NODE_TEST_CONTEXT: undefined };
  return spawn("sh", ["-c", script], { cwd: clone, env, stdio: ["ignore", "pipe", "pipe"] });
}

async function run({ command }: Step): Promise<string> {
  const [, name, value] = /^export (\w+)=(.*)$/.exec(command) ?? [];
  if (name !== undefined && value !== undefined) exported.set(name, value);
  const child = shell(command);
  const output = outputOf(child);
  await once(child, "close");
  return output();
}

async function start(step: Step): Promise<Running> {
  const child = shell(`exec ${step.command}`);
  const output = outputOf(child);
  const closed = once(child, "close");
  const first = step.printed[1] ?? "";
  await waitUntil(step.command, () => output().includes(first));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await closed;
  };
  return { step, output, stop };
}

function outputOf(child: ReturnType<typeof spawn>): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return () => output;
}

function checkPrinted(step: Step, output: string): void {
  const line = missing(step, output);
  assert.equal(line, undefined, `\n$ ${step.command}\nprinted:\n${output}`);
}

/** The first promised line that was not printed after the one before it. */
function missing({ printed }: Step, output: string): string | undefined {
  const lines = output.split("\n");
  let at = 0;
  for (const promised of printed) {
    // Newer versions of kubectl say a little more at the end of some lines.
    const [head = "", tail = ""] = promised.split("...");
    const fits = (line: string): boolean => line.startsWith(head.trimEnd()) && line.includes(tail);
    const found = lines.findIndex((line, index) => index >= at && fits(line));
    if (found < 0) return promised;
    at = promised === "..." ? at : found + 1;
  }
  return undefined;
}
