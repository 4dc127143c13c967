/**
 * Joins reads of single keys that arrive while others are under way into one statement: a round
 * trip serves many callers, as it does for commits. A read is only answered by a statement that
 * began after it was asked for, so it is as new as if it had gone alone.
 */
import type { ResourceKey } from "../../kernel/resource.ts";
import type { StoredRecord } from "../port.ts";
import { readMany, readOne } from "./reads.ts";
import type { Reading } from "./reads.ts";

type Found = StoredRecord | undefined;

interface Waiting {
  readonly key: ResourceKey;
  readonly resolve: (found: Found) => void;
  readonly reject: (error: unknown) => void;
}

/** Enough to keep the database busy, few enough that reads meet in the queue. */
const maxUnderWay = 2;
/** Documents may be large, and all of a batch are in memory at once. */
const maxBatch = 32;

export class ReadQueue {
  readonly #reading: () => Reading;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(reading: () => Reading) {
    this.#reading = reading;
  }

  get(key: ResourceKey): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      this.#pump();
    });
  }

  #pump(): void {
    while (this.#underWay < maxUnderWay && this.#waiting.length > 0) {
      this.#underWay += 1;
      void this.#read(this.#waiting.splice(0, maxBatch)).finally(() => {
        this.#underWay -= 1;
        this.#pump();
      });
    }
  }

  async #read(batch: readonly Waiting[]): Promise<void> {
    const [only] = batch;
    if (only !== undefined && batch.length === 1) {
      await this.#readAlone(only);
      return;
    }
    try {
      const found = await readMany(
        this.#reading(),
        batch.map(({ key }) => key),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(found[index]);
    } catch {
      // What is wrong with one key must not fail its neighbours: each learns its own.
      await Promise.all(batch.map((one) => this.#readAlone(one)));
    }
  }

  async #readAlone({ key, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await readOne(this.#reading(), key));
    } catch (error) {
      reject(error);
    }
  }
}
