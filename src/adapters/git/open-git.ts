/** The implementation of port.ts with the program git. */
import { lookup } from "node:dns/promises";
import { mkdir, mkdtemp } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Timers } from "../../kernel/timers.ts";
import type { ProcessRunner } from "../process/port.ts";
import { closeCacheFolder, openCacheFolder } from "./cache-folder.ts";
import { Caches } from "./caches.ts";
import { Fetcher } from "./fetcher.ts";
import type { Local } from "./fetcher.ts";
import { runGit } from "./git-command.ts";
import type { GitCommandPorts, LocalGit, Remote } from "./git-command.ts";
import { gitProblem } from "./git-messages.ts";
import { tenantSlots } from "../../kernel/tenant-slots.ts";
import { isCommitId, isRefName, parseGitUrl } from "./git-url.ts";
import { localRemote } from "./local-remote.ts";
import type { Git, GitOptions, GitProblem, GitRepository } from "./port.ts";
import { checkoutTree, readFiles, readTree } from "./read-tree.ts";
import { singleFlight } from "./single-flight.ts";
import { verifyCommit } from "./verify-commit.ts";

export interface GitPorts {
  readonly runner: ProcessRunner;
  readonly timers: Timers;
  /** All addresses of a host. Rejects when there is none. */
  readonly resolveHost?: (host: string) => Promise<readonly string[]>;
}

const maxListBytes = 8_388_608;
const waitingCalls = 1_000;

export async function openGit(ports: GitPorts, options: GitOptions): Promise<Git> {
  const { runner, timers, resolveHost = systemAddresses } = ports;
  const folder = await openCacheFolder(options.folder);
  const calls = join(folder, "calls");
  await mkdir(calls, { mode: 0o700 });
  const caches = new Caches(folder, options);
  const { program } = options;
  const commands: GitCommandPorts = { runner, program, folder: calls };
  // Reads of copies have places of their own, so hosts that hang do not stop them.
  const ofReads = Math.max(1, Math.floor(options.maxPrograms / 4));
  const slots = tenantSlots({ slots: ofReads, share: ofReads, queue: waitingCalls });
  const local: Local = async (repository, tenant, signal, args, more = {}) => {
    const { fetchTimeoutMs: timeoutMs } = options;
    const bounds = { timeoutMs, maxOutputBytes: maxListBytes };
    return await runGit(commands, { args, repository, tenant, slots, signal, ...bounds, ...more });
  };
  const hostCalls = Math.max(1, options.maxPrograms - ofReads);
  const fetcher = new Fetcher({ timers, commands, options, local, hostCalls });
  /** Runs git in the copy of a repository; with `CommitNotFound` when there is none. */
  const inCache = async <T extends { readonly kind: string }>(
    { cache: key, tenant }: GitRepository,
    signal: AbortSignal,
    work: (run: LocalGit) => Promise<T>,
  ): Promise<T | GitProblem> => {
    const cache = caches.find(key);
    if (cache === undefined) return gitProblem("CommitNotFound", "the commit was not fetched");
    const result: T | GitProblem = await caches.read(
      cache,
      async (at) => await work((args, more) => local(at, tenant, signal, args, more)),
    );
    // Something else removed files of the copy: the next fetch is a real one.
    if ("reason" in result && result.reason === "CommitNotFound") cache.commits.clear();
    return result;
  };
  return {
    ...remoteReads(fetcher, caches, (repository) =>
      remoteOf(repository, options.localRepositories, resolveHost),
    ),
    tree: async (repository, commit, path, limits, signal) =>
      await inCache(repository, signal, async (run) => await readTree(run, commit, path, limits)),
    read: async (repository, files, signal) =>
      await inCache(repository, signal, async (run) => await readFiles(run, files)),
    checkout: async (repository, tree, signal) =>
      await inCache(repository, signal, async (run) => {
        const target = await mkdtemp(join(folder, "tree-"));
        return await checkoutTree(run, tree.files, target);
      }),
    verify: async (repository, commit, keys, signal) =>
      await inCache(repository, signal, async (run) => await verifyCommit(run, commit, keys)),
    cacheBytes: () => caches.bytes,
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      await closeCacheFolder(folder);
    },
  };
}

function remoteReads(
  fetcher: Fetcher,
  caches: Caches,
  remoteFor: (repository: GitRepository) => Promise<Remote | GitProblem>,
): Pick<Git, "resolve" | "branches" | "fetch"> {
  const flights = singleFlight();
  return {
    resolve: async (repository, ref, signal) => {
      if (isCommitId(ref)) return { kind: "resolved", commit: ref, ref: undefined };
      if (ref !== "" && !isRefName(ref)) {
        return gitProblem("RefNotFound", "the branch or tag has a name that git does not allow");
      }
      const key = `resolve ${repository.cache} ${ref}`;
      return await flights.run(key, signal, async (shared) => {
        const remote = await remoteFor(repository);
        return "reason" in remote ? remote : await fetcher.resolve(remote, ref, shared);
      });
    },
    branches: async (repository, most, signal) => {
      const key = `branches ${repository.cache} ${most}`;
      return await flights.run(key, signal, async (shared) => {
        const remote = await remoteFor(repository);
        return "reason" in remote ? remote : await fetcher.branches(remote, most, shared);
      });
    },
    fetch: async (repository, wanted, signal) => {
      const { commit } = wanted;
      if (!isCommitId(commit)) {
        return gitProblem("CommitNotFound", "a commit is named by its full id");
      }
      const isKnown = caches.find(repository.cache)?.commits.has(commit) ?? false;
      if (isKnown) return { kind: "fetched", commit, isNew: false };
      return await flights.run(`fetch ${repository.cache} ${commit}`, signal, async (shared) => {
        const remote = await remoteFor(repository);
        if ("reason" in remote) return remote;
        return await caches.fetch(repository.cache, async (cache) => {
          shared.throwIfAborted();
          const fetched = await fetcher.fetch(remote, wanted, cache.folder, shared);
          if (fetched.kind === "fetched") cache.commits.add(commit);
          return fetched;
        });
      });
    },
  };
}

async function remoteOf(
  repository: GitRepository,
  localRepositories: string | undefined,
  resolveHost: NonNullable<GitPorts["resolveHost"]>,
): Promise<Remote | GitProblem> {
  const url = parseGitUrl(repository.url);
  if (url.kind === "problem") return url;
  if (url.scheme === "local") return await localRemote(repository, url, localRepositories);
  const { credential } = repository;
  if (url.scheme === "ssh" && credential?.kind !== "ssh") {
    return gitProblem("AuthenticationFailed", "SSH needs a credential with sshPrivateKey");
  }
  if (url.scheme === "https" && credential?.kind === "ssh") {
    return gitProblem(
      "AuthenticationFailed",
      "https needs a credential with username and password",
    );
  }
  if (credential?.kind === "ssh" && credential.knownHosts.trim() === "") {
    return gitProblem("HostKeyInvalid", "SSH needs spec.knownHosts of the credential");
  }
  let addresses: readonly string[];
  try {
    addresses = isIP(url.host) === 0 ? await resolveHost(url.host) : [url.host];
  } catch {
    return gitProblem("HostUnreachable", `the git host ${url.host} has no address`);
  }
  for (const address of addresses) {
    const refusal = repository.refuseAddress(address, url.host);
    if (refusal !== undefined) return gitProblem("AddressRefused", refusal);
  }
  return { url, addresses, from: repository };
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}
