// What is inside of a resource moves with it, in one commit; but what is created inside after the
// mover has looked and before that commit would be left behind. So the mover puts a mark on the
// resource first, and looks then. A creation inside commits only if the resource is as it was read,
// and takes a mark off that it has read: then the move, which is of the resource with the mark, is
// refused and looks again. Nobody waits for anybody, and a mark that nobody came back to, because
// the mover was killed, is in the way of nothing.

import { draftFor, readStored } from "../../intents/write/stored.ts";
import { withoutRevision } from "../../intents/write/update.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { draftOf } from "../../kernel/draft.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import type { Put, StoredRecord } from "../../store/port.ts";
import type { ArmSurface } from "./arm-request.ts";
import { movingAnnotation } from "./face.ts";

export function isMarked({ metadata }: Pick<Resource, "metadata">): boolean {
  return metadata.annotations?.[movingAnnotation] !== undefined;
}

/**
 * Leaves the resource as it is but for the mark, and is refused when it has changed, has moved or
 * is gone. To write what is there costs no revision. Nobody is woken by it.
 */
export async function markWrite(
  { intents }: ArmSurface,
  record: StoredRecord,
  isMoving: boolean,
): Promise<readonly Put[]> {
  const { key, uid, revision } = record;
  const served = intents.kinds.byId(key.kind);
  if (served === undefined) return [];
  const stored = decodeDocument(record.body, revision);
  const isCurrent = stored.apiVersion === served.storage.apiVersion;
  const resource = isCurrent ? stored : await readStored(served, served.storage, record);
  const next = withoutRevision(withMark(resource, isMoving));
  const draft: Draft = isCurrent ? draftOf(served.storedKind, next) : await draftFor(served, next);
  return [{ kind: "put", key, uid, draft, when: { kind: "revision", revision, uid } }];
}

function withMark(resource: Resource, isMoving: boolean): Resource {
  if (isMarked(resource) === isMoving) return resource;
  const { metadata } = resource;
  const { annotations = {} } = metadata;
  const next = isMoving ? { ...annotations, [movingAnnotation]: "true" } : unmarked(annotations);
  return { ...resource, metadata: { ...metadata, annotations: next } };
}

export function unmarked(
  annotations: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return withoutKey(annotations, movingAnnotation);
}
