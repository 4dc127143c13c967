// How a store on PostgreSQL is opened.

import type { Clock } from "../../kernel/clock.ts";
import type { Ids } from "../../kernel/ids.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { KeyRing } from "../key-ring.ts";

export interface PostgresStoreOptions {
  readonly url: string;
  readonly keys: KeyRing;
  readonly schema?: string;
  /** Changes nothing, not even an outdated schema; writes are refused. */
  readonly readOnly?: boolean;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly ids?: Ids;
  /** How long a commit tries to learn its outcome when the database is away. */
  readonly commitPatienceMs?: number;
  /** How long a read tries. */
  readonly readPatienceMs?: number;
  readonly readConnections?: number;
  readonly maxQueuedWrites?: number;
  readonly maxQueuedBytes?: number;
  /** Added to the database's clock; for tests. */
  readonly clockSkewMs?: () => number;
}
