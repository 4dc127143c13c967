// The sandbox on this machine. What a program sees there is what `sh` prints with the network:
// only then the sandbox has the programs of the machine; without it kubectl looks around.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ProcessRunner } from "../../src/adapters/process/port.ts";
import { openProcessRunner } from "../../src/adapters/process/runner.ts";
import { openSandbox } from "../../src/adapters/sandbox/open-sandbox.ts";
import type { SandboxEnd, SandboxRequest } from "../../src/adapters/sandbox/port.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { findKubectl } from "../../tools/peers.ts";

const limits = { timeoutMs: 60_000, maxOutputBytes: 1_048_576 };
const kubectl = findKubectl() ?? "kubectl";
let runner: ProcessRunner;
let folder: string;

before(async () => {
  runner = openProcessRunner({ timers: systemTimers });
  folder = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  await mkdir(join(folder, "deploy"));
  await writeFile(join(folder, "deploy", "kustomization.yaml"), "resources: []\n");
});

after(async () => {
  await runner[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function run(request: Partial<SandboxRequest>): Promise<SandboxEnd> {
  const { signal } = new AbortController();
  return await openSandbox(runner).run({
    program: kubectl,
    args: [],
    folder,
    limits,
    signal,
    ...request,
  });
}

async function shell(script: string, more: Partial<SandboxRequest> = {}): Promise<string> {
  const args = ["-c", script];
  const ended = await run({ program: "sh", args, hasNetwork: true, ...more });
  assert.ok(ended.kind === "ended", JSON.stringify(ended));
  return `${ended.result.stdout.bytes.toString()}${ended.result.stderr.bytes.toString()}`;
}

async function kustomize(reference: string): Promise<string> {
  const text = `resources: [${JSON.stringify(reference)}]\n`;
  const given = { name: "kustomization.yaml", text };
  const ended = await run({ args: ["kustomize", "/given"], given });
  assert.ok(ended.kind === "ended", JSON.stringify(ended));
  assert.deepEqual(ended.result.end, { kind: "exited", code: 1 });
  return ended.result.stderr.bytes.toString();
}

test("a program sees its folder, read-only, and nothing else of the machine", async () => {
  assert.equal(await shell("cat deploy/kustomization.yaml; pwd"), "resources: []\n/work\n");
  assert.match(await shell("echo x > deploy/new"), /Read-only file system/);
  assert.equal(await shell("ls -A /etc | grep -E 'passwd|shadow|hostname'"), "");
  assert.equal(await shell("ls -A /home /root /var /proc /sys 2>/dev/null"), "");
  assert.match(await shell("echo x > /usr/new"), /Read-only file system|Permission denied/);
  assert.equal(await shell("echo x > /tmp/own; cat /tmp/own"), "x\n");
});

test("without the network, not even the programs of the machine are visible", async () => {
  for (const path of ["/usr", "/etc", "/proc", "/home"]) {
    const error = await kustomize(`../../..${path}`);
    assert.match(error, new RegExp(`lstat ${path}: no such file`));
  }
  const ended = await run({ program: "sh", args: ["-c", "true"] });
  assert.ok(ended.kind === "missing", JSON.stringify(ended));
});

test("a program has no rights, and cannot gain them", async () => {
  assert.equal(await shell("id -u; id -g"), "65534\n65534\n");
  assert.match(await shell("chroot / true; mount -t tmpfs none /tmp"), /not permitted|superuser/);
  assert.equal(
    await shell("env | sort | cut -d= -f1 | grep -v -E '^(_|PWD|OLDPWD|SHLVL)$'"),
    [
      "GIT_ALLOW_PROTOCOL",
      "GIT_CONFIG_NOSYSTEM",
      "GIT_TERMINAL_PROMPT",
      "HOME",
      "LC_ALL",
      "PATH",
      "TMPDIR",
      "",
    ].join("\n"),
  );
});

test("only with the network a connection reaches a server of the machine", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    await kustomize(`http://127.0.0.1:${port}/x.yaml`);
    assert.equal(connections, 0);
    const given = {
      name: "kustomization.yaml",
      text: `resources: ["http://127.0.0.1:${port}/x"]\n`,
    };
    await run({ args: ["kustomize", "/given"], given, hasNetwork: true });
    assert.notEqual(connections, 0);
  } finally {
    server.close();
  }
});

test("a missing program and a machine without sandboxes are data", async () => {
  const missing = await run({ program: "no-such-tool" });
  assert.deepEqual(missing, {
    kind: "missing",
    message: "the server has no program no-such-tool",
  });
  // As the kernel answers where user namespaces are turned off.
  const refusing = openSandbox({
    run: async () => ({
      end: { kind: "exited", code: 1 },
      stdout: { bytes: Buffer.alloc(0), isTruncated: false },
      stderr: {
        bytes: Buffer.from("unshare: unshare failed: Operation not permitted\n"),
        isTruncated: false,
      },
    }),
  });
  const { signal } = new AbortController();
  const refused = await refusing.run({ program: "x", args: [], folder, limits, signal });
  assert.deepEqual(refused, {
    kind: "unavailable",
    message:
      "the server cannot create a sandbox (user namespaces): " +
      "unshare: unshare failed: Operation not permitted",
  });
});

test("a program that does not end is ended at its limit, with its children", async () => {
  const ended = await run({
    program: "sh",
    args: ["-c", "sleep 600 & sleep 600"],
    hasNetwork: true,
    limits: { ...limits, timeoutMs: 300, graceMs: 50 },
  });
  assert.ok(ended.kind === "ended");
  assert.equal(ended.result.end.kind, "timedOut");
});
