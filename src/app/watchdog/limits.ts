// The limits of the watchdog. They are described in docs/reference/configuration.md.

export const watchdogLimits = Object.freeze({
  /** Between two beats of the event loop, and between two looks at them. */
  beatMs: 250,
  /**
   * A loop that is blocked for this long is reported, and signals get their default action. It is
   * reported again after the other times.
   */
  reportedAfterMs: [1_000, 10_000, 30_000],
  /** A loop that is blocked for this long never comes back: the process ends. */
  endMs: 60_000,
  /** How long the blocked thread may take to stop at a statement and to describe its activity. */
  inspectMs: 1_000,
  /** Frames of the stack in the log line. */
  shownFrames: 5,
  /** How long a block is reported by /readyz?verbose after the loop has recovered. */
  recentMs: 60_000,
  /** Bytes of the description of the activity that began last. */
  boardBytes: 2_048,
});
