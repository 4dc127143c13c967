// The end of instances in the admin API: delete, delete without waiting for an agent, list what was
// deleted, restore.

import { numberedPage } from "../../../intents/read-model/numbered-page.ts";
import type { OpenKind } from "../../../intents/read-model/read-model.ts";
import type { Row } from "../../../intents/read-model/row.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { spanText } from "../../../kernel/span-text.ts";
import { restoreInstance } from "../lifecycle/restore.ts";
import { parsePage } from "../lists/page-arguments.ts";
import { deletedInstancesKind, forceDeleteAnnotation, organisationOf } from "../names.ts";
import type { Offering } from "../offering.ts";
import { adminSchema, presentForAdmin } from "./admin-view.ts";
import { adminCaller, anyInstance, requiredReason, shownAnswer } from "./admin-writes.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { findInstance, instanceKind, instanceTarget } from "./instance-lookup.ts";
import { documentAnswer, pageDocument } from "./page-document.ts";
import { asyncField, described, listSchema, objectSchema, pageFields } from "./schemas.ts";
import { checkAsync, resourceVersionHeader } from "./writes.ts";

const text: JsonObject = { type: "string" };
const time: JsonObject = { type: "string", format: "date-time" };
const tag = "Deletion";
const access = { kind: "admin" } as const;
const parameters = { id: "The id of the instance." };

type Handled = ReturnType<FleetRoute["handle"]>;

export function adminDeletionRoutes(
  ports: CustomerPorts,
  offering: Offering,
): readonly FleetRoute[] {
  const { plural } = offering.instances;
  return [
    {
      method: "DELETE",
      path: `/${plural}/{id}`,
      summary: "Delete an instance.",
      description:
        "With `force=true` and a `reason`, the deletion does not wait for the agent: what the " +
        "cluster still has must be removed by hand. A repeated request has the same answer.",
      tag,
      access,
      parameters,
      query: objectSchema({
        ...asyncField,
        force: described({ type: "boolean" }, "Do not wait for the agent of the cluster."),
        reason: described(text, "Why; required with `force`."),
      }),
      answers: { 202: { description: "The instance is being deleted." } },
      errors: [400, 404],
      handle: async (request) => await remove(ports, request),
    },
    {
      method: "GET",
      path: `/deleted_${plural}`,
      summary: "List deleted instances that can be restored, the last deleted first.",
      tag,
      access,
      isList: true,
      query: objectSchema(pageFields),
      answers: { 200: { description: "One page.", schema: listSchema(deletedSchema) } },
      errors: [400, 404],
      handle: async (request) => await listDeleted(ports, request),
    },
    {
      method: "POST",
      path: `/${plural}/{id}/restore`,
      summary: "Restore a deleted instance.",
      description:
        "Brings back id, name, owner and settings; not the data of the instance. It is placed " +
        "again. Needs the role for deletions. An instance that exists is returned as it is.",
      tag,
      access: { ...access, role: "full" },
      parameters,
      answers: {
        200: { description: "The instance exists already.", schema: adminSchema(offering) },
        202: { description: "The instance is being restored.", schema: adminSchema(offering) },
      },
      errors: [403, 404, 409, 410],
      handle: async (request) => await restore(ports, request),
    },
  ];
}

async function remove(ports: CustomerPorts, request: FleetRequest): Handled {
  const { offering, query } = request;
  checkAsync(query);
  const isForced = query.get("force") === "true";
  const reason = isForced
    ? requiredReason({ reason: query.get("reason") ?? "" }, "query.reason")
    : undefined;
  const { key, record } = await anyInstance(ports, request);
  const target = instanceTarget(instanceKind(ports, offering), key);
  const caller = adminCaller(request.caller);
  // One commit: a live instance never has the annotation, which would force a later deletion.
  const annotations = reason === undefined ? {} : { [forceDeleteAnnotation]: reason };
  const deleted = await deleteResource(ports.intents, {
    caller,
    target,
    options: {
      isDryRun: false,
      propagation: undefined,
      preconditions: { uid: record.uid },
      raw: {},
      annotations,
    },
  });
  return { kind: "document", status: 202, headers: resourceVersionHeader(deleted) };
}

const deletedSchema = objectSchema({
  id: text,
  kind: text,
  name: text,
  owner: text,
  organisation_id: text,
  created_at: time,
  deleted_at: time,
  restorable_until: time,
  last_status: text,
  reason: described(text, "Of a deletion without a request, such as an expiry."),
});

