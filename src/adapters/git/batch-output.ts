// The output of `git cat-file --batch`: for each object a line "ID TYPE BYTES", its bytes, and a
// line break. Pure.

/** Undefined: an object is missing, or the output is incomplete. */
export function batchContents(
  output: Buffer,
  ids: readonly string[],
): readonly Uint8Array[] | undefined {
  const contents: Uint8Array[] = [];
  let start = 0;
  for (const id of ids) {
    const end = output.indexOf(10, start);
    if (end === -1) return undefined;
    const head = output.toString("latin1", start, end);
    const [, found, length] = /^([0-9a-f]+) blob (\d+)$/.exec(head) ?? [];
    if (found !== id) return undefined;
    const first = end + 1;
    const last = first + Number(length);
    if (last >= output.length) return undefined;
    contents.push(output.subarray(first, last));
    start = last + 1;
  }
  return contents;
}
