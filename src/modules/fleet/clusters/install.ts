// Equips a cluster ("terraforming"): its namespace and credential in this server, and its agent
// through the executor. Durable steps, which are performed again when the settings change or the
// token of the agent needs to be replaced. Changes by others are repaired in each run.

import { hash } from "node:crypto";
import { failed, ReconcileFailure } from "../../../engine/outcome.ts";
import type { ChildDocument, Context, Step } from "../../../engine/reconciler.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { equalJson, isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { readKubeconfig } from "../../../kernel/kubeconfig.ts";
import type { KubeAccess } from "../../../kernel/kubeconfig.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { parseYaml } from "../../../kernel/yaml.ts";
import { offeringsKind } from "../names.ts";
import { readOffering } from "../offering.ts";
import type { Offering } from "../offering.ts";
import { agentName } from "./agent-manifest.ts";
import type { ManifestSettings } from "./agent-manifest.ts";
import type { IssueToken } from "./agent-token.ts";
import { tokenEpoch } from "./agent-token.ts";
import { clusterResources } from "./cluster-resources.ts";
import { readCluster } from "./cluster.ts";
import type { DataPlaneCluster } from "./cluster.ts";
import type { ClusterExecutor } from "./executor.ts";

export interface InstallPorts {
  readonly live: Pick<LiveView, "all" | "get">;
  readonly executorOf: (kind: DataPlaneCluster["executor"]["kind"]) => ClusterExecutor;
  readonly issueToken: IssueToken;
}

export interface InstallInput {
  readonly resource: Resource;
  readonly context: Context;
  readonly phaseSinceMs: number;
}

export async function installCluster(ports: InstallPorts, input: InstallInput): Promise<void> {
  const { context } = input;
  const cluster = readCluster(input.resource);
  const offerings = [...ports.live.all(offeringsKind)];
  const groups = appliedGroups(
    offerings.map(({ resource }) => readOffering(resource)),
    cluster,
  );
  const nowMs = context.clock.nowMs();
  const epoch = cluster.executor.kind === "kubernetes" ? tokenEpoch(nowMs) : 0;
  const { executor, dns } = cluster;
  const about = canonicalJson({ executor: settingsOf(executor), dns, groups, epoch });
  await context.perform({
    name: "install",
    about: hash("sha256", about, "hex"),
    steps: [...ownSteps(cluster.id, context), agentStep(ports, { ...input, cluster, groups })],
  });
  for (const { document } of clusterResources(cluster.id)) {
    if (!isApplied(ports.live, document, cluster.uid)) await context.children.apply(document);
  }
}

/** As the live view shows it: a cluster that is as it should be costs no reads of the store. */
function isApplied(live: InstallPorts["live"], document: ChildDocument, owner: string): boolean {
  const { metadata, kind, apiVersion, ...rest } = document;
  const { name, namespace = "", labels = {} } = metadata;
  const found = live.get({ kind: kindOf(apiVersion, kind), namespace, name })?.resource;
  const owners = found?.metadata.ownerReferences ?? [];
  if (found === undefined || !owners.some(({ uid }) => uid === owner)) return false;
  const isLabelled = Object.entries(labels).every(([key, value]) => {
    return found.metadata.labels?.[key] === value;
  });
  return isLabelled && Object.entries(rest).every(([key, part]) => equalJson(found[key], part));
}

/** Of the kinds that a cluster has in this server, all of which have a regular plural. */
function kindOf(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf("/");
  const plural = `${kind.toLowerCase()}s`;
  return slash === -1 ? plural : `${plural}.${apiVersion.slice(0, slash)}`;
}

function settingsOf({ kind, kubernetes }: DataPlaneCluster["executor"]): JsonObject {
  return kind === "kubernetes" ? { kind, kubernetes } : { kind };
}

/** Each stores the uid of what it applied. */
function ownSteps(cluster: string, { children }: Context): readonly Step[] {
  return clusterResources(cluster).map(({ step, document }) => ({
    name: step,
    run: async () => (await children.apply(document)).metadata.uid,
  }));
}

interface AgentStepInput extends InstallInput {
  readonly cluster: DataPlaneCluster;
  readonly groups: readonly string[];
}

function agentStep(ports: InstallPorts, input: AgentStepInput): Step {
  const { cluster, groups, context, phaseSinceMs } = input;
  const executor = ports.executorOf(cluster.executor.kind);
  return {
    name: "agent",
    run: async ({ account }) => {
      if (cluster.executor.kind !== "kubernetes") return;
      const access = await kubeAccessOf(cluster, context);
      const token = await ports.issueToken(cluster.id, typeof account === "string" ? account : "");
      const settings = manifestSettings(cluster, token, groups);
      const nowMs = context.clock.nowMs();
      await context.outside(`cluster/${cluster.id}`, async (signal) => {
        await executor.install({ cluster, access, phaseSinceMs, nowMs, signal }, settings);
      });
    },
  };
}

function manifestSettings(
  { id, executor: { kubernetes } }: DataPlaneCluster,
  token: string,
  groups: readonly string[],
): ManifestSettings {
  const caBundle = textAt(kubernetes, "controlPlane", "caBundle");
  return {
    cluster: id,
    controlPlane: {
      url: textAt(kubernetes, "controlPlane", "url"),
      caBundle: caBundle === "" ? undefined : caBundle,
    },
    token,
    namespace: textAt(kubernetes, "namespace") || agentName,
    image: textAt(kubernetes, "image") || "setpoint",
    workload: textAt(kubernetes, "workload") === "None" ? "None" : "Deployment",
    groups,
  };
}

/** The groups of the kinds that Offerings apply on the cluster, in order. */
export function appliedGroups(
  all: readonly Offering[],
  { offerings }: Pick<DataPlaneCluster, "offerings">,
): readonly string[] {
  const groups = all
    .filter(({ name }) => offerings === undefined || offerings.includes(name))
    .map(({ agent }) => agent.applies.apiVersion.split("/", 1)[0] ?? "");
  return [...new Set(groups)].sort();
}

/** From the Secret that the cluster names; a change of the Secret wakes the cluster. */
export async function kubeAccessOf(
  { executor: { kind, kubernetes } }: DataPlaneCluster,
  { references }: Pick<Context, "references">,
): Promise<KubeAccess | undefined> {
  if (kind !== "kubernetes") return undefined;
  const [namespace = "", name = "", key = ""] = ["namespace", "name", "key"].map((part) =>
    textAt(kubernetes, "kubeconfig", part),
  );
  const where = `key ${key} of the Secret ${namespace}/${name}`;
  const secret = await references.get({ kind: "secrets", namespace, name });
  const encoded = textAt(objectAt(secret, "data"), key);
  if (encoded === "") throw unusable(`the ${where} does not exist`);
  try {
    const { value } = parseYaml(Buffer.from(encoded, "base64").toString("utf8"));
    if (!isJsonObject(value)) throw new SetpointError("config.invalid", "it is not a kubeconfig");
    return readKubeconfig([{ path: `in ${where}`, content: value }]);
  } catch (error) {
    // A syntax error would quote the text of the Secret.
    const why = isSetpointError(error, "config.invalid") ? error.message : "it cannot be parsed";
    throw unusable(`the ${where} is not a usable kubeconfig: ${why}`);
  }
}

function unusable(message: string): ReconcileFailure {
  return new ReconcileFailure(failed("KubeconfigUnusable", message, { retry: "slow" }));
}
