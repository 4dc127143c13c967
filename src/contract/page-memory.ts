// Memory, and a turn of the event loop, for the pages that a request reads from the store.

export interface PageMemory {
  /** Undefined means at once. Throws, or rejects with, request.overloaded. */
  before(): Promise<void> | undefined;
  /** With the bytes of the documents. */
  after(bytes: number): void;
  /** The documents that were read are not needed any more. */
  drop(): void;
}
