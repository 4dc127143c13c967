// The types inside of another, and what they mean for its deletion.

import type { Propagation } from "../../../intents/write/finalizers.ts";
import { isSameText } from "../arm-names.ts";
import type { ArmFace } from "../face.ts";
import type { ProviderState } from "../provider-state.ts";

export interface Inner {
  readonly inner: ArmFace;
  /** The last part of its type. */
  readonly type: string;
}

/** The types that are directly inside of another. */
export function innerOf({ faces }: Pick<ProviderState, "faces">, face: ArmFace): readonly Inner[] {
  return faces
    .all()
    .map((inner) => ({ inner, type: inner.type.slice(face.type.length + 1) }))
    .filter(
      ({ inner, type }) =>
        isSameText(inner.provider, face.provider) &&
        isSameText(inner.type, `${face.type}/${type}`) &&
        !type.includes("/"),
    );
}

/**
 * How a resource of the type is deleted: after what is inside of it, where there may be something.
 * Whether there is, is seen once nothing more can come into it.
 */
export function propagationOf(
  provider: Pick<ProviderState, "faces">,
  face: ArmFace,
): Propagation | undefined {
  return innerOf(provider, face).length > 0 ? "Nested" : undefined;
}
