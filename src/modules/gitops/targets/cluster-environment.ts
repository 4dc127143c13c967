/**
 * A managed environment whose cluster pulls. The cluster is a data-plane cluster of this server,
 * and its agent is connected while it gives signs of life.
 */
import { done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { bundlesKind, gitopsGroup, gitopsVersion, heartbeatName } from "../names.ts";
import type { EffectivePolicy } from "../policy/effective-policy.ts";
import { createRecord } from "../sync/records.ts";
import { problem } from "./environment-access.ts";
import type { ConnectionProblem } from "./environment-access.ts";

const clustersKind = "dataplaneclusters.fleet.setpoint.dev";
/** The ServiceAccount of the agent in the namespace of each cluster. */
const agentAccount = "agent";

export interface ClusterPlace {
  readonly kind: "cluster";
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
}

export function clusterOf(environment: Resource): string {
  return textAt(environment.spec, "cluster");
}

export async function findCluster(
  environment: Resource,
  policy: EffectivePolicy,
  { references }: Pick<Context, "references">,
): Promise<ClusterPlace | ConnectionProblem> {
  const name = clusterOf(environment);
  const refusal = policy.clusterRefusal(name);
  if (refusal !== undefined) return problem("PolicyDenied", `spec.cluster: ${refusal}`);
  const cluster = await references.get({ kind: clustersKind, namespace: "", name });
  const namespace = textAt(cluster?.status, "namespace");
  if (cluster === undefined || namespace === "") {
    const what = cluster === undefined ? "does not exist" : "has no namespace yet";
    return problem("ClusterNotFound", `spec.cluster: the data-plane cluster ${name} ${what}`);
  }
  return { kind: "cluster", name, uid: cluster.metadata.uid, namespace };
}

export interface ClusterPorts {
  readonly intents: Intents;
}

/** What the agent needs to take bundles, and whether it gives signs of life. */
export async function reconcileCluster(
  { intents }: ClusterPorts,
  place: ClusterPlace,
  context: Context,
  statusWith: (reason: "Succeeded" | "AgentNotReporting", message: string) => JsonObject,
): Promise<Outcome> {
  const ports = { intents, context };
  for (const record of agentRecords(place.namespace)) await createRecord(ports, record);
  const { namespace } = place;
  const key = { kind: bundlesKind, namespace, name: heartbeatName };
  const record = await intents.store.get(key);
  const beat = record && decodeDocument(record.body, record.revision);
  const seenAt = textAt(beat?.status, "reportedAt");
  const silentMs = context.clock.nowMs() - Date.parse(seenAt);
  const resyncMs = gitopsLimits.agentBeatMs;
  // The time is not stored: it would change with each sign of life.
  if (silentMs <= gitopsLimits.agentSilentMs) {
    return done({
      status: { ...statusWith("Succeeded", ""), agent: { phase: "Reporting", seenAt: null } },
      resyncMs,
    });
  }
  const since = seenAt === "" ? "has not reported yet" : `has not reported since ${seenAt}`;
  const message = `the agent of the data-plane cluster ${place.name} ${since}`;
  const agent = { phase: "Silent", seenAt: seenAt === "" ? null : seenAt };
  return done({
    status: { ...statusWith("AgentNotReporting", message), agent },
    ready: { status: "False", reason: "AgentNotReporting", message },
    resyncMs: Math.min(resyncMs, gitopsLimits.healthPollMs * 5),
  });
}

/** The agent reads its SyncBundles and their payloads, and writes their status. */
function agentRecords(namespace: string): readonly JsonObject[] {
  const rbac = "rbac.authorization.k8s.io";
  const name = "gitops-agent";
  const metadata = { name, namespace };
  const rule = (resource: string, ...verbs: string[]): JsonObject => ({
    apiGroups: [gitopsGroup],
    resources: [resource],
    verbs,
  });
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: [
        rule("syncbundles", "get", "list", "watch"),
        rule("syncbundles/payload", "get"),
        rule("syncbundles/status", "get", "patch"),
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name: agentAccount, namespace }],
    },
    {
      apiVersion: gitopsVersion,
      kind: "SyncBundle",
      metadata: { name: heartbeatName, namespace },
      spec: { deployment: {}, operation: "", part: 0, parts: 0 },
    },
  ];
}
