// Results by the contents that they were made from, per tenant, with a bound on their number and
// size. The least recently used ones are removed.

import { gitopsLimits } from "../limits.ts";
import type { RenderResult } from "./renderer.ts";
import type { Sized } from "./reading.ts";

export class RenderCache {
  readonly #results = new Map<string, Sized<RenderResult>>();
  readonly #maxResults: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(
    maxResults: number = gitopsLimits.maxRenderResults,
    maxBytes: number = gitopsLimits.maxRenderResultBytes,
  ) {
    this.#maxResults = maxResults;
    this.#maxBytes = maxBytes;
  }

  get(key: string): RenderResult | undefined {
    const found = this.#results.get(key);
    if (found === undefined) return undefined;
    this.#results.delete(key);
    this.#results.set(key, found);
    return found.result;
  }

  set(key: string, { result, bytes }: Sized<RenderResult>): void {
    this.#delete(key);
    const added = { result, bytes: entryBytes + bytes * objectsPerJson };
    this.#results.set(key, added);
    this.#bytes += added.bytes;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= this.#maxResults && this.#bytes <= this.#maxBytes) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#results.get(key)?.bytes ?? 0;
    this.#results.delete(key);
  }
}

/** Objects in memory are larger than their JSON. */
const objectsPerJson = 4;
const entryBytes = 1_024;
