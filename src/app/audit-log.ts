/**
 * The audit log of requests, reads and refusals among them: one event per line in a file that is
 * rotated when it has grown large. A request never waits for it: events go to a bounded buffer.
 * Events that arrive while a batch is written form the next batch, and each batch is flushed to the
 * disk before the next one, so that a crash loses the events of the last milliseconds at most.
 * Events that do not fit into the buffer are dropped, counted, and reported to the server's log.
 *
 * Audit records of writes do not depend on this file: they are derived from the change log
 * (intents/audit/audit-records.ts).
 */
import { open, rename, rm, readdir } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { AuditPolicy } from "../intents/audit/audit-policy.ts";
import { auditor } from "../intents/audit/audit-trail.ts";
import type { Auditor } from "../intents/audit/audit-trail.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import type { Logger } from "../telemetry/log.ts";

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
  const { policy, clock = systemClock } = options;
  const file = await EventFile.open(options, clock);
  const events = auditor({ policy, clock, write: (event) => file.add(JSON.stringify(event)) });
  return {
    begin: (request, user) => events.begin(request, user),
    get dropped() {
      return file.dropped;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

class EventFile {
  dropped = 0;
  readonly #options: AuditLogOptions;
  readonly #clock: Clock;
  #file: FileHandle;
  #size: number;
  #lines: string[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #reported = 0;

  private constructor(options: AuditLogOptions, clock: Clock, file: FileHandle, size: number) {
    this.#options = options;
    this.#clock = clock;
    this.#file = file;
    this.#size = size;
  }

  static async open(options: AuditLogOptions, clock: Clock): Promise<EventFile> {
    const file = await openNamed(options.path);
    const { size } = await file.stat();
    return new EventFile(options, clock, file, size);
  }

  add(line: string): void {
    const bytes = line.length + 1;
    if (this.#waitingBytes + bytes > limits.maxAuditBufferBytes) {
      this.dropped += 1;
      return;
    }
    this.#waitingBytes += bytes;
    this.#lines.push(line);
    this.#writing ??= this.#drain();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  async #drain(): Promise<void> {
    // Everything that arrives in the same turn goes out in one write.
    await Promise.resolve();
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      this.#waitingBytes = 0;
      await this.#write(lines);
    }
    this.#writing = undefined;
    this.#reportDropped();
  }

  async #write(lines: readonly string[]): Promise<void> {
    try {
      const bytes = Buffer.from(`${lines.join("\n")}\n`);
      const { maxFileBytes = limits.maxAuditFileBytes, flush = flushed } = this.#options;
      await this.#file.writeFile(bytes);
      await flush(this.#file);
      this.#size += bytes.length;
      if (this.#size >= maxFileBytes) await this.#rotate();
    } catch (error) {
      this.dropped += lines.length;
      this.#options.log.error({ error }, "audit events not written");
    }
  }

  async #rotate(): Promise<void> {
    const { path, maxFiles = limits.maxAuditFiles } = this.#options;
    await this.#file.close();
    const [folder, end] = [dirname(path), extname(path)];
    const start = `${basename(path, end)}-`;
    const time = new Date(this.#clock.nowMs()).toISOString().replaceAll(":", "-").slice(0, -1);
    await rename(path, join(folder, `${start}${time}${end}`));
    this.#file = await openPrivate(path);
    await flushFolder(folder);
    this.#size = 0;
    const old = (await readdir(folder)).filter(
      (name) => name.startsWith(start) && name.endsWith(end),
    );
    const excess = old.sort().slice(0, Math.max(0, old.length - maxFiles));
    for (const name of excess) await rm(join(folder, name), { force: true });
  }

  #reportDropped(): void {
    if (this.dropped === this.#reported) return;
    this.#options.log.warn({ dropped: this.dropped - this.#reported }, "audit events dropped");
    this.#reported = this.dropped;
  }
}

async function openNamed(path: string): Promise<FileHandle> {
  try {
    return await openPrivate(path);
  } catch (cause) {
    throw new SetpointError("config.invalid", `--audit-log: the file ${path} cannot be written`, {
      cause,
      details: { option: "audit-log", path },
      suggestion: "name a file in a folder that exists and that the server may write to",
    });
  }
}

async function flushed(file: FileHandle): Promise<void> {
  await file.datasync();
}

/** Makes the names in a folder durable, such as those of a rotated file. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Events name users and what they did: other users of the machine may not read them. */
function openPrivate(path: string): Promise<FileHandle> {
  return open(path, "a", 0o600);
}
