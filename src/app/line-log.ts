// A log file with one line per event. The file is rotated when it has grown large. The caller never
// waits: lines go to a bounded buffer, and lines that arrive while a batch is written form the next
// batch. Lines that do not fit are dropped, counted, and reported to the log of the server.

import { open, rename, rm, readdir } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { Clock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import type { Logger } from "../telemetry/log.ts";

export interface LineLogOptions {
  /** File that lines are added to. */
  readonly path: string;
  /** The option that names the file, for errors. */
  readonly option: string;
  /** What the lines are, for the log of the server: "audit events". */
  readonly things: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly maxFileBytes?: number | undefined;
  readonly maxFiles?: number | undefined;
  /** Called after each batch. */
  readonly flush?: ((file: FileHandle) => Promise<void>) | undefined;
}

/** Has a life cycle, hence a class. */
export class LineLog {
  dropped = 0;
  readonly #options: LineLogOptions;
  #file: FileHandle;
  #size: number;
  #lines: string[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #reported = 0;

  private constructor(options: LineLogOptions, file: FileHandle, size: number) {
    this.#options = options;
    this.#file = file;
    this.#size = size;
  }

  static async open(options: LineLogOptions): Promise<LineLog> {
    const file = await openNamed(options);
    const { size } = await file.stat();
    return new LineLog(options, file, size);
  }

  add(line: string): void {
    const bytes = line.length + 1;
    if (this.#waitingBytes + bytes > limits.maxLogBufferBytes) {
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
      const { maxFileBytes = limits.maxLogFileBytes, flush } = this.#options;
      await this.#file.writeFile(bytes);
      await flush?.(this.#file);
      this.#size += bytes.length;
      if (this.#size >= maxFileBytes) await this.#rotate();
    } catch (error) {
      this.dropped += lines.length;
      const { log, things } = this.#options;
      log.error({ error }, `${things} not written`);
    }
  }

  async #rotate(): Promise<void> {
    const { path, clock, maxFiles = limits.maxLogFiles } = this.#options;
    await this.#file.close();
    const [folder, end] = [dirname(path), extname(path)];
    const start = `${basename(path, end)}-`;
    const time = new Date(clock.nowMs()).toISOString().replaceAll(":", "-").slice(0, -1);
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
    const { log, things } = this.#options;
    log.warn({ dropped: this.dropped - this.#reported }, `${things} dropped`);
    this.#reported = this.dropped;
  }
}

async function openNamed({ path, option }: LineLogOptions): Promise<FileHandle> {
  try {
    return await openPrivate(path);
  } catch (cause) {
    throw new SetpointError("config.invalid", `--${option}: the file ${path} cannot be written`, {
      cause,
      details: { option, path },
      suggestion: "name a file in a folder that exists and that the server may write to",
    });
  }
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

/** Lines name users and what they did: other users of the machine may not read them. */
function openPrivate(path: string): Promise<FileHandle> {
  return open(path, "a", 0o600);
}
