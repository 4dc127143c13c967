// Frames of changes, shared by all watch groups. A change looks the same to every watcher that
// receives it in the same form, whatever the watcher selects. So its frame is made once, and kept
// while the change is likely to be needed: for the groups that have not had their turn, and for
// watchers that resume. The bytes that are kept are bounded; the oldest are forgotten first.

import { limits } from "../../kernel/limits.ts";
import type { Change } from "../../store/port.ts";

export type Frame = Buffer | Promise<Buffer>;

interface Kept {
  readonly change: Change;
  readonly key: string;
  readonly bytes: number;
}

/** Has a life cycle, hence a class. */
export class FrameCache {
  readonly #maxBytes: number;
  readonly #frames = new WeakMap<Change, Map<string, Frame>>();
  /** In the order of creation. */
  readonly #kept = new Set<Kept>();
  #bytes = 0;
  #made = 0;

  constructor(maxBytes: number = limits.maxKeptFrameBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Frames that were made, in total. */
  get made(): number {
    return this.#made;
  }

  /** The bytes of frames that are kept, and of the changes that they belong to. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The frame with this key; `make` is called if it is not known. A failure is not kept. */
  share(change: Change, key: string, make: () => Frame): Frame {
    const known = this.#frames.get(change)?.get(key);
    if (known !== undefined) return known;
    this.#made += 1;
    const frame = make();
    if (!(frame instanceof Promise)) {
      this.#keep(change, key, frame);
      return frame;
    }
    const kept = this.#settled(change, key, frame);
    this.#ofChange(change).set(key, kept);
    return kept;
  }

  async #settled(change: Change, key: string, frame: Promise<Buffer>): Promise<Buffer> {
    try {
      const bytes = await frame;
      this.#keep(change, key, bytes);
      return bytes;
    } catch (error) {
      this.#frames.get(change)?.delete(key);
      throw error;
    }
  }

  #keep(change: Change, key: string, frame: Buffer): void {
    const kept = { change, key, bytes: frame.length + change.body.length };
    this.#ofChange(change).set(key, frame);
    this.#kept.add(kept);
    this.#bytes += kept.bytes;
    for (const oldest of this.#kept) {
      if (this.#bytes <= this.#maxBytes || oldest === kept) return;
      this.#kept.delete(oldest);
      this.#bytes -= oldest.bytes;
      this.#frames.get(oldest.change)?.delete(oldest.key);
    }
  }

  #ofChange(change: Change): Map<string, Frame> {
    const known = this.#frames.get(change);
    if (known !== undefined) return known;
    const frames = new Map<string, Frame>();
    this.#frames.set(change, frames);
    return frames;
  }
}
