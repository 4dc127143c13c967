// Creates an instance. The checks of the request run here, in the order that clients of fleet
// managers rely on: terms, body, async, name. Everything that depends on stored state (provider,
// region, type, quota, capacity) is admission, which holds for kubectl as well.

import { createResource } from "../../../intents/write/create.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { presentObjectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { checkTerms } from "../terms.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { instanceKind, instanceTarget } from "./instance-lookup.ts";
import { documentAnswer } from "./page-document.ts";
import { presentInstance } from "./presenter.ts";
import { asyncField, createSchema, instanceSchema, objectSchema } from "./schemas.ts";
import { namespaceOf, organisationOf } from "./visible-instance.ts";
import { checkAsync, resourceVersionHeader, writeOptions } from "./writes.ts";

export function createRoute(ports: CustomerPorts, offering: Offering): FleetRoute {
  const { plural, kind } = offering.instances;
  return {
    method: "POST",
    path: `/${plural}`,
    summary: "Create an instance.",
    description: `The instance is ready when its status is \`ready\`: read or watch the ${kind}.`,
    tag: "Instances",
    access: { kind: "member" },
    query: objectSchema(asyncField),
    body: createSchema(offering),
    answers: { 202: { description: "Accepted.", schema: instanceSchema(offering) } },
    errors: [400, 401, 403, 409, 429],
    guard: ({ fleetCaller }) =>
      checkTerms(organisationOf(ports, fleetCaller), offering, fleetCaller.user),
    handle: (request) => create(ports, request),
  };
}

async function create(
  ports: CustomerPorts,
  request: FleetRequest,
): ReturnType<FleetRoute["handle"]> {
  const { offering, fleetCaller, caller, query, body = {} } = request;
  checkAsync(query);
  const name = textAt(body, "name");
  checkName(name);
  const found = instanceKind(ports, offering);
  const namespace = namespaceOf(fleetCaller);
  // The commit decides. This answers with the error that comes first.
  const holder = await ports.store.get({ kind: found.served.id, namespace, name });
  if (holder !== undefined) throw nameTaken(name);
  await ports.ensureMember(fleetCaller, caller);
  try {
    const written = await createResource(ports.intents, {
      caller,
      target: instanceTarget(found, { kind: found.served.id, namespace, name: "" }),
      body: {
        apiVersion: found.version.apiVersion,
        kind: offering.instances.kind,
        metadata: { name, namespace },
        spec: specOf(body),
      },
      options: writeOptions,
      decodeProblems: [],
    });
    const document = presentInstance(offering, decodeDocument(written.body, written.revision));
    return { ...documentAnswer(document, 202), headers: resourceVersionHeader(written) };
  } catch (error) {
    if (isSetpointError(error, "resource.already_exists")) throw nameTaken(name);
    throw error;
  }
}

/** Admission adds the rest, and the defaults. */
function specOf(body: JsonObject): JsonObject {
  const parameters = presentObjectAt(body, "parameters");
  const [provider, region] = [textAt(body, "cloud_provider"), textAt(body, "region")];
  const multiAz = valueAt(body, "multi_az");
  return {
    ...(provider === "" ? {} : { cloudProvider: provider }),
    ...(region === "" ? {} : { region }),
    ...(multiAz === undefined ? {} : { multiAz }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

const namePattern = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

/** Throws fleet.name_too_long or fleet.name_invalid. */
function checkName(name: string): void {
  const details = { field: "body.name" };
  const most = fleetLimits.maxInstanceNameChars;
  if (name.length > most) {
    const message = `name: has ${name.length} characters, and may have at most ${most}`;
    throw new SetpointError("fleet.name_too_long", message, { details });
  }
  if (namePattern.test(name)) return;
  const message =
    `name: ${JSON.stringify(name)} does not match ${namePattern.source}: use lower-case ` +
    "letters, digits and dashes, begin with a letter and do not end with a dash";
  throw new SetpointError("fleet.name_invalid", message, { details });
}

function nameTaken(name: string): SetpointError {
  const message = `name: ${JSON.stringify(name)} is already used in the organisation`;
  return new SetpointError("fleet.name_taken", message, { details: { field: "body.name" } });
}
