// Installs the agent through the API of an existing Kubernetes cluster. Objects are applied with
// server-side apply and removed by name. The namespace of the agent is removed last: when it does
// not exist any more, nothing is left.

import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { KubeClient, OpenKube } from "../../../adapters/kubernetes/port.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { agentManifest, agentName } from "./agent-manifest.ts";
import { clusterLabel } from "./cluster-resources.ts";
import { ExecutorRefusal } from "./executor.ts";
import type { ClusterExecutor, ExecutorCall } from "./executor.ts";

export function kubernetesExecutor(openKube: OpenKube): ClusterExecutor {
  return {
    create: async (call) =>
      await withClient(openKube, call, async (client) => ({
        externalId: await identityOf(client, call.signal),
      })),
    check: async (call) =>
      await withClient(openKube, call, async (client) => {
        await identityOf(client, call.signal);
        return { kind: "provisioned" } as const;
      }),
    install: async (call, settings) =>
      await withClient(openKube, call, async (client) => {
        for (const object of agentManifest(settings)) {
          await checkOwner(client, object, call);
          await client.apply(pathOf(object), object, call.signal);
        }
      }),
    remove: async (call) =>
      await withClient(openKube, call, async (client) => await removeAll(client, call)),
  };
}

/** The uid of kube-system identifies a cluster, because it is created with the cluster. */
async function identityOf(client: KubeClient, signal: AbortSignal): Promise<string> {
  const system = await client.get("/api/v1/namespaces/kube-system", signal);
  const uid = textAt(system, "metadata", "uid");
  if (uid === "") throw new ExecutorRefusal("the server of the kubeconfig has no kube-system");
  return uid;
}

/** An object of the same name that belongs to another cluster or program is never replaced. */
async function checkOwner(
  client: KubeClient,
  object: JsonObject,
  { cluster, signal }: ExecutorCall,
): Promise<void> {
  const found = await client.get(pathOf(object), signal);
  if (found === undefined || isOwn(found, cluster.id)) return;
  const what = `${textAt(object, "kind")} ${textAt(object, "metadata", "name")}`;
  throw new ExecutorRefusal(
    `${what} exists on the cluster and does not belong to it: ` +
      "set spec.executor.kubernetes.namespace to another name, or delete it",
  );
}

function isOwn(object: JsonObject, cluster: string): boolean {
  return textAt(object, "metadata", "labels", clusterLabel) === cluster;
}

async function removeAll(client: KubeClient, { cluster, signal }: ExecutorCall): Promise<boolean> {
  const namespace = textAt(cluster.executor.kubernetes, "namespace") || agentName;
  const settings = {
    cluster: cluster.id,
    controlPlane: { url: "", caBundle: undefined },
    token: "",
    namespace,
    image: "",
    workload: "None",
    groups: [],
  } as const;
  for (const object of agentManifest(settings).toReversed()) {
    const kind = textAt(object, "kind");
    // The namespace takes what is in it with it.
    if (kind === "ServiceAccount" || kind === "Secret") continue;
    const found = await client.get(pathOf(object), signal);
    if (found === undefined || !isOwn(found, cluster.id)) continue;
    await client.delete(pathOf(object), textAt(found, "metadata", "uid"), signal);
  }
  const left = await client.get(`/api/v1/namespaces/${namespace}`, signal);
  return left === undefined || !isOwn(left, cluster.id);
}

function pathOf(object: JsonObject): string {
  const name = textAt(object, "metadata", "name");
  const namespace = textAt(object, "metadata", "namespace");
  const collection = collections[textAt(object, "kind")];
  if (collection === undefined) throw new Error("a manifest consists of known kinds");
  return `${collection.replace("{namespace}", namespace)}/${name}`;
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const collections: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ServiceAccount: "/api/v1/namespaces/{namespace}/serviceaccounts",
  Secret: "/api/v1/namespaces/{namespace}/secrets",
  ClusterRole: `${rbac}/clusterroles`,
  ClusterRoleBinding: `${rbac}/clusterrolebindings`,
  Deployment: "/apis/apps/v1/namespaces/{namespace}/deployments",
};

async function withClient<T>(
  openKube: OpenKube,
  { access, signal }: ExecutorCall,
  run: (client: KubeClient) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  if (access === undefined) throw new Error("the executor needs the API of the cluster");
  using client = openKube({
    access,
    token: () => access.token,
    fieldManager: "setpoint-fleet",
  });
  try {
    return await run(client);
  } catch (error) {
    if (!(error instanceof KubeError) || !error.isFinal) throw error;
    throw new ExecutorRefusal(`the API of the cluster refuses: ${error.message}`, { cause: error });
  }
}
