// Signatures of commits, made by ssh-keygen and gpg, and verified through the git adapter.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openGit } from "../../src/adapters/git/open-git.ts";
import type { Git, GitRepository } from "../../src/adapters/git/port.ts";
import type { ProcessRunner, ProgramResult } from "../../src/adapters/process/port.ts";
import { openProcessRunner } from "../../src/adapters/process/runner.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { sourceProblem } from "../../src/modules/gitops/source/git-calls.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";
import { signedCommit } from "./signed-commit.ts";

const run = promisify(execFile);
const never = new AbortController().signal;
const timers = systemTimers;
let folder: string;
let remote: GitRemote;
let git: Git;
let repository: GitRepository;
/** How each program gpg ends without a start. */
let gpgFault: ProgramResult["end"] | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "signatures-"));
  remote = await startGitRemote();
  const runner = openProcessRunner({ timers });
  const faulty: ProcessRunner = {
    run: async (request) => {
      if (gpgFault === undefined || request.program !== "gpg") return await runner.run(request);
      const nothing = { bytes: Buffer.alloc(0), isTruncated: false };
      return { end: gpgFault, stdout: nothing, stderr: nothing };
    },
    [Symbol.asyncDispose]: async () => await runner[Symbol.asyncDispose](),
  };
  git = await openGit(
    { runner: faulty, timers },
    {
      program: "git",
      folder,
      maxPrograms: 4,
      maxRepositoryBytes: 50_000_000,
      maxCacheBytes: 100_000_000,
      resolveTimeoutMs: 60_000,
      fetchTimeoutMs: 60_000,
    },
  );
  await remote.create("signed");
  await remote.commit("signed", { files: { a: "1" } });
  repository = {
    url: remote.url("signed"),
    cache: "signed",
    tenant: "jane",
    credential: undefined,
    caBundle: remote.caBundle,
    refuseAddress: () => undefined,
  };
});

