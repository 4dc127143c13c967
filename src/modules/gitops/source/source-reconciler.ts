// Compares a GitSource with its repository, about every three minutes. A comparison that finds
// nothing new changes nothing, so that it wakes no deployment.

import { deleteRecord } from "../../../acting/claimed-writes.ts";
import { CallRefused } from "../../../engine/external/call-refused.ts";
import { done } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { timeText } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { fetchesMetric } from "../metrics.ts";
import { deploymentSetsKind, deploymentsKind, sourceKey, sourcesKind } from "../names.ts";
import { callGit, untouched } from "./git-calls.ts";
import type { GitPorts } from "./git-calls.ts";
import { accessTo } from "./repository-access.ts";
import type { AccessPorts } from "./repository-access.ts";
import { isLocal } from "./repository-name.ts";
import type { SourceProblem } from "./source-trees.ts";

export interface SourceReconcilerInput extends AccessPorts, GitPorts {
  readonly ports: AccessPorts["ports"] & GitPorts["ports"];
  readonly intents: Intents;
  readonly pollSeconds: number;
}

/** A new source, whose deployment has not stored its name yet, is kept for so long. */
const unusedMs = 600_000;
const retryMs = 30_000;

export function sourceReconciler(input: SourceReconcilerInput): Reconciler {
  return {
    kind: sourcesKind,
    timeoutMs: gitopsLimits.gitTimeoutMs * 2,
    concurrency: 100,
    reconcile: async (source, context) => {
      const usage = await usageOf(input, source);
      const ageMs = context.clock.nowMs() - Date.parse(source.metadata.creationTimestamp ?? "");
      if (!usage.isUsed && ageMs > unusedMs) {
        const { name, namespace = "" } = source.metadata;
        await deleteRecord(input.intents, context, sourceKey(namespace, name));
        return done();
      }
      try {
        return await compare(input, source, usage.pollSeconds, context);
      } catch (error) {
        if (error instanceof CallRefused) return refused(source, error, context);
        throw error;
      }
    },
  };
}

interface Usage {
  readonly isUsed: boolean;
  readonly pollSeconds: number;
}

/** The shortest interval of the deployments of the source counts. */
async function usageOf(
  { ports: { store }, pollSeconds }: SourceReconcilerInput,
  { metadata: { name, namespace = "" }, spec }: Resource,
): Promise<Usage> {
  // A comparison with a local repository costs no host anything.
  const isNear = isLocal(textAt(spec, "repoURL"));
  const unstated = isNear ? Math.min(pollSeconds, gitopsLimits.localPollSeconds) : pollSeconds;
  const intervals: number[] = [];
  let page = await store.list({ kind: deploymentsKind, namespace });
  for (;;) {
    for (const { body, revision } of page.records) {
      const deployment = decodeDocument(body, revision);
      if (textAt(deployment, "status", "source", "name") !== name) continue;
      const interval = objectAt(deployment, "spec", "source")["intervalSeconds"];
      intervals.push(typeof interval === "number" ? interval : unstated);
    }
    if (page.next === undefined) break;
    page = await store.list({ kind: deploymentsKind, namespace, from: page.next });
  }
  if (await isReadBySet(store, namespace, name)) intervals.push(unstated);
  const isUsed = intervals.length > 0;
  return { isUsed, pollSeconds: isUsed ? Math.min(...intervals) : unstated };
}

/** Sets read folders of repositories. */
async function isReadBySet(
  store: SourceReconcilerInput["ports"]["store"],
  namespace: string,
  source: string,
): Promise<boolean> {
  let page = await store.list({ kind: deploymentSetsKind, namespace });
  for (;;) {
    for (const { body, revision } of page.records) {
      const set = decodeDocument(body, revision);
      if (textsAt(set, "status", "sources").includes(source)) return true;
    }
    if (page.next === undefined) return false;
    page = await store.list({ kind: deploymentSetsKind, namespace, from: page.next });
  }
}

async function compare(
  input: SourceReconcilerInput,
  source: Resource,
  pollSeconds: number,
  context: Context,
): Promise<Outcome> {
  const { namespace = "" } = source.metadata;
  const repoURL = textAt(source, "spec", "repoURL");
  const ref = textAt(source, "spec", "targetRevision");
  const credential = textAt(source, "spec", "credential");
  const jitter = 1 + gitopsLimits.pollJitter * context.random.next();
  const resyncMs = Math.round(pollSeconds * 1_000 * jitter);
  const access = await accessTo(input, namespace, repoURL, credential, context);
  if (access.kind === "problem") return withProblem(input, source, access, resyncMs, context);
  const { repository, credentialDigest } = access;
  const resolved = await callGit(input, "resolve", repoURL, context, (git, signal) =>
    git.resolve(repository, ref, signal),
  );
  if (resolved.kind === "problem") return withProblem(input, source, resolved, resyncMs, context);
  const { commit, ref: full = "" } = resolved;
  const before = objectAt(source, "status");
  const isChanged = before["revision"] !== commit || before["ref"] !== full;
  input.ports.meter.count(fetchesMetric, { result: isChanged ? "fetched" : "unchanged" });
  const changedAt = isChanged ? { changedAt: timeText(context.clock.nowMs()) } : {};
  const status: JsonObject = { revision: commit, ref: full, credentialDigest, problem: null };
  return done({ status: { ...status, ...changedAt }, resyncMs });
}

/** Nothing has become known. A source that was never read says why. */
function refused(source: Resource, error: CallRefused, context: Context): Outcome {
  const isKnown = textAt(source, "status", "revision") !== "";
  if (isKnown || textAt(source, "status", "problem", "reason") !== "") return untouched(error);
  const { why, afterMs: resyncMs } = error;
  if (why === "Busy") return untouched(error);
  const reason = "HostUnreachable";
  const message = "the git host failed several times and is not called now";
  const problem = { reason, message, since: timeText(context.clock.nowMs()) };
  return done({ status: { problem }, ready: { status: "False", reason, message }, resyncMs });
}

/** The last revision stays. The same problem again changes nothing. */
function withProblem(
  { ports: { meter } }: SourceReconcilerInput,
  source: Resource,
  { reason, message, isFinal }: SourceProblem,
  pollMs: number,
  context: Context,
): Outcome {
  meter.count(fetchesMetric, { result: "failed" });
  const before = objectAt(source, "status", "problem");
  const isSame = before["reason"] === reason && before["message"] === message;
  const since = isSame ? textAt(before, "since") : timeText(context.clock.nowMs());
  const ready: Readiness = { status: "False", reason, message };
  const resyncMs = isFinal ? pollMs : Math.min(pollMs, retryMs);
  return done({ status: { problem: { reason, message, since } }, ready, resyncMs });
}
