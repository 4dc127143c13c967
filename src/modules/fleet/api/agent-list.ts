// The instances of a cluster: as a list of all, because existing agents know no pages, or as a
// stream of changes that resumes.

import type { RouteAnswer } from "../../../contract/route.ts";
import { presentResource } from "../../../intents/read/present.ts";
import { readManagedInstance } from "../clusters/managed-instance.ts";
import { clusterNamespace, managedInstancesKind } from "../names.ts";
import type { Position } from "../../../store/port.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { agentCluster } from "./agent-cluster.ts";
import { isForAgent, managedInstanceView } from "./agent-view.ts";
import type { FleetRequest, FleetRoutePorts } from "./fleet-route.ts";
import { watchKind } from "./watch.ts";
import type { WatchPorts } from "./watch.ts";

const pageItems = 500;

export async function instancesForAgent(
  ports: WatchPorts,
  request: FleetRequest,
): Promise<RouteAnswer> {
  const cluster = agentCluster(ports, request);
  const namespace = clusterNamespace(cluster.metadata.name);
  const served = ports.kinds.byId(managedInstancesKind);
  if (served === undefined) throw new Error("ManagedInstances are always served");
  if (request.query.get("watch") !== "true") return await listed(ports, request, served, namespace);
  const { offering } = request;
  const watched = {
    namespace,
    present: (resource: Resource) =>
      isForAgent(readManagedInstance(resource), offering)
        ? managedInstanceView(resource, offering)
        : undefined,
    check: () => void agentCluster(ports, request),
  };
  return await watchKind(ports, request, watched, { served, version: served.storage });
}

async function listed(
  ports: FleetRoutePorts,
  { offering, pages, signal }: FleetRequest,
  served: ServedKind,
  namespace: string,
): Promise<RouteAnswer> {
  // As text: the documents of a large cluster need not exist twice.
  const items: string[] = [];
  let from: Position | undefined;
  for (;;) {
    signal.throwIfAborted();
    await pages.before();
    const query = { kind: served.id, namespace, limit: pageItems };
    const page = await ports.store.list(from === undefined ? query : { ...query, from });
    pages.after(
      page.records.reduce((sum, { body }) => sum + body.length, 0),
      page.next !== undefined,
    );
    for (const record of page.records) {
      const resource = await presentResource(served, served.storage, record);
      if (!isForAgent(readManagedInstance(resource), offering)) continue;
      items.push(JSON.stringify(managedInstanceView(resource, offering)));
    }
    pages.drop();
    from = page.next;
    if (from !== undefined) continue;
    const kind = JSON.stringify(`Managed${offering.instances.kind}List`);
    const head = `{"kind":${kind},"resource_version":"${page.revision}"`;
    const text = `${head},"items":[${items.join(",")}]}`;
    return { kind: "text", status: 200, contentType: "application/json", text };
  }
}
