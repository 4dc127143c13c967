/**
 * Hears of what other processes commit. Notifications arrive milliseconds after a commit; when the
 * connection was lost, it is made again and the head is read, so nothing is missed. A slow poll of
 * the head is only a backstop, and shows a connection that died in silence.
 *
 * A process that commits all the time does not listen meanwhile: every answer to a batch tells it
 * the head of that moment, and to be woken by each commit of all processes, its own among them,
 * took two busy processes a tenth of their speed. No answer tells what others have made due, so who
 * waits for work is told every few milliseconds that there may be some. What else no answer tells
 * (a compaction, a new schema) is asked for once a second.
 *
 * Payload: writer id, head, 1 if work became due, and the compaction mark when it moved; or that
 * the schema has changed.
 */
import { escapeIdentifier } from "pg";
import type { Clock } from "../../kernel/clock.ts";
import { typedFailure, unavailable } from "./failures.ts";
import { schemaNews } from "./migrate.ts";
import type { Version } from "./migrate.ts";
import type { Outcome } from "./answers.ts";
import { Pace } from "./pace.ts";
import type { RingBoard } from "./ring-board.ts";
import { Session } from "./session.ts";
import type { SessionConfig, Statement } from "./session.ts";

export interface ListenerOptions {
  readonly session: SessionConfig;
  readonly clock: Clock;
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
/** While it does not listen, it looks so often whether to do so, and others may have made work. */
const tickMs = 10;
/** Then it listens again, whatever the pace is. */
const deafMs = 1_000;
const readState = {
  name: "poll",
  text: `SELECT h.revision, h.compacted, v.version, v.compatible_from FROM head h,
    (SELECT max(version) AS version, max(compatible_from) AS compatible_from FROM schema_version) v
    WHERE h.one`,
};
const unlisten = { text: "UNLISTEN *" };

export class Listener {
  readonly #options: ListenerOptions;
  readonly #stop = new AbortController();
  #session: Session | undefined;
  #running: Promise<void> | undefined;
  readonly #pace = new Pace();
  #busy = new AbortController();
  /** Of the schema, since it was asked for. */
  #hasNews = false;
  #isAskingForNews = false;
  /** Ends when the connection is free: it takes one query at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Listens from the moment this resolves, and goes on until closed. */
  async start(): Promise<void> {
    try {
      this.#running = this.#run(await this.#listen());
    } catch (error) {
      throw typedFailure(error);
    }
  }

  /** The database has answered a batch of this process, and so told the head. */
  answered({ hasWork }: Outcome): void {
    if (hasWork) this.#options.onWork();
    if (this.#pace.answered(this.#options.clock.nowMs())) this.#busy.abort();
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
        session?.drop();
        session = undefined;
        if (!signal.aborted) await this.#pause(pauseMs);
      }
    }
  }

  async #listen(): Promise<Session> {
    const session = await Session.open(this.#options.session);
    this.#session = session;
    try {
      await this.#begin(session);
      return session;
    } catch (error) {
      // The server may refuse what is asked for and keep the connection: a standby does.
      session.drop();
      throw error;
    }
  }

  async #begin(session: Session): Promise<void> {
    const { session: config, onWork } = this.#options;
    session.onNotification((payload) => {
      // A failure shows in the next poll as well.
      if (payload === schemaNews) this.#pollForNews(session).catch(() => undefined);
      else this.#hear(payload);
    });
    // A reader may be on a standby, where nobody can listen: it polls.
    if (!config.readOnly) {
      await this.#inTurn(() => session.rows(listenOn(config.schema)));
    }
    await this.#poll(session);
    // Work may have become due while nobody listened.
    onWork();
  }

  /** Until the connection is lost. */
  async #watch(session: Session): Promise<void> {
    const ended = new AbortController();
    session.onEnd(() => ended.abort());
    const { signal } = this.#stop;
    const over = AbortSignal.any([signal, ended.signal]);
    for (;;) {
      if (session.isBroken) throw new Error("the connection for notifications was lost");
      this.#busy = new AbortController();
      const { signal: busy } = this.#busy;
      await this.#pause(this.#options.pollMs, AbortSignal.any([over, busy]));
      if (busy.aborted) await this.#beDeaf(session, over);
      if (signal.aborted) return;
      await this.#poll(session);
    }
  }

  /** As long as the answers to own batches say enough; the caller then reads the state. */
  async #beDeaf(session: Session, over: AbortSignal): Promise<void> {
    const { session: config, clock, onWork } = this.#options;
    let isLong = false;
    const cancel = config.timers.after(deafMs, () => (isLong = true));
    try {
      await this.#inTurn(() => session.rows(unlisten));
      for (;;) {
        await this.#pause(tickMs, over);
        if (over.aborted) return;
        if (isLong || !this.#pace.isBurst(clock.nowMs())) break;
        onWork();
      }
      await this.#inTurn(() => session.rows(listenOn(config.schema)));
      onWork();
    } finally {
      cancel();
    }
  }

  /** One at a time: processes that start together tell of the schema many times in a moment. */
  async #pollForNews(session: Session): Promise<void> {
    this.#hasNews = true;
    if (this.#isAskingForNews) return;
    this.#isAskingForNews = true;
    try {
      while (this.#hasNews) {
        this.#hasNews = false;
        await this.#poll(session);
      }
    } finally {
      this.#isAskingForNews = false;
    }
  }

  async #poll(session: Session): Promise<void> {
    await this.#inTurn(() => this.#readState(session));
  }

  async #readState(session: Session): Promise<void> {
    const [row] = await session.rows(readState);
    this.#options.onVersion({
      version: row?.[2] as number,
      compatibleFrom: row?.[3] as number,
    });
    this.#options.onHead(row?.[0] as number);
    this.#options.onCompacted(row?.[1] as number);
    await this.#options.board?.tell(session);
  }

  /** For what has to be asked, or held, by this connection and not by the pool. */
  async ask<T>(question: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#session;
    if (session === undefined || session.isBroken) {
      throw unavailable(new Error("the connection for notifications was lost"));
    }
    return await this.#inTurn(() => question(session));
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const own = before.then(run, run);
    this.#turn = own;
    return await own;
  }

  async #pause(ms: number, signal = this.#stop.signal): Promise<void> {
    // An abort ends the pause early; the caller looks at what happened.
    await this.#options.session.timers.sleep(ms, signal).catch(() => undefined);
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

function listenOn(schema: string): Statement {
  return { text: `LISTEN ${escapeIdentifier(schema)}` };
}
