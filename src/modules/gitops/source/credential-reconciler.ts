// Checks a GitOpsDeploymentRepositoryCredential with its repository, about every ten minutes and
// after each change of its Secret. Deployments that name no credential find it by its URL, so they
// are woken when it changes.

import { CallRefused } from "../../../engine/external/call-refused.ts";
import { done } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { Intents } from "../../../intents/request.ts";
import { setCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Schedule } from "../../../store/port.ts";
import { gitopsLimits } from "../limits.ts";
import { credentialsKind, deploymentKey, deploymentsKind } from "../names.ts";
import { credentialConditions } from "./credential-conditions.ts";
import { credentialOf } from "./credential-secret.ts";
import type { CredentialFault } from "./credential-secret.ts";
import { callGit, untouched } from "./git-calls.ts";
import type { GitPorts } from "./git-calls.ts";
import { accessTo } from "./repository-access.ts";
import type { AccessPorts } from "./repository-access.ts";
import { comparableUrl } from "./repository-name.ts";
import type { SourceProblem } from "./source-trees.ts";

export interface CredentialReconcilerInput extends AccessPorts, GitPorts {
  readonly ports: AccessPorts["ports"] & GitPorts["ports"];
  readonly intents: Intents;
}

const retryMs = 30_000;

export function credentialReconciler(input: CredentialReconcilerInput): Reconciler {
  return {
    kind: credentialsKind,
    timeoutMs: gitopsLimits.gitTimeoutMs * 2,
    concurrency: 50,
    reconcile: async (resource, context) => {
      try {
        return await check(input, resource, context);
      } catch (error) {
        if (error instanceof CallRefused) return untouched(error);
        throw error;
      }
    },
  };
}

interface Checked {
  readonly found: CredentialFault | SourceProblem | undefined;
  readonly secretDigest: string;
}

async function check(
  input: CredentialReconcilerInput,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const { found, secretDigest } = await checked(input, resource, context);
  const repository = comparableUrl(textAt(resource, "spec", "repository"));
  const isNews =
    textAt(resource, "status", "secretDigest") !== secretDigest ||
    textAt(resource, "status", "repository") !== repository;
  if (isNews) await wakeDeployments(input, resource, repository, context);
  const nowMs = context.clock.nowMs();
  let conditions = objectsAt(resource, "status", "conditions") as readonly Condition[];
  for (const condition of credentialConditions(found)) {
    conditions = setCondition(conditions, condition, nowMs);
  }
  const message = found?.message ?? "";
  const status = { conditions, repository, secretDigest, message };
  const pollMs = gitopsLimits.credentialCheckSeconds * 1_000;
  if (found === undefined) return done({ status, resyncMs: pollMs });
  const ready: Readiness = { status: "False", reason: found.reason, message };
  const isFinal = found.kind === "fault" || found.isFinal;
  return done({ status, ready, resyncMs: isFinal ? pollMs : retryMs });
}

async function checked(
  input: CredentialReconcilerInput,
  resource: Resource,
  context: Context,
): Promise<Checked> {
  const { namespace = "", name } = resource.metadata;
  const secretName = textAt(resource, "spec", "secret");
  const secret =
    secretName === ""
      ? undefined
      : await context.references.get({ kind: "secrets", name: secretName });
  const credential = credentialOf(resource, secret);
  if (credential.kind === "fault") return { found: credential, secretDigest: "" };
  const url = textAt(resource, "spec", "repository");
  const access = await accessTo(input, namespace, url, name, context);
  if (access.kind === "problem") return { found: access, secretDigest: "" };
  const resolved = await callGit(input, "resolve", url, context, (git, signal) =>
    git.resolve(access.repository, "", signal),
  );
  // A repository without a commit has been read, too.
  const isRead = resolved.kind !== "problem" || resolved.reason === "RefNotFound";
  const { credentialDigest: secretDigest } = access;
  return { found: isRead ? undefined : resolved, secretDigest };
}

async function wakeDeployments(
  { ports: { store }, intents }: CredentialReconcilerInput,
  { metadata: { namespace = "" } }: Resource,
  repository: string,
  context: Context,
): Promise<void> {
  const wakes: Schedule[] = [];
  let page = await store.list({ kind: deploymentsKind, namespace });
  for (;;) {
    for (const { body, revision, uid } of page.records) {
      const deployment = decodeDocument(body, revision);
      if (textAt(deployment, "spec", "source", "credential") !== "") continue;
      const url = comparableUrl(textAt(deployment, "spec", "source", "repoURL"));
      if (url !== repository) continue;
      wakes.push(wake(deploymentKey(namespace, deployment.metadata.name), uid));
    }
    if (page.next === undefined) break;
    page = await store.list({ kind: deploymentsKind, namespace, from: page.next });
  }
  await commitWakes(intents.store, wakes, context.signal);
}
