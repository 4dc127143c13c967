// One run of git. Its configuration is a file of its own, readable by this user only, which holds
// the credential and the address of the host. The environment and the arguments hold no secret:
// other programs of the user can read those.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import type { ProcessRunner, ProgramResult } from "../process/port.ts";
import { gitProblem, problemOf } from "./git-messages.ts";
import type { TenantSlots } from "../../kernel/tenant-slots.ts";
import type { GitUrl } from "./git-url.ts";
import { signatureConfiguration } from "./verify-commit.ts";
import type { SignatureKeys } from "./verify-commit.ts";
import type { GitCredential, GitProblem, GitRepository } from "./port.ts";

export interface GitCommandPorts {
  readonly runner: ProcessRunner;
  readonly program: string;
  /** For the files of calls. */
  readonly folder: string;
}

export interface GitCommand {
  readonly args: readonly string[];
  /** The bare repository, or an empty folder. */
  readonly repository: string;
  readonly slots: TenantSlots;
  readonly tenant: string;
  readonly stdin?: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** For calls to a host. */
  readonly remote?: Remote;
  /** For a call that verifies a signature. */
  readonly keys?: SignatureKeys;
}

export interface Remote {
  readonly url: GitUrl;
  readonly addresses: readonly string[];
  readonly from: GitRepository;
}

export interface GitOutput {
  readonly kind: "output";
  readonly stdout: Buffer;
}

export type GitEnd =
  | GitOutput
  | (GitProblem & {
      readonly stderr?: string;
      /** Why not all keys of the call were there to verify with. */
      readonly keyFault?: string;
    });

interface Ran {
  readonly result: ProgramResult;
  readonly keyFault?: string;
}

/** Runs git in the copy of one repository. */
export type LocalGit = (
  args: readonly string[],
  more?: Pick<Partial<GitCommand>, "stdin" | "maxOutputBytes" | "keys">,
) => Promise<GitEnd>;

export async function runGit(ports: GitCommandPorts, command: GitCommand): Promise<GitEnd> {
  const { slots, tenant, signal } = command;
  if (!(await slots.take(tenant, signal))) {
    return gitProblem("Busy", "too many calls to git hosts wait in this namespace");
  }
  try {
    await mkdir(ports.folder, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(ports.folder, "call-"));
    try {
      const { result, ...more } = await start(ports, command, folder);
      signal.throwIfAborted();
      const end = ended(result, [folder, command.repository, ports.folder]);
      return end.kind === "problem" ? { ...end, ...more } : end;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } finally {
    slots.release(tenant);
  }
}

async function start(
  { runner, program }: GitCommandPorts,
  command: GitCommand,
  folder: string,
): Promise<Ran> {
  const { args, repository, stdin, remote, keys, timeoutMs, maxOutputBytes, signal } = command;
  const config = join(folder, "config");
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600, flag: "wx" });
    return path;
  };
  const sections = remote === undefined ? [] : [...(await remoteConfiguration(remote, write))];
  const limits = { timeoutMs, maxOutputBytes, graceMs: 500 };
  const verifying = { runner, folder, limits, signal };
  const signatures = keys === undefined ? undefined : await signatureConfiguration(keys, verifying);
  sections.push(...(signatures?.lines ?? []));
  await write("config", [...fixedConfiguration, ...sections, ""].join("\n"));
  const result = await runner.run({
    program,
    args,
    folder: repository,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: folder,
      LC_ALL: "C",
      GNUPGHOME: folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_CONFIG_GLOBAL: config,
      GIT_TERMINAL_PROMPT: "0",
      GIT_ALLOW_PROTOCOL: remote?.url.scheme === "local" ? "file" : "https:ssh",
      GIT_CEILING_DIRECTORIES: dirname(repository),
      GIT_SSH_VARIANT: "ssh",
      GIT_SSH_COMMAND: remote === undefined ? "false" : sshCommand(remote, folder),
    },
    ...(stdin === undefined ? {} : { stdin }),
    limits,
    signal,
  });
  const keyFault = signatures?.fault;
  return { result, ...(keyFault === undefined ? {} : { keyFault }) };
}

const fixedConfiguration = [
  "[core]",
  "hooksPath = /dev/null",
  "fsmonitor = false",
  "askPass =",
  "[protocol]",
  "version = 2",
  "[gc]",
  "auto = 0",
  "[maintenance]",
  "auto = false",
  "[submodule]",
  "recurse = false",
];

type WriteFile = (name: string, text: string) => Promise<string>;

async function remoteConfiguration(
  { url, addresses, from }: Remote,
  write: WriteFile,
): Promise<readonly string[]> {
  const { credential, caBundle } = from;
  if (url.scheme === "local") return [];
  if (url.scheme === "ssh") {
    if (credential?.kind !== "ssh") return [];
    await write("key", `${credential.privateKey.trim()}\n`);
    await write("known_hosts", `${credential.knownHosts.trim()}\n`);
    return [];
  }
  const lines = ["[http]", "followRedirects = false", "sslVerify = true", "proxy ="];
  if (caBundle !== undefined) lines.push(`sslCAInfo = ${await write("ca.pem", caBundle)}`);
  if (isIP(url.host) === 0) {
    const pinned = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address));
    lines.push(`curloptResolve = ${url.host}:${url.port}:${pinned.join(",")}`);
  }
  if (credential?.kind === "basic") lines.push(`extraHeader = "${authorization(credential)}"`);
  return lines;
}

/** Without characters that have a meaning in a file of git's configuration. */
function authorization({ username, password }: GitCredential & { kind: "basic" }): string {
  return `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** No configuration, agent, proxy or command of the machine; the address that was checked. */
function sshCommand({ url, addresses }: Remote, folder: string): string {
  const alias = url.port === 22 ? url.host : `[${url.host}]:${url.port}`;
  const options = [
    "BatchMode=yes",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "StrictHostKeyChecking=yes",
    `UserKnownHostsFile=${join(folder, "known_hosts")}`,
    "GlobalKnownHostsFile=/dev/null",
    "ProxyCommand=none",
    "PermitLocalCommand=no",
    "ControlMaster=no",
    "ConnectTimeout=10",
    `HostName=${addresses[0] ?? url.host}`,
    `HostKeyAlias=${alias}`,
  ];
  const quoted = options.map((option) => `-o '${option}'`).join(" ");
  return `ssh -F /dev/null -i '${join(folder, "key")}' ${quoted}`;
}

function ended({ end, stdout, stderr }: ProgramResult, hidden: readonly string[]): GitEnd {
  switch (end.kind) {
    case "exited": {
      if (end.code === 0) return { kind: "output", stdout: stdout.bytes };
      const text = stderr.bytes.toString();
      return { ...problemOf(text, hidden), stderr: text };
    }
    case "timedOut":
      return gitProblem("TimedOut", `git did not end within ${end.timeoutMs / 1_000} seconds`);
    case "outputLimit":
      return gitProblem("TooLarge", "git answered more than is read");
    case "notFound":
      return end.what === "program"
        ? gitProblem("GitMissing", "the server has no program git")
        : gitProblem("CommitNotFound", "the copy of the repository was removed: try again");
    case "busy":
      return gitProblem("Busy", "too many programs of git wait");
    case "aborted":
    case "memoryLimit":
    case "notStarted":
    case "signalled":
      return gitProblem("Failed", `git ended early (${end.kind})`);
    default:
      return end satisfies never;
  }
}
