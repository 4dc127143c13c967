// Who must have signed the commits of a deployment, and whether they did.

import type { Git, GitRepository } from "../../../adapters/git/port.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import { isProblem, sourceProblem } from "./git-calls.ts";
import { finalProblem } from "./repository-access.ts";
import { digest } from "./repository-name.ts";
import type { Signers, SourceProblem, SourceRevision } from "./source-trees.ts";

/** Read as a reference: a change of the Secret wakes the deployment. */
export async function signersOf(
  deployment: Resource,
  context: Context,
): Promise<{ readonly signers?: Signers } | SourceProblem> {
  const name = textAt(deployment, "spec", "source", "verify", "secretName");
  if (name === "") return {};
  const secret = await context.references.get({ kind: "secrets", name });
  if (secret === undefined) {
    const message = `the Secret ${name} of spec.source.verify does not exist in this namespace`;
    return finalProblem("SignatureInvalid", message);
  }
  const keys = Object.values(secretData(secret) ?? {});
  const { uid, resourceVersion = "" } = secret.metadata;
  return { signers: { keys, secretName: name, digest: digest(uid, resourceVersion) } };
}

export async function signatureProblem(
  git: Git,
  repository: GitRepository,
  { commit, signers }: SourceRevision,
  signal: AbortSignal,
): Promise<SourceProblem | undefined> {
  if (signers === undefined) return undefined;
  const verified = await git.verify(repository, commit, signers.keys, signal);
  if (!isProblem(verified)) return undefined;
  const { message, ...problem } = sourceProblem(verified);
  return { ...problem, message: `${message} (Secret ${signers.secretName})` };
}