async function listDeleted(ports: CustomerPorts, request: FleetRequest): Handled {
  const { offering, query, signal, tenant } = request;
  const asked = parsePage(query.get("page"), query.get("size"));
  const open = await openDeleted(ports, signal);
  const cell = cellsOf(open);
  const { rows, total } = await numberedPage(ports, open, {
    scope: { namespace: undefined, isWhole: true, allows: () => true },
    filter: (row) => cell("offering")(row) === offering.name && cell("deleted")(row) !== "",
    order: [{ isDescending: true, textOf: cell("deleted") }],
    offset: (asked.page - 1) * asked.size,
    limit: asked.size,
    tenant,
    signal,
  });
  const keys = rows.map(({ namespace, name }) => ({ kind: deletedInstancesKind, namespace, name }));
  const records = await ports.store.getMany(keys);
  const items = records.flatMap((record) =>
    record === undefined
      ? []
      : [deletedView(offering, decodeDocument(record.body, record.revision))],
  );
  return documentAnswer(pageDocument("DeletedInstanceList", { ...asked, total, items }));
}

function deletedView(
  { instances, retentionMs }: Offering,
  { spec, metadata }: Resource,
): JsonObject {
  const deletedAt = textAt(spec, "deletedAt");
  return {
    id: textAt(spec, "id"),
    kind: `Deleted${instances.kind}`,
    name: textAt(spec, "name"),
    owner: textAt(spec, "owner"),
    organisation_id: organisationOf(metadata.namespace ?? "") ?? "",
    created_at: textAt(spec, "createdAt"),
    deleted_at: deletedAt,
    restorable_until: new Date(Date.parse(deletedAt) + retentionMs).toISOString(),
    last_status: textAt(spec, "lastPhase"),
    ...(textAt(spec, "reason") === "" ? {} : { reason: textAt(spec, "reason") }),
  };
}

async function restore(ports: CustomerPorts, request: FleetRequest): Handled {
  const { offering, path } = request;
  const id = path["id"] ?? "";
  const present = await findInstance(ports, offering, id);
  if (present !== undefined) {
    const { organisations } = ports.fleet;
    return documentAnswer(presentForAdmin(offering, organisations, present.resource));
  }
  const row = await deletedRow(ports, request, id);
  if (row === undefined) throw notDeleted(offering, id);
  const caller = adminCaller(request.caller);
  const { namespace } = row;
  await checkRetention(ports, offering, row);
  const written = await restoreInstance(ports.intents, { caller, offering, namespace, id });
  return shownAnswer(ports, request, written, 202);
}

/** The record of a deletion is named by the id, in the namespace of the organisation. */
async function deletedRow(
  ports: CustomerPorts,
  { offering, signal, tenant }: FleetRequest,
  id: string,
): Promise<Row | undefined> {
  const open = await openDeleted(ports, signal);
  const offeringOf = cellsOf(open)("offering");
  const { rows } = await numberedPage(ports, open, {
    scope: { namespace: undefined, isWhole: true, allows: () => true },
    filter: (row) => row.name === id && offeringOf(row) === offering.name,
    order: [],
    offset: 0,
    limit: 1,
    tenant,
    signal,
  });
  return rows[0];
}

/** A record may exist a little longer than it is kept. */
async function checkRetention(
  { store, clock }: CustomerPorts,
  offering: Offering,
  { namespace, name }: Row,
): Promise<void> {
  const record = await store.get({ kind: deletedInstancesKind, namespace, name });
  const spec = record && objectAt(decodeDocument(record.body, record.revision), "spec");
  const deletedMs = Date.parse(textAt(spec, "deletedAt"));
  if (!(deletedMs + offering.retentionMs <= clock.nowMs())) return;
  throw new SetpointError(
    "fleet.gone",
    `the record of the instance ${name} is not kept any longer`,
  );
}

/** An id of the form that this server assigns may have had a record. */
function notDeleted({ instances, retentionMs }: Offering, id: string): SetpointError {
  const what = `there is no deleted ${instances.kind} with id=${JSON.stringify(id.slice(0, 100))}`;
  if (!idPattern.test(id)) return new SetpointError("fleet.not_found", what);
  const kept = `a record is not kept for longer than ${spanText(retentionMs)}`;
  return new SetpointError("fleet.gone", `${what}: ${kept}`);
}

const idPattern = /^[0-9a-f]{20}$/;

async function openDeleted(ports: CustomerPorts, signal: AbortSignal): Promise<OpenKind> {
  const served = ports.kinds.byId(deletedInstancesKind);
  if (served === undefined) throw new Error("DeletedInstances are always served");
  const { revision } = await ports.store.head();
  return await ports.readModel.open(served, { atLeast: revision, signal });
}

function cellsOf(open: OpenKind): (key: string) => (row: Row) => string {
  return (key) => {
    const at = open.projection.columns.findIndex((column) => column.key === key);
    return (row) => String(row.cells[at] ?? "");
  };
}
