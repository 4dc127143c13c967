// Creates an instance. The checks of the request run here, in the order that clients of fleet
// managers rely on: terms, body, async, name. Everything that depends on stored state (provider,
// region, type, quota, capacity) is admission, which holds for kubectl as well.

import { decodeDocument } from "../../../kernel/document.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { checkName } from "../admission/new-instance.ts";
import type { Offering } from "../offering.ts";
import { ensureMember, memberOfCaller } from "../organisations/ensure-member.ts";
import { checkTerms } from "../terms.ts";
import { createInstance, nameTaken, specOf } from "./create-instance.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { instanceKind } from "./instance-lookup.ts";
import { documentAnswer } from "./page-document.ts";
import { presentInstance } from "./presenter.ts";
import { asyncField, createSchema, instanceSchema, objectSchema } from "./schemas.ts";
import { namespaceOf, organisationOf } from "./visible-instance.ts";
import { checkAsync, resourceVersionHeader } from "./writes.ts";

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
  await ensureMember(ports.ownIntents, memberOfCaller(fleetCaller), caller);
  const spec = specOf(body);
  const { signal } = request;
  const written = await createInstance(ports, { offering, caller, namespace, name, spec, signal });
  const document = presentInstance(offering, decodeDocument(written.body, written.revision));
  return { ...documentAnswer(document, 202), headers: resourceVersionHeader(written) };
}