after(async () => {
  await git[Symbol.asyncDispose]();
  await remote[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function sshKey(name: string): Promise<{ sign: Sign; publicKey: string }> {
  const file = join(folder, name);
  await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", `${name} at home`, "-f", file]);
  const sign: Sign = async (payload, namespace = "git") => {
    const data = join(folder, `${name}-payload`);
    await writeFile(data, payload);
    await rm(`${data}.sig`, { force: true });
    await run("ssh-keygen", ["-q", "-Y", "sign", "-n", namespace, "-f", file, data]);
    return await readFile(`${data}.sig`, "utf8");
  };
  return { sign, publicKey: await readFile(`${file}.pub`, "utf8") };
}

type Sign = (payload: string, namespace?: string) => Promise<string>;

async function openPgpKey(name: string): Promise<{ sign: Sign; publicKey: string }> {
  const home = await mkdtemp(join(folder, "gpg-"));
  const env = { PATH: process.env["PATH"], GNUPGHOME: home };
  const gpg = async (...args: readonly string[]): Promise<string> =>
    (
      await run("gpg", ["--batch", "--pinentry-mode", "loopback", "--passphrase", "", ...args], {
        env,
      })
    ).stdout;
  await gpg("--quick-generate-key", `${name} <${name}@git.example>`, "ed25519", "sign", "0");
  const sign: Sign = async (payload) => {
    const data = join(home, "payload");
    await writeFile(data, payload);
    return await gpg("--armor", "--output", "-", "--detach-sign", data);
  };
  const publicKey = await gpg("--armor", "--export");
  await run("gpgconf", ["--kill", "gpg-agent"], { env });
  return { sign, publicKey };
}

/** The reason of the problem, or "signed". */
async function verified(commit: string, ...keys: readonly string[]): Promise<string> {
  const fetched = await git.fetch(repository, { commit, ref: undefined }, never);
  assert.equal(fetched.kind, "fetched", JSON.stringify(fetched));
  const end = await git.verify(repository, commit, keys, never);
  return end.kind === "problem" ? `${end.reason}: ${end.message}` : end.kind;
}

for (const [format, newKey] of [
  ["SSH", sshKey],
  ["OpenPGP", openPgpKey],
] as const) {
  test(`a commit is verified with the ${format} key that signed it alone`, async () => {
    const jane = await newKey(`jane-${format}`);
    const other = await newKey(`other-${format}`);
    const commit = await signedCommit(remote, "signed", jane.sign);
    assert.equal(await verified(commit, jane.publicKey), "signed");
    assert.equal(await verified(commit, other.publicKey, jane.publicKey), "signed");
    const no = /^SignatureInvalid: no stated key has signed the commit/;
    assert.match(await verified(commit, other.publicKey), no);
    const tampered = await signedCommit(
      remote,
      "signed",
      async (payload) => await jane.sign(payload.replace("A change", "Another change")),
    );
    assert.match(await verified(tampered, jane.publicKey), no);
    const unsigned = await remote.commit("signed", { files: { a: format } });
    assert.match(await verified(unsigned, jane.publicKey), no);
  });
}

test("an SSH signature for another purpose is not one of a commit", async () => {
  const jane = await sshKey("files");
  const commit = await signedCommit(
    remote,
    "signed",
    async (payload) => await jane.sign(payload, "file"),
  );
  assert.match(await verified(commit, jane.publicKey), /^SignatureInvalid: no stated key/);
});

test("texts that are no public keys verify nothing, and no option of a key counts", async () => {
  const jane = await sshKey("optional");
  const commit = await signedCommit(remote, "signed", jane.sign);
  const missing = /^SignatureInvalid: there is no public key to verify with/;
  assert.match(await verified(commit), missing);
  assert.match(await verified(commit, "password", "-----BEGIN PGP MESSAGE-----"), missing);
  const optioned = `cert-authority,namespaces="*" ${jane.publicKey}`;
  assert.match(await verified(commit, optioned), missing);
  assert.equal(await verified(commit, `# the key of Jane\n${jane.publicKey}`), "signed");
});

test("a signed commit of more than 1 MiB is refused with its size", async () => {
  const jane = await sshKey("large");
  const commit = await signedCommit(remote, "signed", jane.sign, "long ".repeat(300_000));
  assert.match(
    await verified(commit, jane.publicKey),
    /^TooLarge: the commit object [0-9a-f]{12} has 150\d{4} bytes, and at most 1048576 are/,
  );
});

test("a key that gpg cannot import, or a gpg that does not start, is no verdict", async () => {
  const jane = await openPgpKey("jane-retried");
  const other = await openPgpKey("other-retried");
  const commit = await signedCommit(remote, "signed", jane.sign);
  const broken = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nbm8=\n-----END PGP PUBLIC KEY BLOCK-----";
  const no =
    "Failed: the signature of the commit [0-9a-f]{12} could not be verified, and is verified";
  const not = (why: string): RegExp => new RegExp(`^${no} again later: ${why}`);
  const partly = not("gpg did not import all OpenPGP keys \\(exit code \\d\\): check each of them");
  assert.match(await verified(commit, broken), partly);
  assert.match(await verified(commit, broken, other.publicKey), partly);
  assert.equal(await verified(commit, broken, jane.publicKey), "signed");
  gpgFault = { kind: "notStarted", code: "EAGAIN" };
  assert.match(
    await verified(commit, jane.publicKey),
    not("gpg could not import the OpenPGP keys"),
  );
  gpgFault = { kind: "notFound", what: "program", path: "gpg" };
  assert.match(await verified(commit, jane.publicKey), not("the server has no program gpg"));
  gpgFault = undefined;
  assert.equal(await verified(commit, jane.publicKey), "signed");
  assert.equal(sourceProblem({ kind: "problem", reason: "Failed", message: "" }).isFinal, false);
});
