// Resources inside of others: the one around must be there first, and owns what is in it, so that
// what is inside goes before it goes.

import type { OwnerReference } from "../../../kernel/resource.ts";
import type { StoredRecord, Write } from "../../../store/port.ts";
import { faceOf } from "../request/addressed.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import { parentOf, shortId } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { storedAt } from "./located.ts";
import { markWrite } from "./moving-mark.ts";
import { resourceOf } from "./resource-view.ts";

export interface Around {
  readonly owner: OwnerReference;
  readonly record: StoredRecord;
}

/** Undefined for what is not nested; throws 404 when the one around is not there. */
export async function aroundOf(surface: ArmSurface, place: ArmPlace): Promise<Around | undefined> {
  const parent = parentOf(place);
  if (parent === undefined) return undefined;
  const face = faceOf(surface, parent);
  const { name, record } = await storedAt(surface, face.kind, parent);
  const resource = record && resourceOf(record);
  if (
    record === undefined ||
    resource === undefined ||
    resource.metadata.deletionTimestamp !== undefined
  ) {
    const around = shortId(face, parent);
    const message =
      "Can not perform requested operation on nested resource. " +
      `Parent resource '${around}' not found.`;
    throw armRefusal(404, { code: "ParentResourceNotFound", message });
  }
  const { apiVersion, kind: shown, metadata } = resource;
  const { uid } = metadata;
  const owner = { apiVersion, kind: shown, name, uid, blockOwnerDeletion: true };
  return { owner, record };
}

/** Is refused when the one around has changed, has moved or is gone; holds back who moves it. */
export async function fenceOf(
  surface: ArmSurface,
  around: Around | undefined,
): Promise<readonly Write[]> {
  return around === undefined ? [] : await markWrite(surface, around.record, false);
}
