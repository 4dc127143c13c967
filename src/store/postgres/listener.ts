/**
 * Hears of what other processes commit. Notifications arrive milliseconds after a commit; when the
 * connection was lost, it is made again and the head is read, so nothing is missed. A slow poll of
 * the head is only a backstop, and shows a connection that died in silence.
 *
 * Payload: writer id, head, 1 if work became due, and the compaction mark when it moved; or that
 * the schema has changed.
 */
import type { Timers } from "../../kernel/timers.ts";
import { unavailable } from "./failures.ts";
import { schemaNews } from "./migrate.ts";
import type { Version } from "./migrate.ts";
import type { RingBoard } from "./ring-board.ts";
import { Session } from "./session.ts";
import type { SessionConfig } from "./session.ts";

export interface ListenerOptions {
  readonly session: SessionConfig;
  readonly timers: Timers;
  readonly ownId: string;
  readonly pollMs: number;
  readonly onHead: (head: number) => void;
  readonly onWork: () => void;
  readonly onCompacted: (mark: number) => void;
  readonly onVersion: (found: Version) => void;
  /** Told of this process' keys by the same connection; undefined for who only reads. */
  readonly board: RingBoard | undefined;
}

const pauseMs = 100;
const readState = {
  name: "poll",
  text: `SELECT h.revision, h.compacted, v.version, v.compatible_from FROM head h,
    (SELECT max(version) AS version, max(compatible_from) AS compatible_from FROM schema_version) v
    WHERE h.one`,
};

export class Listener {
  readonly #options: ListenerOptions;
  readonly #stop = new AbortController();
  #session: Session | undefined;
  #running: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Listens from the moment this resolves, and goes on until closed. */
  async start(): Promise<void> {
    const session = await this.#listen();
    this.#running = this.#run(session);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("the listener is closed"));
    await this.#running;
    await this.#session?.close();
  }

  async #run(first: Session): Promise<void> {
    const { signal } = this.#stop;
    let session: Session | undefined = first;
    while (!signal.aborted) {
      try {
        session ??= await this.#listen();
        await this.#watch(session);
      } catch {
        // Lost or not to be had. Whoever reads or writes gets a typed error; here we try again.
        session = undefined;
        if (!signal.aborted) await this.#pause(pauseMs);
      }
    }
  }

  async #listen(): Promise<Session> {
    const { session: config, onWork } = this.#options;
    const session = await Session.open(config);
    this.#session = session;
    session.onNotification((payload) => {
      // A failure shows in the next poll as well.
      if (payload === schemaNews) this.#poll(session).catch(() => undefined);
      else this.#hear(payload);
    });
    // A reader may be on a standby, where nobody can listen: it polls.
    if (!config.readOnly) {
      await session.rows({ text: `LISTEN "${config.schema.replaceAll('"', '""')}"` });
    }
    await this.#poll(session);
    // Work may have become due while nobody listened.
    onWork();
    return session;
  }

  /** Until the connection is lost. */
  async #watch(session: Session): Promise<void> {
    const ended = new AbortController();
    session.onEnd(() => ended.abort());
    const { signal } = this.#stop;
    for (;;) {
      if (session.isBroken) throw new Error("the connection for notifications was lost");
      await this.#pause(this.#options.pollMs, ended.signal);
      if (signal.aborted) return;
      await this.#poll(session);
    }
  }

  async #poll(session: Session): Promise<void> {
    const [row] = await session.rows(readState);
    this.#options.onVersion({
      version: row?.[2] as number,
      compatibleFrom: row?.[3] as number,
    });
    this.#options.onHead(row?.[0] as number);
    this.#options.onCompacted(row?.[1] as number);
    await this.#options.board?.tell(session);
  }

  /** For what has to be asked, or held, by this connection and no other. */
  async ask<T>(question: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#session;
    if (session === undefined || session.isBroken) {
      throw unavailable(new Error("the connection for notifications was lost"));
    }
    return await question(session);
  }

  async #pause(ms: number, other?: AbortSignal): Promise<void> {
    const { signal } = this.#stop;
    const either = other === undefined ? signal : AbortSignal.any([signal, other]);
    // An abort ends the pause early; the caller looks at what happened.
    await this.#options.timers.sleep(ms, either).catch(() => undefined);
  }

  #hear(payload: string): void {
    const { ownId, onHead, onWork, onCompacted } = this.#options;
    const [writer, head, work, compacted] = payload.split(" ");
    if (compacted !== undefined) onCompacted(Number(compacted));
    if (writer === ownId || writer?.startsWith(`${ownId}.`) === true) return;
    // First what somebody may wait for to begin.
    if (work === "1") onWork();
    onHead(Number(head));
  }
}
