// Every bound that the module keeps.

export const busLimits = {
  /** Events that are read from the log and not confirmed, and their bytes. */
  maxBufferedEvents: 2_048,
  maxBufferedBytes: 33_554_432,
  /** Events that are sent and not confirmed. */
  maxUnconfirmed: 512,
  /** Changes read at once. */
  pageChanges: 500,
  /** Bytes of one event. A larger resource is left out of its event. */
  maxEventBytes: 262_144,
  /** Resources whose last state is remembered to find what a change means. */
  maxRememberedStates: 10_000,
  /** Bytes of the body of a command. */
  maxCommandBytes: 262_144,
  /** Deliveries that a consumer holds. */
  defaultPrefetch: 8,
  maxPrefetch: 64,
  /** Deliveries of one command before it becomes a dead letter. */
  defaultDeliveryLimit: 20,
  /** Events in the queue of events that no other queue receives. The oldest is dropped first. */
  maxUnroutedEvents: 100_000,
  /** The same, in the memory of this process. */
  maxUnroutedInProcess: 1_000,
  /** How long one delivery is tried while the store is not available, then it is put back. */
  maxRetryInPlaceMs: 600_000,
  /** How much longer than configured the history is kept for events that are not published. */
  defaultHoldHours: 72,
  maxHoldHours: 720,
  firstRetryMs: 200,
  longestRetryMs: 30_000,
  /** The place in the log is stored at most this often. */
  savePauseMs: 250,
  /** Changes of other kinds after which the place is stored without a published event. */
  saveEveryRevisions: 1_000,
} as const;
