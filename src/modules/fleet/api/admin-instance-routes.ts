// Instances of all organisations in the admin API: list, read, create for an owner, set versions.

import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { checkName } from "../admission/new-instance.ts";
import { organisationId } from "../identity.ts";
import { readInstance, wantedVersions } from "../lifecycle/instance.ts";
import { organisationNamespace } from "../names.ts";
import type { Offering } from "../offering.ts";
import { ensureMember } from "../organisations/ensure-member.ts";
import type { NewMember } from "../organisations/ensure-member.ts";
import { upgradeProblem } from "./admin-versions.ts";
import type { UpgradeFacts, Versions } from "./admin-versions.ts";
import { adminSchema, presentForAdmin, versionFields } from "./admin-view.ts";
import { adminCaller, anyInstance, editInstance, shownAnswer, withSpec } from "./admin-writes.ts";
import { createInstance, specOf } from "./create-instance.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { listFields, listInstances } from "./list-route.ts";
import { documentAnswer } from "./page-document.ts";
import { asyncField, createSchema, described, listSchema, objectSchema } from "./schemas.ts";
import { shownPhase } from "./shown-phase.ts";
import { checkAsync } from "./writes.ts";

const text: JsonObject = { type: "string" };
const shared = { tag: "Instances", access: { kind: "admin" } } as const;
const parameters = { id: "The id of the instance." };

export function adminInstanceRoutes(
  ports: CustomerPorts,
  offering: Offering,
): readonly FleetRoute[] {
  const { plural } = offering.instances;
  const schema = adminSchema(offering);
  return [
    {
      ...shared,
      method: "GET",
      path: `/${plural}`,
      summary: "List the instances of all organisations.",
      isList: true,
      query: objectSchema(listFields),
      answers: { 200: { description: "One page of instances.", schema: listSchema(schema) } },
      errors: [400, 404],
      handle: async (request) =>
        await listInstances(ports, request, {
          namespace: undefined,
          present: (resource) => presentForAdmin(offering, ports.fleet.organisations, resource),
        }),
    },
    {
      ...shared,
      method: "GET",
      path: `/${plural}/{id}`,
      summary: "Read an instance.",
      parameters,
      answers: { 200: { description: "The instance.", schema } },
      errors: [404],
      handle: async (request) => {
        const { resource } = await anyInstance(ports, request);
        return documentAnswer(presentForAdmin(offering, ports.fleet.organisations, resource));
      },
    },
    {
      ...shared,
      method: "POST",
      path: `/${plural}`,
      summary: "Create an instance for an owner.",
      description: "Quota and capacity count as for the owner. A repeated request is answered 409.",
      query: objectSchema(asyncField),
      body: onBehalfSchema(offering),
      answers: { 202: { description: "Accepted.", schema } },
      errors: [400, 403, 404, 409],
      handle: async (request) => await createOnBehalf(ports, request),
    },
    {
      ...shared,
      method: "PATCH",
      path: `/${plural}/{id}`,
      summary: "Set the versions of an instance.",
      description:
        "The operator must be ready on the cluster and able to run the product. No other upgrade " +
        "may run. Only the patch version may be lower than the actual version.",
      parameters,
      body: objectSchema(
        Object.fromEntries(Object.values(versionFields(offering)).map((field) => [field, text])),
      ),
      answers: { 200: { description: "The instance.", schema } },
      errors: [400, 404],
      handle: async (request) => await setVersions(ports, request),
    },
  ];
}

function onBehalfSchema(offering: Offering): JsonObject {
  return objectSchema(
    {
      ...objectAt(createSchema(offering), "properties"),
      owner: described(text, "The name of the user who owns the instance."),
      organisation_id: described(text, "The organisation of the owner; it is created if absent."),
      owner_account_id: text,
      instance_type: described(text, "Default: by the quota of the owner."),
      cluster_id: described(text, "Default: the placement chooses."),
    },
    ["name", "owner", "organisation_id"],
  );
}

async function createOnBehalf(
  ports: CustomerPorts,
  request: FleetRequest,
): ReturnType<FleetRoute["handle"]> {
  const { offering, caller, query, body = {} } = request;
  checkAsync(query);
  const name = textAt(body, "name");
  checkName(name);
  const member = memberOf(body, offering);
  await ensureMember(ports.ownIntents, member, caller);
  const [type, cluster] = [textAt(body, "instance_type"), textAt(body, "cluster_id")];
  const written = await createInstance(ports, {
    offering,
    caller: adminCaller(caller),
    namespace: organisationNamespace(member.organisation ?? ""),
    name,
    spec: {
      ...specOf(body),
      owner: member.user,
      account: member.account,
      ...(type === "" ? {} : { type }),
      ...(cluster === "" ? {} : { cluster }),
    },
    signal: request.signal,
  });
  return shownAnswer(ports, request, written, 202);
}

function memberOf(body: JsonObject, { api }: Offering): NewMember {
  for (const field of ["owner", "organisation_id"]) {
    if (textAt(body, field) !== "") continue;
    const details = { field: `body.${field}` };
    throw new SetpointError("fleet.field", `${field}: is required`, { details });
  }
  const organisationName = textAt(body, "organisation_id");
  return {
    user: textAt(body, "owner"),
    organisation: organisationId(organisationName),
    organisationName,
    account: textAt(body, "owner_account_id"),
    // The name for RBAC is not known before the owner uses an API.
    hasOtherLogin: api.claims.user !== undefined,
  };
}

async function setVersions(
  ports: CustomerPorts,
  request: FleetRequest,
): ReturnType<FleetRoute["handle"]> {
  const { offering, body } = request;
  const fields = versionFields(offering);
  const change = givenVersions(fields, body);
  return await editInstance(ports, request, (old) => {
    const problem = upgradeProblem(change, upgradeFacts(ports, old));
    if (problem !== undefined) {
      const field = fields[problem.component] ?? problem.component;
      throw new SetpointError("fleet.validation", `${field}: ${problem.reason}`, {
        details: { field: `body.${field}` },
      });
    }
    return withSpec(old, { versions: { ...objectAt(old.spec, "versions"), ...change } });
  });
}

/** Throws fleet.field when there is none, and for an empty version. */
function givenVersions(
  fields: Readonly<Record<string, string>>,
  body: JsonObject | undefined,
): Versions {
  const given = Object.entries(fields).filter(([, name]) => valueAt(body, name) !== undefined);
  const names = Object.values(fields).join(" or ");
  if (given.length === 0) {
    throw new SetpointError("fleet.field", `at least one of ${names} is required`, {
      details: { field: "body" },
    });
  }
  const versions = given.map(
    ([component, name]) => [component, textAt(body, name).trim()] as const,
  );
  const empty = versions.find(([, version]) => version === "");
  if (empty === undefined) return Object.fromEntries(versions);
  const field = fields[empty[0]] ?? "";
  throw new SetpointError("fleet.field", `${field}: must not be empty`, {
    details: { field: `body.${field}` },
  });
}

function upgradeFacts({ fleet }: CustomerPorts, resource: Resource): UpgradeFacts {
  const { status, metadata } = resource;
  const cluster = textAt(status, "placement", "cluster");
  return {
    phase: shownPhase(textAt(status, "phase"), metadata.deletionTimestamp !== undefined),
    desired: wantedVersions(readInstance(resource)) as Versions,
    actual: objectAt(status, "actualVersions") as Versions,
    upgrading: objectAt(status, "upgrading") as Readonly<Record<string, boolean>>,
    operators: cluster === "" ? undefined : fleet.clusters()?.get(cluster)?.operators,
  };
}
