/**
 * A resource as the Resource Manager names it: /subscriptions/.../providers/NAMESPACE/TYPE/NAME.
 * What it is called in the store does not follow from that, since one that was moved keeps it, and
 * its kind is known to its face alone: it is looked for among those of its resource group.
 */
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { objectsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { groupDigest, namespaceOf } from "../../surfaces/arm/arm-names.ts";
import { idOfPlace, isArmPath, placeOfId } from "../../surfaces/arm/arm-path.ts";
import type { ArmPlace } from "../../surfaces/arm/arm-path.ts";
import { envelopeOf } from "../../surfaces/arm/envelope.ts";
import { groupLabel } from "../../surfaces/arm/face.ts";
import type { ApiClient } from "./api-client.ts";
import { pathTo, servedKinds } from "./find-kind.ts";
import type { KindAddress } from "./find-kind.ts";

export interface ArmNamed {
  readonly address: KindAddress;
  readonly namespace: string;
  readonly name: string;
}

/** Undefined for what is not meant as an id at all. */
export async function findByArmId(client: ApiClient, text: string): Promise<ArmNamed | undefined> {
  if (!isArmPath(text)) return undefined;
  const place = placeOfId(text);
  if (place === undefined) {
    throw new SetpointError("config.invalid", `${text} is not the id of a resource`, {
      suggestion: "an id ends with /providers/NAMESPACE/TYPE/NAME",
    });
  }
  const namespace = namespaceOf(place.subscription);
  for (const address of likelyFirst(await servedKinds(client), place)) {
    const name = await nameIn(client, address, namespace, place);
    if (name !== undefined) return { address, namespace, name };
  }
  throw new SetpointError("resource.not_found", `${text} not found in the namespace ${namespace}`, {
    suggestion: "see whether it was deleted or moved, and whether you may list its kind",
  });
}

/** Built-in kinds have no faces; a plural is often called like the type. */
function likelyFirst(kinds: readonly KindAddress[], { types }: ArmPlace): readonly KindAddress[] {
  const type = types.at(-1)?.toLowerCase();
  const offered = kinds.filter(({ group, isNamespaced }) => isNamespaced && isOwnGroup(group));
  return offered.toSorted((a, b) => Number(b.plural === type) - Number(a.plural === type));
}

function isOwnGroup(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io") && group !== "arm.setpoint.dev";
}

async function nameIn(
  client: ApiClient,
  address: KindAddress,
  namespace: string,
  place: ArmPlace,
): Promise<string | undefined> {
  const selector = encodeURIComponent(`${groupLabel}=${groupDigest(place.group ?? "")}`);
  const path = `${pathTo(address, namespace, "").replace(/\/$/, "")}?labelSelector=${selector}`;
  const id = idOfPlace(place).toLowerCase();
  const items = objectsAt(await listed(client, path), "items") as unknown as readonly Resource[];
  return items.find((item) => envelopeOf(item)?.id.toLowerCase() === id)?.metadata.name;
}

/** Kinds that one may not list are those that one may not ask about. */
async function listed(client: ApiClient, path: string): Promise<Json> {
  try {
    return await client.get(path);
  } catch (error) {
    if (isSetpointError(error, "request.forbidden")) return {};
    throw error;
  }
}
