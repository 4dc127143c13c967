// The sources of deployments, and the trees of their commits.

import type {
  Git,
  GitBranches,
  GitFile,
  GitRepository,
  GitTree,
} from "../../../adapters/git/port.ts";
import { createRecord } from "../../../acting/claimed-writes.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Intents } from "../../../intents/request.ts";
import { getOwn } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { gitopsVersion, sourcesKind } from "../names.ts";
import { callGit, isProblem, sourceProblem } from "./git-calls.ts";
import type { GitPorts } from "./git-calls.ts";
import { accessTo, credentialName, finalProblem } from "./repository-access.ts";
import { signatureProblem, signersOf } from "./signatures.ts";
import type { AccessPorts } from "./repository-access.ts";
import { sourceFields, sourceName } from "./repository-name.ts";
import type { SourceFields } from "./repository-name.ts";
import type { ResolvedSource, SourceProblem, SourceProblemReason } from "./source-trees.ts";
import type {
  RepositoryFields,
  SourceRevision,
  SourceState,
  SourceTree,
  SourceTrees,
} from "./source-trees.ts";

export interface GitTreesInput extends AccessPorts, GitPorts {
  readonly ports: AccessPorts["ports"] & GitPorts["ports"];
  /** Known when the process has started. */
  readonly intents: () => Intents;
}

const treeLimits = {
  maxFiles: gitopsLimits.maxTreeFiles,
  maxBytes: gitopsLimits.maxTreeBytes,
  maxFileBytes: gitopsLimits.maxFileBytes,
};

export function gitTrees(input: GitTreesInput): SourceTrees {
  return {
    sourceOf: async (deployment, context) => await sourceOf(input, deployment, context),
    resolve: async (deployment, ref, context) => await resolve(input, deployment, ref, context),
    branches: async (owner, repository, context) =>
      await branches(input, owner, repository, context),
    open: async (at, path, context) => await open(input, at, path, context),
  };
}

async function sourceOf(
  input: GitTreesInput,
  deployment: Resource,
  context: Context,
): Promise<SourceState> {
  const { namespace = "" } = deployment.metadata;
  const fields = sourceFields(deployment, await credentialName(input, deployment));
  const refusal = refusalOf(input, deployment, fields);
  if (refusal !== undefined) return refusal;
  const signers = await signersOf(deployment, context);
  if ("reason" in signers) return signers;
  const name = sourceName(fields);
  const source = await context.references.get({ kind: sourcesKind, name });
  if (source === undefined) {
    const metadata = { name, namespace };
    const spec = { ...fields };
    const body = { apiVersion: gitopsVersion, kind: "GitSource", metadata, spec };
    // One that another deployment created meanwhile is as good.
    await createRecord(input.intents(), context, body);
  }
  const problem = source === undefined ? undefined : storedProblem(source);
  const commit = textAt(source ?? {}, "status", "revision");
  if (commit === "") {
    const message = `the repository ${fields.repoURL} has not been read yet`;
    return problem ?? { kind: "pending", name, message };
  }
  const ref = textAt(source ?? {}, "status", "ref");
  const found: SourceRevision = { kind: "revision", name, namespace, commit, ref, ...signers };
  return problem === undefined ? found : { ...found, problem };
}

function refusalOf(
  { policies }: GitTreesInput,
  { metadata: { namespace = "" }, ...deployment }: Resource,
  { repoURL }: SourceFields,
): SourceProblem | undefined {
  const policy = policies.policyOf(namespace);
  const refusal = policy.repositoryRefusal(repoURL);
  if (refusal !== undefined) return finalProblem("PolicyDenied", refusal);
  const isSigned = textAt(deployment, "spec", "source", "verify", "secretName") !== "";
  if (isSigned || !policy.requiresSignature) return undefined;
  const why = "a GitOpsPolicy demands signed commits: set spec.source.verify.secretName";
  return finalProblem("PolicyDenied", why);
}

function storedProblem(source: Resource): SourceProblem | undefined {
  const problem = getOwn(objectAt(source, "status"), "problem");
  if (problem === undefined) return undefined;
  const reason = textAt(source, "status", "problem", "reason") as SourceProblemReason;
  const message = textAt(source, "status", "problem", "message");
  return { kind: "problem", reason, message, isFinal: false };
}

