// A value that is computed when it is first needed, and kept. If the computation throws, the next
// call computes again.

export function once<T extends object>(compute: () => T): () => T {
  let known: T | undefined;
  return () => (known ??= compute());
}
