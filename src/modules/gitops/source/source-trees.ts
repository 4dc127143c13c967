/**
 * What other parts read of a source: the files of a commit. The tree comes from the cache of this
 * process, which fetches the commit when another process resolved it.
 */
import type { Checkout, GitBranches, GitFile } from "../../../adapters/git/port.ts";
import type { GitProblem, GitTree } from "../../../adapters/git/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { Resource } from "../../../kernel/resource.ts";

export interface SourceTrees {
  /**
   * The GitSource of a deployment, created when it does not exist, read by `context.references`: a
   * new revision wakes the deployment.
   */
  sourceOf(deployment: Resource, context: Context): Promise<SourceState>;
  /**
   * Any branch, tag or commit of the repository of a deployment: for SyncRuns and rollbacks.
   * Verified as the deployment demands.
   */
  resolve(deployment: Resource, ref: string, context: Context): Promise<ResolvedSource>;
  /** The branches of a repository, read now. `owner` is of the namespace that reads it. */
  branches(
    owner: Resource,
    repository: RepositoryFields,
    context: Context,
  ): Promise<GitBranches | SourceProblem>;
  /** The files of a path. Every call to the host passes `context.outside`. */
  open(at: SourceRevision, path: string, context: Context): Promise<SourceTree | SourceProblem>;
}

export interface RepositoryFields {
  readonly repoURL: string;
  /** Empty: the credential for this URL, if there is one. */
  readonly credential: string;
}

export type SourceState = ResolvedSource | SourcePending;

/** The source has not been read yet. The engine wakes the deployment when it is. */
export interface SourcePending {
  readonly kind: "pending";
  readonly name: string;
  readonly message: string;
}

export type ResolvedSource = SourceRevision | SourceProblem;

export interface SourceRevision {
  readonly kind: "revision";
  /** The GitSource. */
  readonly name: string;
  readonly namespace: string;
  readonly commit: string;
  /** Such as refs/heads/main; empty for a commit. */
  readonly ref: string;
  /** Who must have signed the commit. */
  readonly signers?: Signers;
  /** The host does not answer now: the revision is the last known one, for the condition. */
  readonly problem?: SourceProblem;
}

export interface Signers {
  /** Public keys: OpenPGP in ASCII armour, or lines as in authorized_keys. */
  readonly keys: readonly string[];
  readonly secretName: string;
  /** Changes with the Secret. */
  readonly digest: string;
}

export interface SourceProblem {
  readonly kind: "problem";
  readonly reason: SourceProblemReason;
  readonly message: string;
  /** False: it can pass without a change by the user. */
  readonly isFinal: boolean;
}

export type SourceProblemReason =
  | GitProblem["reason"]
  | "PathInvalid"
  | "PolicyDenied"
  | "CredentialNotFound"
  | "CredentialInvalid";

/** Disposing of it lets the cache remove the commit. */
export interface SourceTree extends AsyncDisposable {
  readonly kind: "tree";
  readonly tree: GitTree;
  /** The whole repository, for a kustomization whose bases are outside of the path. */
  root(signal: AbortSignal): Promise<GitTree | SourceProblem>;
  read(files: readonly GitFile[], signal: AbortSignal): Promise<readonly Uint8Array[]>;
  /** The files in a folder, until it is disposed of. */
  checkout(tree: GitTree, signal: AbortSignal): Promise<Checkout | SourceProblem>;
}