async function resolve(
  input: GitTreesInput,
  deployment: Resource,
  ref: string,
  context: Context,
): Promise<ResolvedSource> {
  const { namespace = "" } = deployment.metadata;
  const fields = sourceFields(deployment, await credentialName(input, deployment));
  const refusal = refusalOf(input, deployment, fields);
  if (refusal !== undefined) return refusal;
  const signers = await signersOf(deployment, context);
  if ("reason" in signers) return signers;
  const { repoURL, credential } = fields;
  const access = await accessTo(input, namespace, repoURL, credential, context);
  if (access.kind === "problem") return access;
  const resolved = await callGit(input, "resolve", repoURL, context, (git, signal) =>
    git.resolve(access.repository, ref, signal),
  );
  if (resolved.kind === "problem") return resolved;
  const { commit, ref: full = "" } = resolved;
  return { kind: "revision", name: sourceName(fields), namespace, commit, ref: full, ...signers };
}

async function branches(
  input: GitTreesInput,
  owner: Resource,
  { repoURL, credential: given }: RepositoryFields,
  context: Context,
): Promise<GitBranches | SourceProblem> {
  const source = { repoURL, ...(given === "" ? {} : { credential: given }) };
  const reader = { ...owner, spec: { source } };
  const { namespace = "" } = owner.metadata;
  const credential = await credentialName(input, reader);
  const access = await accessTo(input, namespace, repoURL, credential, context);
  if (access.kind === "problem") return access;
  const { maxRefs } = gitopsLimits;
  return await callGit(input, "resolve", repoURL, context, (git, signal) =>
    git.branches(access.repository, maxRefs, signal),
  );
}

async function open(
  input: GitTreesInput,
  at: SourceRevision,
  path: string,
  context: Context,
): Promise<SourceTree | SourceProblem> {
  const why = pathProblem(path);
  if (why !== undefined) return finalProblem("PathInvalid", `spec.source.path ${why}`);
  const source = await context.references.get({ kind: sourcesKind, name: at.name });
  if (source === undefined) {
    const message = `the GitSource ${at.name} was deleted`;
    return { kind: "problem", reason: "CommitNotFound", message, isFinal: false };
  }
  const repoURL = textAt(source, "spec", "repoURL");
  const credential = textAt(source, "spec", "credential");
  const access = await accessTo(input, at.namespace, repoURL, credential, context);
  if (access.kind === "problem") return access;
  const { repository } = access;
  const wanted = { commit: at.commit, ref: at.ref === "" ? undefined : at.ref };
  const fetched = await callGit(input, "fetch", repoURL, context, (git, signal) =>
    git.fetch(repository, wanted, signal),
  );
  if (fetched.kind === "problem") return fetched;
  const git = await input.git();
  const unsigned = await signatureProblem(git, repository, at, context.signal);
  if (unsigned !== undefined) return unsigned;
  const tree = await git.tree(repository, at.commit, path, treeLimits, context.signal);
  return isProblem(tree) ? sourceProblem(tree) : sourceTree(git, repository, tree);
}

/** Why a path cannot be a folder of a repository. */
export function pathProblem(path: string): string | undefined {
  if (path.trim() === "") return "is empty: name a folder of the repository, or . for all of it";
  if (path.startsWith("/")) return "must not begin with /: it is relative to the repository";
  if (path.split("/").includes("..")) return "must not contain ..";
  return undefined;
}

function sourceTree(git: Git, repository: GitRepository, tree: GitTree): SourceTree {
  return {
    kind: "tree",
    tree,
    root: async (signal) => {
      const root = await git.tree(repository, tree.commit, "", treeLimits, signal);
      return isProblem(root) ? sourceProblem(root) : root;
    },
    read: async (files: readonly GitFile[], signal) => {
      const read = await git.read(repository, files, signal);
      if (isProblem(read)) throw new ReconcileFailure(failed(read.reason, read.message));
      return read.contents;
    },
    checkout: async (given, signal) => {
      const end = await git.checkout(repository, given, signal);
      return isProblem(end) ? sourceProblem(end) : end;
    },
    // The cache keeps its own bounds.
    [Symbol.asyncDispose]: async () => undefined,
  };
}
