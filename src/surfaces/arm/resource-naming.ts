/**
 * A resource by its Azure id, /subscriptions/.../providers/NAMESPACE/TYPE/NAME, as the command line
 * accepts it. The id does not contain the stored name, which a move leaves unchanged, and only the
 * face of the type knows the kind. The resource is therefore searched in its resource group.
 */
import type { FoundResource, KindAddress, NamingPorts } from "../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { objectsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { groupDigest, namespaceOf } from "../../modules/resource-provider/arm-names.ts";
import { envelopeOf } from "../../modules/resource-provider/envelope.ts";
import { groupLabel } from "../../modules/resource-provider/face.ts";
import { idOfPlace } from "../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../modules/resource-provider/resource-id.ts";
import { placeOfId } from "./protocol/arm-path.ts";

export async function findByArmId(text: string, server: NamingPorts): Promise<FoundResource> {
  const place = placeOfId(text);
  if (place === undefined) {
    throw new SetpointError("config.invalid", `${text} is not the id of a resource`, {
      suggestion: "an id ends with /providers/NAMESPACE/TYPE/NAME",
    });
  }
  const namespace = namespaceOf(place.subscription);
  for (const kind of likelyFirst(await server.kinds(), place)) {
    const name = await nameIn(server, kind, namespace, place);
    if (name !== undefined) return { kind, namespace, name };
  }
  throw new SetpointError("resource.not_found", `${text} not found in the namespace ${namespace}`, {
    suggestion: "check whether it was deleted or moved, and whether you may list its kind",
  });
}

/** Built-in kinds have no faces. The plural of a kind is often the name of its type. */
function likelyFirst(kinds: readonly KindAddress[], { types }: ArmPlace): readonly KindAddress[] {
  const type = types.at(-1)?.toLowerCase();
  const offered = kinds.filter(({ group, isNamespaced }) => isNamespaced && isOwnGroup(group));
  return offered.toSorted((a, b) => Number(b.plural === type) - Number(a.plural === type));
}

function isOwnGroup(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io") && group !== "arm.setpoint.dev";
}

async function nameIn(
  server: NamingPorts,
  kind: KindAddress,
  namespace: string,
  place: ArmPlace,
): Promise<string | undefined> {
  const selector = encodeURIComponent(`${groupLabel}=${groupDigest(place.group ?? "")}`);
  const list = server.pathTo(kind, namespace, "").replace(/\/$/, "");
  const found = await listed(server, `${list}?labelSelector=${selector}`);
  const items = objectsAt(found, "items") as unknown as readonly Resource[];
  const id = idOfPlace(place).toLowerCase();
  return items.find((item) => envelopeOf(item)?.id.toLowerCase() === id)?.metadata.name;
}

/** A kind that the caller may not list is skipped. */
async function listed(server: NamingPorts, path: string): Promise<Json> {
  try {
    return await server.get(path);
  } catch (error) {
    if (isSetpointError(error, "request.forbidden")) return {};
    throw error;
  }
}
