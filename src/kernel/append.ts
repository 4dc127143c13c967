// Adds many items to a list. Spreading them into `push` makes arguments of them, of which there
// may be some hundred thousand at most: a hostile document could end the request that way.

export function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
