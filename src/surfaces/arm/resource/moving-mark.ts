// What is inside of a resource moves with it, in one commit; but what is created inside after the
// mover has looked and before that commit would be left behind. So the mover puts a mark on the
// resource first, and looks then. A creation inside commits only if the resource is as it was read,
// and takes a mark off that it has read: then the move, which is of the resource with the mark, is
// refused and looks again. Nobody waits for anybody, and a mark that nobody came back to, because
// the mover was killed, is in the way of nothing.

import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import type { Put, StoredRecord } from "../../../store/port.ts";
import { annotatedWrite } from "../../../modules/resource-provider/annotated.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { movingAnnotation } from "../../../modules/resource-provider/face.ts";

export function isMarked({ metadata }: Pick<Resource, "metadata">): boolean {
  return metadata.annotations?.[movingAnnotation] !== undefined;
}

/**
 * Leaves the resource as it is but for the mark, and is refused when it has changed, has moved or
 * is gone.
 */
export async function markWrite(
  surface: ArmSurface,
  record: StoredRecord,
  isMoving: boolean,
): Promise<readonly Put[]> {
  return await annotatedWrite(surface, record, (before) => {
    if ((before[movingAnnotation] !== undefined) === isMoving) return before;
    return isMoving ? { ...before, [movingAnnotation]: "true" } : unmarked(before);
  });
}

export function unmarked(
  annotations: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return withoutKey(annotations, movingAnnotation);
}
