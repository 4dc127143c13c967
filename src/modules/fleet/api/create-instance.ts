// Creates an instance through the write path, for a customer or on behalf of one. Everything that
// depends on stored state (provider, region, type, quota, capacity) is admission. A quota service
// has a short time to refuse it.

import { createResource } from "../../../intents/write/create.ts";
import type { Caller, Written } from "../../../intents/request.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { presentObjectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Offering } from "../offering.ts";
import { awaitQuota } from "../quota-service/await-quota.ts";
import { needsReservation } from "../quota-service/instance-quota.ts";
import type { CustomerPorts } from "./fleet-route.ts";
import { instanceKind, instanceTarget } from "./instance-lookup.ts";
import { writeOptions } from "./writes.ts";

export interface NewInstance {
  readonly offering: Offering;
  readonly caller: Caller;
  readonly namespace: string;
  readonly name: string;
  readonly spec: JsonObject;
  readonly signal: AbortSignal;
}

/** Throws fleet.name_taken, and what admission refuses. */
export async function createInstance(
  ports: CustomerPorts,
  { offering, caller, namespace, name, spec, signal }: NewInstance,
): Promise<Written> {
  const found = instanceKind(ports, offering);
  const target = instanceTarget(found, { kind: found.served.id, namespace, name: "" });
  try {
    const written = await createResource(ports.intents, {
      caller,
      target,
      body: {
        apiVersion: found.version.apiVersion,
        kind: offering.instances.kind,
        metadata: { name, namespace },
        spec,
      },
      options: writeOptions,
      decodeProblems: [],
    });
    const instance = decodeDocument(written.body, written.revision);
    if (needsReservation(offering, instance)) await awaitQuota(ports, { target, instance, signal });
    return written;
  } catch (error) {
    if (isSetpointError(error, "resource.already_exists")) throw nameTaken(name);
    throw error;
  }
}

/** What customers may ask for. Admission adds the rest, and the defaults. */
export function specOf(body: JsonObject): JsonObject {
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

export function nameTaken(name: string): SetpointError {
  const message = `name: ${JSON.stringify(name)} is already used in the organisation`;
  return new SetpointError("fleet.name_taken", message, { details: { field: "body.name" } });
}
