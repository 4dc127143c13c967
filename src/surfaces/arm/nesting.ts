// Resources inside of others: the one around must be there first, and owns what is in it, so that
// what is inside goes when it goes.

import { decodeDocument } from "../../kernel/document.ts";
import type { OwnerReference } from "../../kernel/resource.ts";
import { faceOf } from "./addressed.ts";
import { armRefusal } from "./arm-error.ts";
import { namespaceOf, storedName } from "./arm-names.ts";
import { parentOf } from "./arm-path.ts";
import type { ArmPlace } from "./arm-path.ts";
import type { ArmSurface } from "./arm-request.ts";

/** Undefined for what is not nested; throws 404 when the one around is not there. */
export async function ownerOf(
  surface: ArmSurface,
  place: ArmPlace,
): Promise<OwnerReference | undefined> {
  const parent = parentOf(place);
  if (parent === undefined) return undefined;
  const { kind } = faceOf(surface, parent);
  const name = storedName(parent);
  const namespace = namespaceOf(parent.subscription);
  const record = await surface.intents.store.get({ kind, namespace, name });
  const resource = record && decodeDocument(record.body, record.revision);
  if (resource === undefined || resource.metadata.deletionTimestamp !== undefined) {
    const around = parent.names.join("/");
    const message = `Can not perform the request on a nested resource: '${around}' was not found.`;
    throw armRefusal(404, { code: "ParentResourceNotFound", message });
  }
  const { apiVersion, kind: shown, metadata } = resource;
  return { apiVersion, kind: shown, name, uid: metadata.uid, blockOwnerDeletion: true };
}
