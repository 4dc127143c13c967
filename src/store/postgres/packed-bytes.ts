/**
 * Texts of one answer as bytes, many to a block. A buffer of its own for each of a thousand
 * documents costs the collector more than all else about them; the first few have their own all the
 * same, since whoever keeps one of a few should not keep a block with it.
 */
const blockBytes = 65_536;
/** Larger texts gain nothing by sharing. */
const largestShared = 8_192;
const alone = 8;

export class PackedBytes {
  #block: Buffer = Buffer.alloc(0);
  #used = 0;
  #count = 0;

  bytesOf(text: string): Buffer {
    this.#count += 1;
    // A unit of UTF-16 takes three bytes at most.
    const most = text.length * 3;
    if (this.#count <= alone || most > largestShared) return Buffer.from(text);
    if (most > this.#block.length - this.#used) {
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#block.write(text, start);
    return this.#block.subarray(start, this.#used);
  }
}
