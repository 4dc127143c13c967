// The list of instances: searched and sorted over the rows of the read model, and shown from the
// stored documents. A list shows every write that this server has answered, and every write up to
// `at_least` of any server.

import type { TextAnswer } from "../../../contract/route.ts";
import { numberedPage } from "../../../intents/read-model/numbered-page.ts";
import type { Row } from "../../../intents/read-model/row.ts";
import { presentResource } from "../../../intents/read/present.ts";
import { recordsInTurns } from "../../../intents/read/records-in-turns.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { bytePauses } from "../../../kernel/pauses.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetLimits } from "../limits.ts";
import { instanceFields } from "../lists/instance-fields.ts";
import type { InstanceFields } from "../lists/instance-fields.ts";
import { parseOrderBy } from "../lists/order-by.ts";
import { parsePage } from "../lists/page-arguments.ts";
import { parseSearch } from "../lists/search.ts";
import type { FleetRequest, FleetRoutePorts } from "./fleet-route.ts";
import { instanceKind } from "./instance-lookup.ts";
import { described, pageFields } from "./schemas.ts";

export const listFields: JsonObject = {
  ...pageFields,
  orderBy: described(
    { type: "string" },
    "Fields with an optional direction, such as `region, created_at desc`. Default: name.",
  ),
  search: described(
    { type: "string" },
    "Such as `name LIKE 'web-%' AND (region = us-east-1 OR owner IN (ann, bob))`. The operators " +
      "are =, <>, LIKE, ILIKE, IN and NOT IN.",
  ),
  at_least: described(
    { type: "integer" },
    "The list shows at least the state of this resource version. See X-Resource-Version.",
  ),
};

export interface ListedInstances {
  /** Undefined for all organisations. */
  readonly namespace: string | undefined;
  readonly present: (resource: Resource) => JsonObject;
  /** Only instances on this cluster. */
  readonly cluster?: string;
}

export async function listInstances(
  ports: FleetRoutePorts,
  request: FleetRequest,
  { namespace, present, cluster }: ListedInstances,
): Promise<TextAnswer> {
  const { offering, query, signal, tenant } = request;
  const { served } = instanceKind(ports, offering);
  const asked = parsePage(query.get("page"), query.get("size"));
  const { revision } = await ports.store.head();
  const atLeast = Math.max(revision, resourceVersion(query.get("at_least"), "at_least") ?? 0);
  const open = await ports.readModel.open(served, { atLeast, signal, pauses: bytePauses(tenant) });
  const fields = instanceFields(offering, open.projection.columns);
  const order = parseOrderBy(query.get("orderBy") ?? "", fields.order);
  const { rows, total } = await numberedPage(ports, open, {
    scope: {
      namespace,
      isWhole: namespace === undefined,
      allows: (place) => namespace === undefined || place === namespace,
    },
    filter: onCluster(cluster, fields, parseSearch(query.get("search") ?? "", fields.search)),
    order: order.map(({ field, isDescending }) => ({
      isDescending,
      textOf: fields.order.get(field) ?? (() => ""),
    })),
    offset: (asked.page - 1) * asked.size,
    limit: asked.size,
    tenant,
    signal,
  });
  const items = await presentRows(ports, request, rows, present);
  const kind = `${offering.instances.kind}RequestList`;
  const head = JSON.stringify({ kind, page: asked.page, size: Math.min(asked.size, total), total });
  return {
    kind: "text",
    status: 200,
    contentType: "application/json",
    text: `${head.slice(0, -1)},"items":[${items.join(",")}]}`,
    headers: { "cache-control": "no-store" },
  };
}

function onCluster(
  cluster: string | undefined,
  { search }: InstanceFields,
  filter: (row: Row) => boolean,
): (row: Row) => boolean {
  if (cluster === undefined) return filter;
  const clusterOf = search.get("cluster_id");
  return (row) => clusterOf?.(row) === cluster && filter(row);
}

/** As JSON, batch by batch, because a page may have thousands of items. */
async function presentRows(
  ports: FleetRoutePorts,
  { offering, pages, signal, tenant }: FleetRequest,
  rows: readonly Row[],
  present: ListedInstances["present"],
): Promise<readonly string[]> {
  const { served, version } = instanceKind(ports, offering);
  const items: string[] = [];
  for (let from = 0; from < rows.length; from += fleetLimits.listBatchItems) {
    signal.throwIfAborted();
    await pages.before();
    const batch = rows.slice(from, from + fleetLimits.listBatchItems);
    const keys = batch.map(({ namespace, name }) => ({ kind: served.id, namespace, name }));
    let bytes = 0;
    for await (const record of recordsInTurns(ports.store, keys, tenant)) {
      // An instance that was deleted since is left out.
      if (record === undefined) continue;
      bytes += record.body.length;
      items.push(JSON.stringify(present(await presentResource(served, version, record))));
    }
    pages.after(bytes);
  }
  return items;
}

/** Undefined when it is absent. Throws fleet.field. */
export function resourceVersion(text: string | undefined, field: string): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const message = `${field}: must be a resource version, which is a whole number`;
  throw new SetpointError("fleet.field", message, { details: { field: `query.${field}` } });
}
