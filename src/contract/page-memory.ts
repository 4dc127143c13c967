// Memory, and a turn of the event loop, for the pages that a request reads from the store.

export interface PageMemory {
  /** Undefined means at once. Throws, or rejects with, request.overloaded. */
  before(): Promise<void> | undefined;
  /**
   * With the bytes of the documents. A page that has a next one counts as a full page for the event
   * loop: the store may have looked at thousands of documents that are not in it.
   */
  after(bytes: number, hasNext?: boolean): void;
  /** The documents that were read are not needed any more. */
  drop(): void;
}
