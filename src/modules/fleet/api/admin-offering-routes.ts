// The service as a whole in the admin API: maintenance, and users who may not use it. Both are
// parts of the Offering, so kubectl shows and changes the same.

import { updateResource, withoutRevision } from "../../../intents/write/update.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { offeringsKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import { adminCaller, requiredReason } from "./admin-writes.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { documentAnswer, wholeDocument } from "./page-document.ts";
import { described, listSchema, objectSchema } from "./schemas.ts";
import { writeOptions } from "./writes.ts";

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const texts: JsonObject = { type: "array", items: text };
const shared = { tag: "Access to the service", access: { kind: "admin" } } as const;

type Handled = ReturnType<FleetRoute["handle"]>;

export function adminOfferingRoutes(ports: CustomerPorts): readonly FleetRoute[] {
  return [...maintenanceRoutes(ports), ...userRoutes(ports)];
}

const maintenanceFields: JsonObject = {
  is_in_maintenance: flag,
  allowed_organisations: described(texts, "Organisations that may use the service meanwhile."),
};

function maintenanceRoutes(ports: CustomerPorts): readonly FleetRoute[] {
  const schema = objectSchema({ kind: text, ...maintenanceFields });
  const answers = { 200: { description: "The state of the service.", schema } };
  return [
    {
      ...shared,
      method: "GET",
      path: "/maintenance",
      summary: "Read whether the service is in maintenance.",
      answers,
      errors: [404],
      handle: async ({ offering }) => maintenanceAnswer(objectAt(accessOf(offering))),
    },
    {
      ...shared,
      method: "PUT",
      path: "/maintenance",
      summary: "Begin or end the maintenance of the service.",
      description:
        "In maintenance, members of other organisations get 403. Agents and instances continue. " +
        "Without `allowed_organisations` that list stays as it is.",
      body: objectSchema(
        { ...maintenanceFields, reason: described(text, "Why. Recorded in the log.") },
        ["is_in_maintenance"],
      ),
      answers,
      errors: [400, 404],
      handle: async (request) => await setMaintenance(ports, request),
    },
  ];
}

function accessOf({ access }: Offering): JsonObject {
  const { isInMaintenance, allowedOrganisations, deniedUsers } = access;
  return { isInMaintenance, allowedOrganisations, deniedUsers };
}

function maintenanceAnswer(access: JsonObject): ReturnType<typeof documentAnswer> {
  return documentAnswer({
    kind: "Maintenance",
    is_in_maintenance: isTrueAt(access, "isInMaintenance"),
    allowed_organisations: textsAt(access, "allowedOrganisations"),
  });
}

async function setMaintenance(ports: CustomerPorts, request: FleetRequest): Handled {
  const { body } = request;
  const isInMaintenance = isTrueAt(body, "is_in_maintenance");
  const isListed = valueAt(body, "allowed_organisations") !== undefined;
  const allowedOrganisations = textsAt(body, "allowed_organisations");
  const access = await editAccess(ports, request, (old) => ({
    ...old,
    isInMaintenance,
    ...(isListed ? { allowedOrganisations } : {}),
  }));
  return maintenanceAnswer(access);
}

function userRoutes(ports: CustomerPorts): readonly FleetRoute[] {
  const schema = objectSchema({ kind: text, user: text, is_denied: flag });
  const parameters = { user: "The name of the user, as in `owner`." };
  return [
    {
      ...shared,
      method: "GET",
      path: "/denied_users",
      summary: "List the users who may not use the service.",
      answers: { 200: { description: "Their names.", schema: listSchema(text) } },
      errors: [404],
      handle: async ({ offering }) => {
        const users = [...offering.access.deniedUsers].sort();
        return documentAnswer(wholeDocument("DeniedUserList", users));
      },
    },
    {
      ...shared,
      method: "PUT",
      path: "/users/{user}",
      summary: "Deny or allow a user.",
      description:
        "The instances of a denied user are suspended, and removed after the time of grace of " +
        "the Offering. Members can also be denied in their Organisation.",
      parameters,
      body: objectSchema({ is_denied: flag, reason: described(text, "Why. Required to deny.") }, [
        "is_denied",
      ]),
      answers: { 200: { description: "The user.", schema } },
      errors: [400, 404],
      handle: async (request) => await setDenied(ports, request),
    },
  ];
}

async function setDenied(ports: CustomerPorts, request: FleetRequest): Handled {
  const { path, body } = request;
  const user = path["user"] ?? "";
  const isDenied = isTrueAt(body, "is_denied");
  if (isDenied) requiredReason(body);
  await editAccess(ports, request, (old) => {
    const others = textsAt(old, "deniedUsers").filter((name) => name !== user);
    return { ...old, deniedUsers: isDenied ? [...others, user] : others };
  });
  return documentAnswer({ kind: "User", user, is_denied: isDenied });
}

/** Edits spec.access of the newest Offering, and returns the result. */
async function editAccess(
  { intents, kinds }: CustomerPorts,
  { offering, caller }: FleetRequest,
  edit: (access: JsonObject) => JsonObject,
): Promise<JsonObject> {
  const served = kinds.byId(offeringsKind);
  if (served === undefined) throw new Error("Offerings are always served");
  const place = { namespace: "", name: offering.name, subresource: "" };
  const written = await updateResource(intents, {
    caller: adminCaller(caller),
    target: { served, version: served.storage, ...place },
    options: writeOptions,
    optionsKind: "PatchOptions",
    change: (old) => {
      if (old.metadata.uid !== offering.uid) {
        throw new SetpointError("fleet.not_found", "Resource not found");
      }
      const spec = objectAt(old, "spec");
      const access = edit(objectAt(spec, "access"));
      return { wanted: withoutRevision({ ...old, spec: { ...spec, access } }) };
    },
    allowsBlind: true,
  });
  return objectAt(decodeDocument(written.body, written.revision), "spec", "access");
}
