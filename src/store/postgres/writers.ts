/**
 * Two connections that commit, so that the database finds the next batch waiting at its lock when
 * it is done with one, instead of waiting until the answer has been read and the next batch has
 * been written. Batches that are under way together depend on nothing in each other, since either
 * may come first (commit-queue.ts sees to that).
 */
import type { PreparedGroup } from "../prepare.ts";
import type { BatchAnswer } from "./answers.ts";
import { Writer } from "./writer.ts";
import type { WriterOptions } from "./writer.ts";

export class Writers {
  readonly #all: readonly Writer[];
  /** The first is taken before the second, which may never be needed and then never connects. */
  readonly #idle: Writer[];

  constructor(options: WriterOptions) {
    this.#all = [1, 2].map((index) => new Writer({ ...options, id: `${options.id}.${index}` }));
    this.#idle = this.#all.toReversed();
  }

  /** The answer of the database. At most two at a time. */
  async commit(groups: readonly PreparedGroup[]): Promise<BatchAnswer> {
    const writer = this.#idle.pop();
    if (writer === undefined) throw new Error("both writers have a batch under way");
    try {
      return await writer.commit(groups);
    } finally {
      this.#idle.push(writer);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(async (writer) => await writer.close()));
  }
}
