// Resources inside of others: the one around must be there first, and owns what is in it, so that
// what is inside goes when it goes.

import { withoutRevision } from "../../intents/write/update.ts";
import { draftOf } from "../../kernel/draft.ts";
import type { OwnerReference, Resource } from "../../kernel/resource.ts";
import type { StoredRecord, Write } from "../../store/port.ts";
import { faceOf } from "./addressed.ts";
import { armRefusal } from "./arm-error.ts";
import { parentOf } from "./arm-path.ts";
import type { ArmPlace } from "./arm-path.ts";
import type { ArmSurface } from "./arm-request.ts";
import { storedAt } from "./located.ts";
import { resourceOf } from "./resource-view.ts";

export interface Around {
  readonly owner: OwnerReference;
  /** Changes nothing, and is refused when the one around has changed, has moved or is gone. */
  readonly fence: readonly Write[];
}

/** Undefined for what is not nested; throws 404 when the one around is not there. */
export async function aroundOf(surface: ArmSurface, place: ArmPlace): Promise<Around | undefined> {
  const parent = parentOf(place);
  if (parent === undefined) return undefined;
  const { name, record } = await storedAt(surface, faceOf(surface, parent).kind, parent);
  const resource = record && resourceOf(record);
  if (
    record === undefined ||
    resource === undefined ||
    resource.metadata.deletionTimestamp !== undefined
  ) {
    const around = parent.names.join("/");
    const message = `Can not perform the request on a nested resource: '${around}' was not found.`;
    throw armRefusal(404, { code: "ParentResourceNotFound", message });
  }
  const { apiVersion, kind: shown, metadata } = resource;
  const { uid } = metadata;
  const owner = { apiVersion, kind: shown, name, uid, blockOwnerDeletion: true };
  return { owner, fence: fenceOf(surface, record, resource) };
}

/** To write what is there costs no revision. */
function fenceOf(
  { intents }: ArmSurface,
  { key, uid, revision }: StoredRecord,
  resource: Resource,
): readonly Write[] {
  const served = intents.kinds.byId(key.kind);
  if (served === undefined || resource.apiVersion !== served.storage.apiVersion) return [];
  const draft = draftOf(served.storedKind, withoutRevision(resource));
  return [{ kind: "put", key, uid, draft, when: { kind: "revision", revision, uid } }];
}
