// Finds the instances of an Offering in the store.

import type { Found } from "../../../intents/kinds/registry.ts";
import { presentResource } from "../../../intents/read/present.ts";
import type { Target } from "../../../intents/request.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { idName } from "../names.ts";
import type { Offering } from "../offering.ts";
import type { FleetRoutePorts } from "./fleet-route.ts";

export interface FoundInstance {
  readonly key: ResourceKey;
  readonly record: StoredRecord;
  readonly resource: Resource;
}

/** The kind of the instances. The reconciler of a new Offering installs it. */
export function instanceKind({ kinds }: Pick<FleetRoutePorts, "kinds">, offering: Offering): Found {
  const { group, plural } = offering.instances;
  const found = kinds.find(group, "v1", plural);
  if (found !== undefined) return found;
  const message = `${offering.displayName} is not ready: its kind is not installed yet`;
  throw new SetpointError("module.unavailable", message);
}

/** Undefined when the Offering has no instance with this id. */
export async function findInstance(
  ports: Pick<FleetRoutePorts, "kinds" | "store">,
  offering: Offering,
  id: string,
): Promise<FoundInstance | undefined> {
  const { served, version } = instanceKind(ports, offering);
  // An id that no instance can have is not looked up.
  if (id.length > maxIdChars) return undefined;
  const key = await ports.store.nameHolder(idName(offering.name, id));
  if (key === undefined || key.kind !== served.id) return undefined;
  const record = await ports.store.get(key);
  if (record === undefined) return undefined;
  return { key, record, resource: await presentResource(served, version, record) };
}

const maxIdChars = 253;

export function instanceTarget(found: Found, { namespace, name }: ResourceKey): Target {
  return { ...found, namespace, name, subresource: "" };
}

export function instanceNotFound({ instances }: Offering, id: string): SetpointError {
  const shown = JSON.stringify(id.slice(0, 100));
  const message = `${instances.kind}Request with id=${shown} not found`;
  return new SetpointError("fleet.not_found", message);
}
