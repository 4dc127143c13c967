// Responses to GET, by the revision of the resource. Only responses that do not depend on the time
// are kept.

import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { ArmFace, ArmVersion } from "../../../modules/resource-provider/face.ts";
import { RevisionCache } from "./revision-cache.ts";

/** The rules by which a response was made. */
export interface ShownBy {
  readonly face: ArmFace;
  readonly version: ArmVersion;
  readonly served: ServedKind;
}

interface Kept {
  /** The id in lower case. */
  readonly id: string;
  readonly by: ShownBy;
  readonly bytes: Buffer;
}

const maxBytes = 8_000_000;

export class ShownCache {
  readonly #kept = new RevisionCache<Kept>(maxBytes);

  /** Whether the state with this revision is known to be that of the resource with this id. */
  isOf(revision: number, id: string): boolean {
    return this.#kept.get(revision)?.id === id;
  }

  find(revision: number, { face, version, served }: ShownBy): Buffer | undefined {
    const kept = this.#kept.get(revision);
    if (kept === undefined) return undefined;
    const { by, bytes } = kept;
    const isSame = by.face === face && by.version === version && by.served === served;
    return isSame ? bytes : undefined;
  }

  keep(revision: number, id: string, { face, version, served }: ShownBy, bytes: Buffer): void {
    this.#kept.set(revision, { id, by: { face, version, served }, bytes }, bytes.length);
  }
}
