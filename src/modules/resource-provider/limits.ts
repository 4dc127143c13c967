// Every bound that the resource provider keeps. docs/reference/resource-provider.md explains those
// that clients notice.

export const providerLimits = {
  /** Operations that a process remembers for the next poll. */
  followedOperations: 2_000,
  /** Operations of a process whose end is not recorded yet. The sweep finds the others. */
  openOperations: 20_000,
  /** Requests that wait for a change of a resource at the same time. */
  waitingRequests: 100,
  /** The longest wait of one request, as a face may ask for it. */
  awaitEndMs: 5_000,
  /** The longest pause between two polls that a server may ask for. */
  retryAfterSeconds: 600,
} as const;
