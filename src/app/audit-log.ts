// The audit log of requests, reads and refusals among them: one event per line of a file
// (line-log.ts). Each batch of events is flushed to the disk before the next one, so that a crash
// loses the events of the last milliseconds at most.
//
// Audit records of writes do not depend on this file: they are derived from the change log
// (intents/audit/audit-records.ts).

import type { FileHandle } from "node:fs/promises";
import type { AuditPolicy } from "../intents/audit/audit-policy.ts";
import { auditor } from "../intents/audit/audit-trail.ts";
import type { Auditor } from "../intents/audit/audit-trail.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../telemetry/log.ts";
import { LineLog } from "./line-log.ts";

export interface AuditLogOptions {
  readonly policy: AuditPolicy;
  /** File that events are added to. */
  readonly path: string;
  readonly log: Logger;
  readonly maxFileBytes?: number;
  readonly maxFiles?: number;
  readonly clock?: Clock;
  /** Flushes the file to the disk. Tests replace it. */
  readonly flush?: (file: FileHandle) => Promise<void>;
}

export interface AuditLog extends Auditor, AsyncDisposable {
  /** Events that were lost because the disk did not keep up. */
  readonly dropped: number;
}

export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { policy, clock = systemClock, flush = flushed, ...of } = options;
  const named = { option: "audit-log", things: "audit events" };
  const file = await LineLog.open({ ...of, ...named, clock, flush });
  const events = auditor({ policy, clock, write: (event) => file.add(JSON.stringify(event)) });
  return {
    begin: (request, user) => events.begin(request, user),
    get dropped() {
      return file.dropped;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

async function flushed(file: FileHandle): Promise<void> {
  await file.datasync();
}
