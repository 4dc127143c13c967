// The git host of the tests serves real git over TLS, asks for logins, and has faults.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";

const run = promisify(execFile);
let remote: GitRemote;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "git-remote-test-"));
  remote = await startGitRemote();
  await writeFile(join(folder, "ca.pem"), remote.caBundle);
});

after(async () => {
  await remote[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function git(...args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_SSL_CAINFO: join(folder, "ca.pem"),
  };
  const { stdout } = await run("git", args, { cwd: folder, env });
  return stdout.trim();
}

test("commits, tags and deletions reach a clone", async () => {
  await remote.create("shop");
  const first = await remote.commit("shop", {
    files: { "deploy/a.yaml": "a: 1\n", "b.sh": { executable: "#!/bin/sh\n" } },
  });
  await remote.tag("shop", { tag: "v1", commit: first, isAnnotated: true });
  const second = await remote.commit("shop", { files: { "deploy/a.yaml": null, "c.yaml": "c\n" } });
  await git("clone", "--quiet", remote.url("shop"), "clone");
  assert.equal(await git("-C", "clone", "rev-parse", "HEAD"), second);
  assert.equal(await git("-C", "clone", "rev-parse", "v1^{commit}"), first);
  assert.equal(await git("-C", "clone", "ls-files"), "b.sh\nc.yaml");
  assert.equal(await readFile(join(folder, "clone", "c.yaml"), "utf8"), "c\n");
});

test("a protected repository needs its login", async () => {
  const login = { username: "jane", password: "test-only" };
  await remote.create("closed", { login });
  const commit = await remote.commit("closed", { files: { a: "a" } });
  await assert.rejects(git("ls-remote", remote.url("closed")), /could not read Username/);
  const url = remote.url("closed").replace("//", "//jane:test-only@");
  assert.match(await git("ls-remote", url), new RegExp(`${commit}\\s+refs/heads/main`));
  remote.protect("closed", { ...login, password: "another" });
  await assert.rejects(git("ls-remote", url), /Authentication failed/);
  assert.deepEqual(remote.requests.at(-1), {
    method: "GET",
    path: "/closed.git/info/refs",
    username: "jane",
    isAllowed: false,
  });
});

test("faults replace answers", async () => {
  await remote.create("faulty");
  remote.fault = { kind: "status", status: 503 };
  await assert.rejects(git("ls-remote", remote.url("faulty")), /503/);
  remote.fault = undefined;
  assert.equal(await git("ls-remote", remote.url("faulty")), "");
});
