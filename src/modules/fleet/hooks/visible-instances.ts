// The instances that a route of a user module can reach: those that its caller may see in the API
// of the route, and no others.

import { isJsonObject, jsonProblem } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { limits } from "../../../kernel/limits.ts";
import { applyMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { updateResource, withoutRevision } from "../../../intents/write/update.ts";
import { presentForAdmin } from "../api/admin-view.ts";
import { adminCaller } from "../api/admin-writes.ts";
import type { ApiClass, CustomerPorts, FleetQuery, FleetRequest } from "../api/fleet-route.ts";
import { findInstance, instanceKind, instanceTarget } from "../api/instance-lookup.ts";
import type { FoundInstance } from "../api/instance-lookup.ts";
import { listInstances } from "../api/list-route.ts";
import { presentInstance } from "../api/presenter.ts";
import { checkMayChange, namespaceOf } from "../api/visible-instance.ts";
import { writeOptions } from "../api/writes.ts";
import type { VisibleInstances } from "./own-route.ts";

export function visibleInstances(
  ports: CustomerPorts,
  apiClass: ApiClass,
  request: FleetRequest,
): VisibleInstances {
  const { offering } = request;
  const present = presenterOf(ports, apiClass, request);
  const find = async (id: string): Promise<FoundInstance | undefined> => {
    const found = await findInstance(ports, offering, id);
    return found !== undefined && isVisible(apiClass, request, found) ? found : undefined;
  };
  return {
    get: async (id) => {
      const found = await find(id);
      return found === undefined ? undefined : present(found.resource);
    },
    list: async ({ search = "", size } = {}) => {
      const query = queryOf({ search, ...(size === undefined ? {} : { size: String(size) }) });
      const answer = await listInstances(
        ports,
        { ...request, query },
        {
          namespace: apiClass === "public" ? namespaceOf(request.fleetCaller) : undefined,
          present,
          ...(apiClass === "agent" ? { cluster: request.path["cluster"] ?? "" } : {}),
        },
      );
      return objectsAt(parseExact(answer.text) as Json, "items");
    },
    setParameters: async (id, parameters) => {
      const isValid =
        isJsonObject(parameters) && jsonProblem(parameters, limits.maxJsonDepth) === undefined;
      if (!isValid) throw new TypeError("parameters are a JSON object");
      const found = await find(id);
      if (found === undefined) return undefined;
      return present(await setParameters(ports, apiClass, request, found, parameters));
    },
  };
}

function presenterOf(
  { fleet }: CustomerPorts,
  apiClass: ApiClass,
  { offering }: FleetRequest,
): (resource: Resource) => JsonObject {
  return apiClass === "admin"
    ? (resource) => presentForAdmin(offering, fleet.organisations, resource)
    : (resource) => presentInstance(offering, resource);
}

function isVisible(
  apiClass: ApiClass,
  { fleetCaller, path }: FleetRequest,
  { key, resource }: FoundInstance,
): boolean {
  switch (apiClass) {
    case "admin":
      return true;
    case "public":
      return key.namespace === namespaceOf(fleetCaller);
    case "agent":
      return textAt(resource.status, "placement", "cluster") === path["cluster"];
    default:
      return apiClass satisfies never;
  }
}

function queryOf(values: Readonly<Record<string, string>>): FleetQuery {
  const get = (name: string): string | undefined => values[name];
  return { get, all: (name) => [get(name)].filter((value) => value !== undefined) };
}

/** Judged again on the newest document when another writer was faster. */
async function setParameters(
  ports: CustomerPorts,
  apiClass: ApiClass,
  { offering, caller, fleetCaller }: FleetRequest,
  { key, record }: FoundInstance,
  parameters: JsonObject,
): Promise<Resource> {
  if (apiClass === "agent") {
    throw new SetpointError("request.forbidden", "an agent cannot change instances");
  }
  const written = await updateResource(ports.intents, {
    caller: apiClass === "admin" ? adminCaller(caller) : caller,
    target: instanceTarget(instanceKind(ports, offering), key),
    options: writeOptions,
    optionsKind: "PatchOptions",
    change: (old) => {
      if (old.metadata.uid !== record.uid) {
        throw new SetpointError("fleet.not_found", "the instance does not exist any more");
      }
      if (apiClass === "public") checkMayChange(fleetCaller, old);
      const spec = objectAt(old, "spec");
      const merged = applyMergePatch(objectAt(spec, "parameters"), parameters) as JsonObject;
      return { wanted: withoutRevision({ ...old, spec: { ...spec, parameters: merged } }) };
    },
    allowsBlind: true,
  });
  return decodeDocument(written.body, written.revision);
}
