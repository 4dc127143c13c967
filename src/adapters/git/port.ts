/**
 * Reads git repositories with the program git. The contract, which contract/suite.ts proves:
 *
 *  1. Nothing in a repository runs: no hooks, filters, submodules, LFS or `ext::` transports. The
 *     configuration of the machine and of the user is not read, and git never prompts.
 *  2. A credential reaches git through a pipe or a file that only this user can read, never through
 *     an argument, a URL, the environment of another program or a message.
 *  3. How a call ended is data: a `GitProblem` whose message can be shown to the tenant. Calls
 *     throw only when their signal aborts.
 *  4. Every call has a limit on time, output and bytes on disk. When it ends, no process is left.
 *  5. One bare repository for each `cache`; calls for the same cache with the same purpose run
 *     once (single flight), and a call that hangs does not hold a lock that another caller needs.
 *  6. At most `maxPrograms` programs run at a time. `tenant` is the turn: a tenant whose host hangs
 *     never has all places.
 *  7. A redirect to another host, and an address for which `refuseAddress` gives a reason, are not
 *     connected to. The check and the connection use the same address.
 *  8. A local repository is below the folder `localRepositories`, also after links are followed,
 *     and belongs to the user of this process. No other path of this machine is read.
 *  9. A killed process leaves a cache that the next one can use or remove.
 */

export interface GitOptions {
  /** A name in PATH or an absolute path. */
  readonly program: string;
  /** Of the caches; created when it is missing, readable by this user only. */
  readonly folder: string;
  readonly maxPrograms: number;
  readonly maxRepositoryBytes: number;
  readonly maxCacheBytes: number;
  readonly resolveTimeoutMs: number;
  readonly fetchTimeoutMs: number;
  /** The folder of the repositories local://PATH. Undefined: there are none. */
  readonly localRepositories?: string | undefined;
}

export type OpenGit = (options: GitOptions) => Promise<Git>;

export interface Git extends AsyncDisposable {
  /** The commit of a branch, tag or commit id, without a fetch (`ls-remote`). */
  resolve(
    repository: GitRepository,
    ref: string,
    signal: AbortSignal,
  ): Promise<ResolvedRef | GitProblem>;
  /** All branches, sorted by name, without a fetch. More than `most` are a problem. */
  branches(
    repository: GitRepository,
    most: number,
    signal: AbortSignal,
  ): Promise<GitBranches | GitProblem>;
  /** Brings a commit with its files into the cache; at once when it is there. */
  fetch(
    repository: GitRepository,
    wanted: WantedCommit,
    signal: AbortSignal,
  ): Promise<FetchedCommit | GitProblem>;
  /** The files below a path of a fetched commit. A path that is a file is a tree of one file. */
  tree(
    repository: GitRepository,
    commit: string,
    path: string,
    limits: TreeLimits,
    signal: AbortSignal,
  ): Promise<GitTree | GitProblem>;
  /** The contents of files of a tree, in the given order. */
  read(
    repository: GitRepository,
    files: readonly GitFile[],
    signal: AbortSignal,
  ): Promise<FileContents | GitProblem>;
  /** Writes the files of a tree into a folder of the adapter. Links are refused by `tree`. */
  checkout(
    repository: GitRepository,
    tree: GitTree,
    signal: AbortSignal,
  ): Promise<Checkout | GitProblem>;
  /**
   * Whether one of the keys has signed a fetched commit. A key is public: OpenPGP in ASCII armour,
   * or lines as in authorized_keys. Everything else is a problem with the reason SignatureInvalid.
   */
  verify(
    repository: GitRepository,
    commit: string,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<SignedCommit | GitProblem>;
  /** Bytes of all caches. */
  cacheBytes(): number;
}

export interface GitRepository {
  /** https://…, ssh://… or local://…, without a user name or a password for https. */
  readonly url: string;
  /** The key of the bare cache: a digest over URL, tenant and credential. */
  readonly cache: string;
  /** The uid of the namespace. */
  readonly tenant: string;
  readonly credential: GitCredential | undefined;
  /** PEM. Undefined: the authorities of the system. */
  readonly caBundle?: string | undefined;
  /** Why an address must not be connected to; undefined: it may. */
  readonly refuseAddress: (address: string, host: string) => string | undefined;
}

export type GitCredential =
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | {
      readonly kind: "ssh";
      readonly privateKey: string;
      /** As in the file known_hosts. SSH without it is refused. */
      readonly knownHosts: string;
    };

export interface ResolvedRef {
  readonly kind: "resolved";
  /** The full id of the commit; a tag object is peeled. */
  readonly commit: string;
  /** Such as refs/heads/main; undefined for a commit id. */
  readonly ref: string | undefined;
}

export interface GitBranches {
  readonly kind: "branches";
  readonly branches: readonly GitBranch[];
}

export interface GitBranch {
  /** Without refs/heads/. */
  readonly name: string;
  readonly commit: string;
}

/**
 * HEAD, a full name such as refs/heads/main, or a short one. A short name that is both a branch and
 * a tag is the branch, and `ResolvedRef.ref` shows it.
 */
export interface WantedCommit {
  readonly commit: string;
  /** Of the ref, for hosts that do not send single commits. */
  readonly ref: string | undefined;
}

export interface FetchedCommit {
  readonly kind: "fetched";
  readonly commit: string;
  /** False when the cache had it. */
  readonly isNew: boolean;
}

export interface TreeLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly maxFileBytes: number;
}

export interface GitTree {
  readonly kind: "tree";
  readonly commit: string;
  readonly path: string;
  /** Of the path: the same contents have the same id, in every commit. */
  readonly treeId: string;
  /** Of the whole repository at this commit. */
  readonly rootTreeId: string;
  /** Sorted by path. */
  readonly files: readonly GitFile[];
}

export interface GitFile {
  /** Relative to the root of the repository, with slashes. */
  readonly path: string;
  readonly blobId: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
}

export interface FileContents {
  readonly kind: "contents";
  readonly contents: readonly Uint8Array[];
}

/** Disposing of it deletes the folder. */
export interface Checkout extends AsyncDisposable {
  readonly kind: "checkout";
  /** Readable by this user only. The files have their paths of the repository below it. */
  readonly folder: string;
}

export interface SignedCommit {
  readonly kind: "signed";
  readonly commit: string;
}

export interface GitProblem {
  readonly kind: "problem";
  readonly reason: GitProblemReason;
  /** For the tenant: without credentials, and without the name of a folder of this machine. */
  readonly message: string;
  /** Of the host (Retry-After). */
  readonly retryAfterMs?: number;
}

export type GitProblemReason =
  | "InvalidUrl"
  | "AddressRefused"
  | "HostUnreachable"
  | "CertificateInvalid"
  | "HostKeyInvalid"
  | "AuthenticationFailed"
  | "RepositoryNotFound"
  | "RefNotFound"
  | "CommitNotFound"
  | "PathNotFound"
  /** The tree has a symbolic link, a submodule, or a name that the system cannot write. */
  | "UnsafeTree"
  | "SignatureInvalid"
  | "TooLarge"
  | "TimedOut"
  /** Too many calls wait; the host limits requests; git ended in another way. */
  | "Busy"
  | "GitMissing"
  | "Failed";
