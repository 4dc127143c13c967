// Reading, changing and deleting instances in the public API.

import { deleteResource } from "../../../intents/write/delete.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { checkServiceAccess } from "../access.ts";
import type { Offering } from "../offering.ts";
import { givenChange } from "./change-instance.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { instanceKind, instanceTarget } from "./instance-lookup.ts";
import { listFields, listInstances } from "./list-route.ts";
import { documentAnswer } from "./page-document.ts";
import { presentInstance } from "./presenter.ts";
import { asyncField, described, instanceSchema, listSchema, objectSchema } from "./schemas.ts";
import {
  checkMayChange,
  namespaceOf,
  organisationOf,
  visibleInstance,
} from "./visible-instance.ts";
import { watchFields, watchInstances } from "./watch.ts";
import { checkAsync, resourceVersionHeader, writeOptions } from "./writes.ts";

const tag = "Instances";
const access = { kind: "member" } as const;
const parameters = { id: "The id of the instance." };
const watchText =
  "With `watch=true` the answer is a stream of events, one JSON object in each line: `CHANGE` " +
  "and `DELETED` with the instance, and `BOOKMARK`. Each has the `resource_version` to resume " +
  "after with `gt_version`.";

export function instanceRoutes(ports: CustomerPorts, offering: Offering): readonly FleetRoute[] {
  const { plural } = offering.instances;
  const schema = instanceSchema(offering);
  return [
    {
      method: "GET",
      path: `/${plural}`,
      summary: "List the instances of the organisation.",
      description: watchText,
      tag,
      access,
      isList: true,
      isWatchable: true,
      query: objectSchema({ ...listFields, ...watchFields }),
      answers: { 200: { description: "One page of instances.", schema: listSchema(schema) } },
      errors: [400, 401, 403, 410, 429],
      handle: (request) => list(ports, request),
    },
    {
      method: "GET",
      path: `/${plural}/{id}`,
      summary: "Read an instance of the organisation.",
      description: watchText,
      tag,
      access,
      isWatchable: true,
      parameters,
      query: objectSchema(watchFields),
      answers: { 200: { description: "The instance.", schema } },
      errors: [401, 403, 404, 410],
      handle: (request) => read(ports, request),
    },
    {
      method: "PATCH",
      path: `/${plural}/{id}`,
      summary: "Give an instance to another member, or change its type.",
      description:
        "For the owner and for administrators of the organisation. A type needs a quota of the " +
        "owner, so that an evaluation instance can become a paid one without a new instance.",
      tag,
      access,
      parameters,
      body: objectSchema({
        owner: described({ type: "string" }, "The name of the new owner."),
        instance_type: described({ type: "string" }, "For which the owner has a quota."),
      }),
      answers: { 200: { description: "The instance.", schema } },
      errors: [400, 401, 403, 404],
      handle: (request) => change(ports, request),
    },
    {
      method: "DELETE",
      path: `/${plural}/{id}`,
      summary: "Delete an instance.",
      description: "For the owner and for administrators of the organisation.",
      tag,
      access,
      parameters,
      query: objectSchema(asyncField),
      answers: { 202: { description: "The instance is being deleted." } },
      errors: [400, 401, 403, 404],
      handle: (request) => remove(ports, request),
    },
  ];
}

type Handled = ReturnType<FleetRoute["handle"]>;

async function list(ports: CustomerPorts, request: FleetRequest): Handled {
  const namespace = namespaceOf(request.fleetCaller);
  const present = presenterOf(request);
  if (!isWatch(request, Object.keys(listFields))) {
    return await listInstances(ports, request, { namespace, present });
  }
  const check = accessCheck(ports, request);
  return await watchInstances(ports, request, { namespace, present, check });
}

async function read(ports: CustomerPorts, request: FleetRequest): Handled {
  const { key, resource } = await visibleInstance(ports, request);
  const present = presenterOf(request);
  if (!isWatch(request, [])) return documentAnswer(present(resource));
  const check = accessCheck(ports, request);
  return await watchInstances(ports, request, { ...key, present, check });
}

async function change(ports: CustomerPorts, request: FleetRequest): Handled {
  const { offering, fleetCaller, caller, body } = request;
  const { key, resource } = await visibleInstance(ports, request);
  checkMayChange(fleetCaller, resource);
  const given = givenChange(offering, organisationOf(ports, fleetCaller), body);
  const written = await updateResource(ports.intents, {
    caller,
    target: instanceTarget(instanceKind(ports, offering), key),
    options: writeOptions,
    optionsKind: "PatchOptions",
    change: (old) => {
      // Another writer may have changed the owner since.
      checkMayChange(fleetCaller, old);
      return { wanted: { ...old, spec: { ...objectAt(old.spec), ...given } } };
    },
    allowsBlind: true,
  });
  const document = presentInstance(offering, decodeDocument(written.body, written.revision));
  return { ...documentAnswer(document), headers: resourceVersionHeader(written) };
}

/** A repeated request is answered in the same way. */
async function remove(ports: CustomerPorts, request: FleetRequest): Handled {
  const { offering, fleetCaller, caller, query } = request;
  checkAsync(query);
  const { key, record, resource } = await visibleInstance(ports, request);
  checkMayChange(fleetCaller, resource);
  const deleted = await deleteResource(ports.intents, {
    caller,
    target: instanceTarget(instanceKind(ports, offering), key),
    options: {
      isDryRun: false,
      propagation: undefined,
      preconditions: { uid: record.uid },
      raw: {},
    },
    check: (old) => checkMayChange(fleetCaller, old),
  });
  return { kind: "document", status: 202, headers: resourceVersionHeader(deleted) };
}

function presenterOf({
  offering,
}: FleetRequest): (resource: Parameters<typeof presentInstance>[1]) => JsonObject {
  return (resource) => presentInstance(offering, resource);
}

/** A watch takes none of the parameters of a list. */
function isWatch({ query }: FleetRequest, others: readonly string[]): boolean {
  const isWanted = query.get("watch") === "true";
  const wrong = isWanted ? others : ["gt_version", "timeout_seconds"];
  const lost = wrong.filter((name) => query.get(name) !== undefined);
  if (lost.length === 0) return isWanted;
  const when = isWanted ? "cannot be used with watch=true" : "needs watch=true";
  throw new SetpointError("request.invalid", `${lost.join(", ")}: ${when}`, {
    details: { field: `query.${lost[0] ?? ""}` },
  });
}

/** By the present Offering and Organisation, since a watch is long. */
function accessCheck(ports: CustomerPorts, { offering, fleetCaller }: FleetRequest): () => void {
  return () => {
    const present = ports.fleet.offerings.byName(offering.name);
    if (present === undefined) throw new SetpointError("fleet.not_found", "Resource not found");
    const organisation = organisationOf(ports, fleetCaller);
    checkServiceAccess(present, organisation, fleetCaller);
  };
}
