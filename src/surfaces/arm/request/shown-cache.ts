// What was shown of a resource, kept for the next who asks: nothing of it changes before the
// resource has another revision, and no two states of anything have the same. Only what does not
// depend on the time is kept, and within bounds; the oldest goes first.

import type { ArmFace, ArmVersion } from "../../../modules/resource-provider/face.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";

/** By whose rules it is shown. */
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
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

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
    if (bytes.length > maxBytes / 10) return;
    this.#drop(revision);
    this.#kept.set(revision, { id, by: { face, version, served }, bytes });
    this.#bytes += bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(revision: number): void {
    this.#bytes -= this.#kept.get(revision)?.bytes.length ?? 0;
    this.#kept.delete(revision);
  }
}
