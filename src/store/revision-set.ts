/**
 * A set of revisions without the bound of a Set, which throws a RangeError at 2^24 values: a store
 * that keeps its history has more. Revisions lie close together, so they are kept as bits, in pages
 * that are made for the parts of the log where there are any.
 */
const pageBits = 4_096;

export class RevisionSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(revision: number): void {
    const number = Math.floor(revision / pageBits);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = new Uint8Array(pageBits / 8);
      this.#pages.set(number, page);
    }
    const bit = revision % pageBits;
    page[bit >> 3] = (page[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  has(revision: number): boolean {
    const page = this.#pages.get(Math.floor(revision / pageBits));
    if (page === undefined) return false;
    const bit = revision % pageBits;
    return ((page[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}
