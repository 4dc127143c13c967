// Signatures of commits, by `git verify-commit`, which runs ssh-keygen or gpg. Both see only the
// keys of the call: no key, agent or configuration of the machine.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessRunner, ProgramLimits } from "../process/port.ts";
import type { LocalGit } from "./git-command.ts";
import { gitProblem } from "./git-messages.ts";
import { isCommitId } from "./git-url.ts";
import type { GitProblem, SignedCommit } from "./port.ts";

export interface SignatureKeys {
  /** Type and key of each line, without options and comments. */
  readonly ssh: readonly string[];
  readonly openPgp: readonly string[];
}

/** gpg.conf: gpg neither starts a program nor asks a server for keys. */
const gpgOptions = "batch\nno-autostart\nno-auto-key-retrieve\nno-auto-key-locate\n";
const sshKey = /^\s*((?:ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z0-9+/]+=*)(?:\s|$)/;
const armourStart = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const armourEnd = "-----END PGP PUBLIC KEY BLOCK-----";
/** Keys that are imported one by one, when an import of all fails. */
const mostAlone = 20;
const maxOutputBytes = 1_048_576;
/** Commits are written by anyone who can push. Those of people have less than a thousandth. */
const maxCommitBytes = 1_048_576;

export async function verifyCommit(
  run: LocalGit,
  commit: string,
  given: readonly string[],
): Promise<SignedCommit | GitProblem> {
  if (!isCommitId(commit)) return gitProblem("CommitNotFound", "a commit is named by its full id");
  const keys = signatureKeys(given);
  if (keys.ssh.length === 0 && keys.openPgp.length === 0) {
    const what = "an OpenPGP key in ASCII armour, or an SSH key as in authorized_keys";
    return gitProblem("SignatureInvalid", `there is no public key to verify with: add ${what}`);
  }
  const found = await run(["cat-file", "-s", commit], { maxOutputBytes: 100 });
  if (found.kind === "problem") {
    return gitProblem("CommitNotFound", "the commit was not fetched");
  }
  const bytes = Number(found.stdout.toString());
  if (bytes > maxCommitBytes) {
    const about = `the commit object ${commit.slice(0, 12)} has ${bytes} bytes`;
    const fix = `at most ${maxCommitBytes} are verified: shorten its message or its headers`;
    return gitProblem("TooLarge", `${about}, and ${fix}`);
  }
  const verified = await run(["verify-commit", "--", commit], { maxOutputBytes, keys });
  if (verified.kind === "output") return { kind: "signed", commit };
  if (verified.stderr === undefined) return gitProblem(verified.reason, verified.message);
  const fault = verified.keyFault ?? programFault.exec(verified.stderr)?.[0];
  if (fault === undefined) {
    const why = `no stated key has signed the commit ${commit.slice(0, 12)}`;
    return gitProblem("SignatureInvalid", why);
  }
  const what = `the signature of the commit ${commit.slice(0, 12)} could not be verified`;
  return gitProblem("Failed", `${what}, and is verified again later: ${fault}`);
}

/** Of git, about the program that verifies: there is no verdict about the signature. */
const programFault =
  /(?:cannot (?:run|exec|fork\(\) for) '?(?:gpg|ssh-keygen)\b|(?:gpg|ssh-keygen) died of signal).*/;

export function signatureKeys(given: readonly string[]): SignatureKeys {
  const lines = given.flatMap((text) => text.split("\n"));
  return {
    ssh: lines.flatMap((line) => sshKey.exec(line)?.[1] ?? []),
    openPgp: given.flatMap(armouredKeys),
  };
}

/** In linear time, also for many starts without an end. */
function armouredKeys(text: string): readonly string[] {
  const keys: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(armourStart, at);
    const end = start < 0 ? -1 : text.indexOf(armourEnd, start);
    if (end < 0) return keys;
    at = end + armourEnd.length;
    keys.push(text.slice(start, at));
  }
}

interface Verifying {
  readonly runner: ProcessRunner;
  /** Of the call; it is deleted after it. */
  readonly folder: string;
  readonly limits: ProgramLimits;
  readonly signal: AbortSignal;
}

export interface SignatureConfiguration {
  /** For the configuration of git. */
  readonly lines: readonly string[];
  /** Why gpg does not have all keys. */
  readonly fault?: string;
}

/** Writes the keys. */
export async function signatureConfiguration(
  { ssh, openPgp }: SignatureKeys,
  verifying: Verifying,
): Promise<SignatureConfiguration> {
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(verifying.folder, name);
    await writeFile(path, text, { mode: 0o600, flag: "wx" });
    return path;
  };
  const signers = ssh.map((key) => `key namespaces="git" ${key}\n`).join("");
  const allowed = await write("allowed_signers", signers);
  await write("gpg.conf", gpgOptions);
  const fault = openPgp.length === 0 ? undefined : await importKeys(openPgp, verifying);
  const lines = [
    "[gpg]",
    "program = gpg",
    '[gpg "ssh"]',
    "program = ssh-keygen",
    `allowedSignersFile = ${allowed}`,
    '[gpg "x509"]',
    "program = false",
  ];
  return { lines, ...(fault === undefined ? {} : { fault }) };
}

/** Why gpg has not imported all of them. A broken one does not hold up the others. */
async function importKeys(
  keys: readonly string[],
  verifying: Verifying,
): Promise<string | undefined> {
  const fault = await importTogether(keys, verifying);
  if (fault === undefined || keys.length === 1 || keys.length > mostAlone) return fault;
  // gpg ends at the first one that is broken.
  for (const key of keys) await importTogether([key], verifying);
  return fault;
}

async function importTogether(
  keys: readonly string[],
  { runner, folder, limits, signal }: Verifying,
): Promise<string | undefined> {
  const { end } = await runner.run({
    program: "gpg",
    args: ["--import"],
    folder,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder, GNUPGHOME: folder, LC_ALL: "C" },
    stdin: `${keys.join("\n")}\n`,
    limits,
    signal,
  });
  if (end.kind === "exited") {
    if (end.code === 0) return undefined;
    return `gpg did not import all OpenPGP keys (exit code ${end.code}): check each of them`;
  }
  if (end.kind === "notFound") return "the server has no program gpg: install it";
  return `gpg could not import the OpenPGP keys (${end.kind})`;
}
