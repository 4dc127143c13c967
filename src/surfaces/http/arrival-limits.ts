// The limits of connections, of requests that arrive faster than they are begun, and of parts of
// bodies.

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
  /** Connections; a tenant may have as many as it leaves free. */
  maxConnections: 10_000,
  /** Connections whose client has sent no request yet, or none with valid credentials. */
  maxNewConnections: 2_000,
  /**
   * Streams of an HTTP/2 connection beyond the running ones: with few connections, and with very
   * many. Clients assume 100 until they know, as Go's do; kube-apiserver allows as many.
   */
  spareStreams: 128,
  leastSpareStreams: 4,
  /** Streams beyond the running ones of all connections together. */
  maxSpareStreams: 2_048,
  /** A part of a body with fewer bytes is small; the first ones of each body do not count. */
  smallPartBytes: 512,
  freeParts: 4,
  /** Small parts of one connection at once, and per second. */
  maxSmallParts: 2_000,
  smallPartsPerSecond: 1_000,
  /** Small parts of all connections in one turn of the event loop; each connection has some. */
  maxSmallPartsInTurn: 8_000,
  leastSmallPartsInTurn: 64,
});
