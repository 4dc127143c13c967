/**
 * Joins concurrent reads of single keys into one statement, so that one round trip serves many
 * callers. A read is answered only by a statement that began after the call, so its result is as
 * new as that of a separate statement. For keys that the recent log has in memory, the statement
 * returns only those that changed after the head of the recent log.
 */
import type { ResourceKey } from "../../kernel/resource.ts";
import { keyText } from "../../kernel/resource.ts";
import type { StoredRecord } from "../port.ts";
import { recordOf } from "../recent-log.ts";
import type { RecentLog } from "../recent-log.ts";
import { isAway } from "./failures.ts";
import { readOne, readUnlessKnown } from "./reads.ts";
import type { Known, Reading } from "./reads.ts";

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
  readonly #log: RecentLog;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(reading: () => Reading, log: RecentLog) {
    this.#reading = reading;
    this.#log = log;
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
    try {
      const keys = batch.map(({ key }) => key);
      const known = keys.map((key) => this.#known(key));
      const [only] = batch;
      if (only !== undefined && batch.length === 1 && known[0] === undefined) {
        await this.#readAlone(only);
        return;
      }
      const found = await readUnlessKnown(this.#reading(), keys, known, this.#log.head);
      for (const [index, { resolve }] of batch.entries()) resolve(found[index]);
    } catch (error) {
      if (isAway(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // What is wrong with one key must not fail its neighbours: each learns its own.
      await Promise.all(batch.map((one) => this.#readAlone(one)));
    }
  }

  #known(key: ResourceKey): Known {
    const newest = this.#log.newest(keyText(key));
    return newest === undefined ? undefined : (recordOf(newest) ?? null);
  }

  async #readAlone({ key, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await readOne(this.#reading(), key));
    } catch (error) {
      reject(error);
    }
  }
}
