// Calls to git hosts: the commit of a ref, and a commit with its files.

import type { Timers } from "../../kernel/timers.ts";
import { folderBytes } from "./caches.ts";
import { runGit } from "./git-command.ts";
import type { GitCommand, GitCommandPorts, GitEnd, LocalGit, Remote } from "./git-command.ts";
import { gitProblem, isCommitRefused } from "./git-messages.ts";
import { tenantSlots } from "../../kernel/tenant-slots.ts";
import type { TenantSlots } from "../../kernel/tenant-slots.ts";
import { branchesIn, chosenRef, refPatterns } from "./ls-remote.ts";
import type { FetchedCommit, GitBranches, GitOptions, GitProblem } from "./port.ts";
import type { ResolvedRef, WantedCommit } from "./port.ts";

export type Local = (
  repository: string,
  tenant: string,
  signal: AbortSignal,
  ...run: Parameters<LocalGit>
) => Promise<GitEnd>;

export interface FetcherInput {
  readonly timers: Timers;
  readonly commands: GitCommandPorts;
  readonly options: GitOptions;
  readonly local: Local;
  /** At a time. */
  readonly hostCalls: number;
}

const maxListBytes = 8_388_608;
const waitingCalls = 1_000;
const sizeCheckMs = 500;
/** What git means by "all commits". */
const allCommits = 2_147_483_647;

export class Fetcher {
  readonly #input: FetcherInput;
  readonly #slots: TenantSlots;

  constructor(input: FetcherInput) {
    this.#input = input;
    const slots = input.hostCalls;
    const share = Math.max(1, Math.floor(slots / 2));
    this.#slots = tenantSlots({ slots, share, queue: waitingCalls });
  }

  async resolve(
    remote: Remote,
    ref: string,
    signal: AbortSignal,
  ): Promise<ResolvedRef | GitProblem> {
    const { commands, options } = this.#input;
    const args = ["ls-remote", "--symref", "--", remote.url.text, ...refPatterns(ref)];
    const { resolveTimeoutMs: timeoutMs } = options;
    const end = await this.#call(remote, { args, repository: commands.folder, timeoutMs, signal });
    return end.kind === "output" ? chosenRef(end.stdout.toString(), ref) : withoutStderr(end);
  }

  async branches(
    remote: Remote,
    most: number,
    signal: AbortSignal,
  ): Promise<GitBranches | GitProblem> {
    const { commands, options } = this.#input;
    const args = ["ls-remote", "--heads", "--", remote.url.text];
    const { resolveTimeoutMs: timeoutMs } = options;
    const end = await this.#call(remote, { args, repository: commands.folder, timeoutMs, signal });
    return end.kind === "output" ? branchesIn(end.stdout.toString(), most) : withoutStderr(end);
  }

  /** Fetches the files of one commit, and older commits only where the host sends no single one. */
  async fetch(
    remote: Remote,
    { commit, ref }: WantedCommit,
    folder: string,
    signal: AbortSignal,
  ): Promise<FetchedCommit | GitProblem> {
    const { local, options } = this.#input;
    const has = async (): Promise<boolean> => {
      const args = ["cat-file", "-e", `${commit}^{tree}`];
      return (await local(folder, remote.from.tenant, signal, args)).kind === "output";
    };
    return await this.#withinSize(folder, signal, async (until) => {
      const from = async (depth: number, refspec: string): Promise<GitEnd> =>
        await this.#fetch(remote, folder, depth, refspec, until);
      let end = await from(1, `+${commit}:refs/setpoint/${commit}`);
      if (end.kind === "problem" && isCommitRefused(end.stderr ?? "")) {
        const refspec =
          ref === undefined ? "+refs/heads/*:refs/setpoint/heads/*" : `+${ref}:refs/setpoint/tip`;
        end = await from(1, refspec);
        if (end.kind === "output" && !(await has())) end = await from(allCommits, refspec);
      }
      if (end.kind === "problem") {
        const { fetchTimeoutMs } = options;
        return end.reason === "TimedOut" ? timedOut(fetchTimeoutMs) : withoutStderr(end);
      }
      if (await has()) return { kind: "fetched", commit, isNew: true };
      return gitProblem("CommitNotFound", `the repository has no commit ${commit}`);
    });
  }

  async #fetch(
    remote: Remote,
    repository: string,
    depth: number,
    refspec: string,
    signal: AbortSignal,
  ): Promise<GitEnd> {
    const fixed = ["--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
    const from = ["--", remote.url.text, refspec];
    const args = ["fetch", ...fixed, `--depth=${depth}`, ...from];
    const { fetchTimeoutMs: timeoutMs } = this.#input.options;
    return await this.#call(remote, { args, repository, timeoutMs, signal });
  }

  async #call(
    remote: Remote,
    command: Pick<GitCommand, "args" | "repository" | "timeoutMs" | "signal">,
  ): Promise<GitEnd> {
    const { tenant } = remote.from;
    const more = { slots: this.#slots, tenant, maxOutputBytes: maxListBytes, remote };
    return await runGit(this.#input.commands, { ...command, ...more });
  }

  /** Ends the work when the folder grows too large. */
  async #withinSize<T>(
    folder: string,
    signal: AbortSignal,
    work: (until: AbortSignal) => Promise<T>,
  ): Promise<T | GitProblem> {
    const { timers, options } = this.#input;
    const most = options.maxRepositoryBytes;
    const stop = new AbortController();
    const watch = new AbortController();
    const watching = watchSize(timers, folder, most, watch.signal, () => stop.abort());
    try {
      return await work(AbortSignal.any([signal, stop.signal]));
    } catch (error) {
      if (!stop.signal.aborted || signal.aborted) throw error;
      return gitProblem("TooLarge", `the repository is too large: at most ${most} bytes are read`);
    } finally {
      watch.abort();
      await watching;
    }
  }
}

function withoutStderr({ reason, message }: GitProblem): GitProblem {
  return gitProblem(reason, message);
}

function timedOut(timeoutMs: number): GitProblem {
  return gitProblem("TimedOut", `the fetch did not end within ${timeoutMs / 1_000} seconds`);
}

/** Resolves when the signal aborts. */
async function watchSize(
  timers: Timers,
  folder: string,
  most: number,
  signal: AbortSignal,
  onTooLarge: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await timers.sleep(sizeCheckMs, signal).catch(() => undefined);
    if (!signal.aborted && (await folderBytes(folder)) > most) onTooLarge();
  }
}
