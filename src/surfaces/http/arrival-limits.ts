// The limits of requests that arrive faster than they are begun.

const kib = 1_024;

export const arrivalLimits = Object.freeze({
  /** Requests that were read and are not begun, and those of a connection that are always taken. */
  maxWaitingBytes: 64 * kib * kib,
  leastWaitingBytes: 64 * kib,
  /** What such a request takes beside its headers. */
  requestBytes: 4 * kib,
  /** Requests of one connection of HTTP/1.1 that are sent before the first of them is begun. */
  maxPipelined: 64,
  /** Reading of requests in one turn of the event loop; then it waits for the next turn. */
  readTurnMs: 4,
  /** Connections whose last request is older are read in any case. */
  recentMs: 2_000,
});
